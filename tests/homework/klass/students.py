"""Students: each has habits, makes mistakes by them, goes on with the wrong numbers, and types what came out.

The key says of every answer which verdict it deserves and which mistake was made.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from tests.homework.klass.course import apart
from tests.homework.klass.model import OUTSIDE, Asked, Numbers, Step, Value, Work

SLIP = 0.13  # of the steps have a mistake
PEN = 0.012  # the share of numbers with a slip of the pen
ODD = 0.012  # the share of steps with an error that no catalogue knows
BLANK = 0.01
STEPWISE = 0.05  # the share of students who round at every step
HABITS = 4  # mistakes that a student makes again and again


@dataclass(frozen=True)
class Answer:
    """What one student typed, the verdicts that are right, and the mistake, "" for none of its own."""

    question: str
    quantity: str
    value: Value
    digits: int
    verdicts: frozenset[str]
    mistake: str = ""

    @property
    def code(self) -> str:
        return self.mistake.partition(":")[0]


@dataclass(frozen=True)
class Student:
    name: str
    answers: tuple[Answer, ...]


def students(
    questions: Sequence[Asked], count: int, seed: int, hand: Callable[..., Hand] | None = None
) -> Iterator[Student]:
    """Yield the students of a class; some mistakes are common in it, others rare."""
    choose = np.random.default_rng([seed, 1])
    kinds = sorted({mistake for one in questions for step in one.steps for mistake in step.wrongs})
    common = dict(zip(kinds, choose.permutation(1 / np.arange(1, len(kinds) + 1) ** 0.6), strict=True))
    truths = [one.right() for one in questions]
    for number in range(count):
        yield Student(f"s{number:04}", tuple((hand or Hand)(choose, questions, truths, common).answers()))


def is_carried_too(question: Asked, step: Step, value: Value, own: Numbers, typed: Numbers) -> bool:
    """Whether a mistake gives the number that follows from what was typed: nobody can tell.

    It follows from numbers that were typed and then not used, or two mistakes cancel, as two signs do.
    """
    before = question.steps[: question.steps.index(step)]
    unused = [one.name for one in before if apart(typed[one.name], own[one.name])]
    ways = [typed] if unused else []
    for name in unused:
        ways += [Numbers({**own, name: typed[name]}), Numbers({**own, name: typed[name]})]
        for one in before[[one.name for one in before].index(name) + 1 :]:  # and all that comes of it
            ways[-1][one.name] = computed(one.right, ways[-1], ways[-1][one.name])
    mended = ((one.name, computed(one.right, own, own[one.name])) for one in before)
    ways += [Numbers({**own, name: right}) for name, right in mended if apart(right, own[name])]
    return any(not apart(value, computed(step.right, way, None)) for way in ways)


def is_rounded(question: Asked, step: Step, value: Value, straight: Value, typed: Numbers, digits: int) -> bool:
    """Whether a mistake gives a number that rounding what was typed before gives, too: terms may cancel."""
    if isinstance(straight, bool | str) or np.shape(value) != np.shape(straight):
        return False
    room = np.zeros(np.shape(straight))
    for one in question.steps[: question.steps.index(step)]:
        if one.quantity and not isinstance(typed[one.name], bool | str):
            moved = Numbers({**typed, one.name: typed[one.name] * (1 + 10.0 ** (1 - digits) / 2)})
            room += np.abs(computed(step.right, moved, straight) - computed(step.right, typed, straight))
    return bool(np.all(np.abs(value - straight) <= room))


def rounded(value: Value, digits: int) -> Value:
    """Round to significant digits, entry by entry."""
    if value is None or isinstance(value, bool | str):
        return value
    array = np.asarray(value, float)
    entries = [float(f"{entry:.{digits - 1}e}") for entry in array.ravel()]
    return np.reshape(entries, array.shape)[()]


class Hand:
    """One student at work."""

    odd_share = ODD

    def __init__(self, choose: Any, questions: Sequence[Asked], truths: Sequence[Numbers], common: dict[str, float]):
        self.choose, self.questions, self.truths = choose, questions, truths
        weights = np.array(list(common.values()))
        habits = choose.choice(list(common), HABITS, replace=False, p=weights / weights.sum())
        self.weight = {**common, **dict.fromkeys(map(str, habits), 3.0)}
        self.digits = int(choose.choice([3, 4, 4, 5, 5, 6, 8]))
        self.rate = SLIP * float(choose.uniform(0.2, 1.8))
        self.is_stepwise = choose.random() < STEPWISE

    def answers(self) -> Iterator[Answer]:
        for question, truth in zip(self.questions, self.truths, strict=True):
            yield from self.question(question, truth)

    def question(self, question: Asked, truth: Numbers) -> Iterator[Answer]:
        own = question.numbers()
        typed = question.numbers()
        fault = ""  # a mistake in a step that nobody asked about
        spoiled = False
        for step in question.steps:
            right = truth[step.name]
            straight = computed(step.right, own, right)
            value, mistake = self.step(step, own, straight, right)
            mistake = f"{OUTSIDE}: two mistakes" if mistake and fault else mistake or fault
            if self.is_stepwise:
                value = rounded(value, max(self.digits, 4))
            is_double = bool(mistake) and is_carried_too(question, step, value, own, typed)
            own[step.name] = self.goes_on(value, straight, right)
            typed[step.name] = value if np.shape(value) == np.shape(straight) else straight
            if not step.quantity:
                fault, spoiled = mistake, spoiled or bool(mistake)
                continue
            if self.choose.random() < BLANK:
                own[step.name] = straight if spoiled else right
                yield Answer(question.id, step.quantity, None, 0, frozenset(("missing",)))
                continue
            fault = ""
            answer = self.answer(question, step, value, straight, right, mistake, spoiled=spoiled)
            if answer.mistake != mistake:  # a slip of the pen
                is_double = is_carried_too(question, step, answer.value, own, typed)
                typed[step.name] = answer.value
            more = {"carried"} if is_double else set()
            if answer.mistake and is_rounded(question, step, answer.value, straight, typed, self.digits):
                more = {"carried"} if spoiled else {"correct", "precision"}
            yield replace(answer, verdicts=answer.verdicts | more)
            spoiled = spoiled or apart(own[step.name], right)

    def goes_on(self, value: Value, straight: Value, right: Value) -> Value:
        """Return the number that the next steps begin with; nothing goes on from another shape."""
        return value if np.shape(value) == np.shape(straight) else straight

    def step(self, step: Step, own: Numbers, straight: Value, right: Value) -> tuple[Value, str]:
        """Return the result of a step, and the mistake in it; only mistakes that show count."""
        if step.quantity and self.choose.random() < self.odd_share:
            return self.odd(step, own, straight, right)
        if self.choose.random() >= self.rate:
            return straight, ""
        known = list(step.wrongs)
        weights = np.array([self.weight[mistake] for mistake in known])
        if not known:
            return straight, ""
        mistake = str(self.choose.choice(known, p=weights / weights.sum()))
        value = computed(step.wrongs[mistake], own, straight)
        return (value, mistake) if shows(value, straight, right) else (straight, "")

    def odd(self, step: Step, own: Numbers, straight: Value, right: Value) -> tuple[Value, str]:
        """Make an error by accident: sums gone wrong, in one entry of several, or a given number misread."""
        way = ("times", "plus", "misread")[self.choose.integers(3)]
        if isinstance(straight, bool | str):
            return straight, ""
        value: Any = np.array(straight, float)
        if way == "misread":
            names = [name for name in own if isinstance(own[name], float | np.ndarray)]
            name = str(self.choose.choice(names))
            changed = np.array(own[name], float)
            place = np.unravel_index(int(self.choose.integers(changed.size)), changed.shape)
            changed[place] += float(self.choose.choice([-1, 1])) * int(self.choose.integers(1, 9)) / 10
            value = computed(step.right, Numbers({**own, name: changed[()]}), straight)
        else:
            place = np.unravel_index(int(self.choose.integers(value.size)), value.shape)
            if way == "times":
                value[place] *= float(self.choose.uniform(1.05, 1.95)) ** float(self.choose.choice([-1, 1]))
            else:
                value[place] += float(self.choose.uniform(-2, 2))
        return (np.asarray(value)[()], f"{OUTSIDE}: {way}") if shows(value, straight, right) else (straight, "")

    def answer(
        self, question: Asked, step: Step, value: Value, straight: Value, right: Value, mistake: str, *, spoiled: bool
    ) -> Answer:
        if isinstance(right, bool | str):
            verdict = "correct" if value == right else "wrong"
            return Answer(question.id, step.quantity, value, 0, frozenset((verdict,)), mistake)
        written = rounded(value, self.digits)
        if not mistake and self.choose.random() < PEN and np.ndim(value) == 0 and value:
            written, mistake = self.slipped(written)
        is_right = not apart(value, right)
        if is_right and not mistake:
            verdicts = {"correct", "precision"} if is_short(written) else {"correct"}
        elif mistake:
            verdicts = {"shape" if np.shape(written) != np.shape(right) else "wrong"}
        else:
            verdicts = {"carried"} if np.any(straight) else {"wrong"}
        return Answer(question.id, step.quantity, written, self.digits, frozenset(verdicts), mistake)

    def slipped(self, value: Value) -> tuple[Value, str]:
        """Return a number with a slip of the pen: the point, two digits swapped, or one digit off."""
        digits = f"{abs(value):.{self.digits - 1}e}"
        way = self.choose.integers(3)
        if way == 0:
            return value * 10.0 ** int(self.choose.choice([-1, 1, 2])), "decimal-point: slipped"
        figures = list(digits)
        places = [0, 2, 3][: 2 if way == 1 else 3]
        place = int(self.choose.choice(places))
        if way == 1:
            other = 2 if place == 0 else 3
            figures[place], figures[other] = figures[other], figures[place]
            name = "digit-slip: two swapped"
        else:
            figures[place] = str((int(figures[place]) + int(self.choose.choice([1, 9]))) % 10)
            name = "digit-slip: one off"
        if figures[0] == "0" or not apart(float("".join(figures)), abs(value)):
            return value * 10.0, "decimal-point: slipped"
        return float("".join(figures)) * (1 if value > 0 else -1), name


def is_short(value: Value) -> bool:
    """Whether a number has few digits but zeros, which some leave out when they type."""
    entries = np.ravel(np.asarray(value, float))
    return any(len(f"{abs(one):.15g}".replace(".", "").lstrip("0")) < 3 for one in entries)


def computed(work: Work, own: Numbers, otherwise: Value) -> Value:
    """Return the result of some work; another one where a student's own numbers give none."""
    try:
        with np.errstate(all="ignore"):
            value = work(own)
            if isinstance(value, bool | str):
                return value
            return value if np.all(np.isfinite(np.asarray(value, float))) else otherwise
    except (ValueError, OverflowError, ZeroDivisionError):
        return otherwise


def shows(value: Value, straight: Value, right: Value) -> bool:
    return apart(value, straight) and apart(value, right) and plain(value)


def plain(value: Value) -> bool:
    """Whether a value can be typed and goes on: finite, not 0, and no giant."""
    if isinstance(value, bool | str):
        return True
    array = np.asarray(value, float)
    return bool(np.all(np.isfinite(array)) and np.any(np.abs(array) > 1e-3) and np.max(np.abs(array)) < 1e6)
