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
ODD = 0.02  # the share of steps with an error that no catalogue knows
BLANK = 0.01
STEPWISE = 0.05  # the share of students who round at every step
CORRECTED = (0.0, 0.1, 0.5, 1.0)  # the share of wrong numbers behind which a student goes on with the right one
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


def students(questions: Sequence[Asked], count: int, seed: int) -> Iterator[Student]:
    """Yield the students of a class; some mistakes are common in it, others rare."""
    choose = np.random.default_rng([seed, 1])
    kinds = sorted({mistake for question in questions for step in question.steps for mistake in step.wrongs})
    common = dict(zip(kinds, choose.permutation(1 / np.arange(1, len(kinds) + 1) ** 0.6), strict=True))
    truths = [question.right() for question in questions]
    for number in range(count):
        yield Student(f"s{number:04}", tuple(Hand(choose, questions, truths, common).answers()))


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

    def __init__(self, choose: Any, questions: Sequence[Asked], truths: Sequence[Numbers], common: dict[str, float]):
        self.choose, self.questions, self.truths = choose, questions, truths
        weights = np.array(list(common.values()))
        habits = choose.choice(list(common), HABITS, replace=False, p=weights / weights.sum())
        self.weight = {**common, **dict.fromkeys(map(str, habits), 3.0)}
        self.digits = int(choose.choice([3, 4, 4, 5, 5, 6, 8]))
        self.rate = SLIP * float(choose.uniform(0.2, 1.8))
        self.is_stepwise = choose.random() < STEPWISE
        self.again = float(choose.choice(CORRECTED))

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
            own[step.name] = self.goes_on(value, straight)
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

    def goes_on(self, value: Value, straight: Value) -> Value:
        """Return the number that the next steps begin with: some correct themselves, and no other shape goes on."""
        is_corrected = apart(value, straight) and self.choose.random() < self.again
        return straight if is_corrected or np.shape(value) != np.shape(straight) else value

    def step(self, step: Step, own: Numbers, straight: Value, right: Value) -> tuple[Value, str]:
        """Return the result of a step, and the mistake in it; only mistakes that show count."""
        if step.quantity and self.choose.random() < ODD:
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
        """Make an error by accident; one that gives the number of a known mistake is none."""
        if isinstance(straight, bool | str):
            return straight, ""
        way = str(self.choose.choice(list(ACCIDENTS)))
        with np.errstate(all="ignore"):
            value = ACCIDENTS[way](self.choose, step, own, np.array(straight, float))
        is_other = value is not None and all(apart(value, computed(work, own, None)) for work in step.wrongs.values())
        if not is_other or not shows(np.asarray(value)[()], straight, right):
            return straight, ""
        return np.asarray(value)[()], f"{OUTSIDE}: {way}"

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
            verdicts |= {"carried"} if spoiled else set()  # by a number that hardly differs, and may yet show
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


def numeric_name(choose: Any, own: Numbers) -> str:
    return str(choose.choice([name for name in own if isinstance(own[name], float | np.ndarray)]))


def place_of(choose: Any, value: Any) -> Any:
    return np.unravel_index(int(choose.integers(value.size)), value.shape)


def changed(value: Any, place: Any, number: Any) -> Any:
    copy = np.array(value)
    copy[place] = number
    return copy


def two_digits(choose: Any, step: Step, own: Numbers, value: Any) -> Value:
    """Get two digits wrong in a sum, in one entry."""
    place = place_of(choose, value)
    size = 10.0 ** np.floor(np.log10(abs(value[place]) + 1e-9))
    return changed(value, place, value[place] + sign(choose) * size * int(choose.integers(10, 100)) / 100)


def other_sheet(choose: Any, step: Step, own: Numbers, value: Any) -> Value:
    """Copy from somebody whose numbers are others."""
    numbers = {name: moved(choose, number) for name, number in own.items()}
    return computed(step.right, Numbers(numbers), None)


def whole_number(choose: Any, step: Step, own: Numbers, value: Any) -> Value:
    """Go on with an earlier number as a whole one."""
    name = numeric_name(choose, own)
    return computed(step.right, Numbers({**own, name: np.round(own[name])[()]}), None)


def misread(choose: Any, step: Step, own: Numbers, value: Any) -> Value:
    """Read a handwritten 1 as a 7, and the like."""
    name = numeric_name(choose, own)
    array = np.array(own[name], float)
    place = place_of(choose, array)
    number = array[place] + sign(choose) * int(choose.integers(1, 9)) / 10
    return computed(step.right, Numbers({**own, name: changed(array, place, number)[()]}), None)


def two_swapped(choose: Any, step: Step, own: Numbers, value: Any) -> Value:
    if value.size < 3:
        return value * 1.7
    entries = value.ravel().copy()
    a, b = choose.choice(entries.size, 2, replace=False)
    entries[a], entries[b] = entries[b], entries[a]
    return entries.reshape(value.shape)


def moved(choose: Any, value: Value) -> Value:
    """Return another given number, or array of them."""
    if isinstance(value, bool | str) or value is None:
        return value
    return value + np.reshape(choose.integers(-6, 7, np.size(value)) / 10, np.shape(value))[()]


def sign(choose: Any) -> float:
    return float(choose.choice([-1, 1]))


ACCIDENTS: dict[str, Callable[[Any, Step, Numbers, Any], Value]] = {
    "two digits": two_digits,
    "other sheet": other_sheet,
    "whole number": whole_number,
    "misread": misread,
    "two entries swapped": two_swapped,
    "times": lambda choose, step, own, value: value * float(choose.uniform(1.05, 1.95)) ** sign(choose),
    "plus": lambda choose, step, own, value: value + sign(choose) * int(choose.integers(1, 40)) / 10,
    "root": lambda choose, step, own, value: np.sqrt(np.abs(value)),
    "reciprocal": lambda choose, step, own, value: 1 / value,
    "third power": lambda choose, step, own, value: value**3,
    "exponential": lambda choose, step, own, value: np.exp(value),
    "sine": lambda choose, step, own, value: np.sin(value),
    "guess": lambda choose, step, own, value: np.round(choose.normal(0, 3, value.shape), 3),
    "rolled": lambda choose, step, own, value: np.roll(value, 1) if value.size > 2 else value * 2.6,
    "running sum": lambda choose, step, own, value: np.cumsum(value).reshape(value.shape) + 0.1 * (value.size == 1),
    "column": lambda choose, step, own, value: value + np.round(choose.uniform(0.2, 3, value.shape[-1:] or ()), 2),
}


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
