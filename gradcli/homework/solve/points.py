"""Formulas are judged at random points: two that agree at ten of them are taken to be the same."""

from __future__ import annotations

import random
from collections.abc import Hashable, Iterator, Mapping
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np

from gradcli.engine.tensor import Tensor
from gradcli.errors import GradcliError, UsageError
from gradcli.facts import dataclass
from gradcli.homework.assignment.assignments import Ask, Question
from gradcli.homework.model import Branch, Diagnosis, Value
from gradcli.homework.solve.properties import PROPERTIES, simpler
from gradcli.homework.solve.solution import Solution
from gradcli.homework.submission.answers import Formula, Read, UnreadableError, computed, read_answer
from gradcli.homework.submission.numerals import Tolerance, Typed
from gradcli.homework.submission.plain.reading import Plain
from gradcli.homework.wording import shown

ENOUGH = 10  # points at which the truth is finite
ATTEMPTS = 60
CLOSE = Tolerance(rtol=1e-6, atol=1e-9)
# Not near 0, 1, -1 and 2, where different formulas have the same value. The later attempts stay where logarithms,
# roots and inverse functions are defined.
ANYWHERE = ((-2.9, -2.1), (-1.8, -1.2), (-0.85, -0.2), (0.2, 0.85), (1.2, 1.8), (2.1, 2.9))
POSITIVE = ((0.2, 0.85), (1.2, 1.8), (2.1, 2.9))
WITHIN = ((0.2, 0.85),)
RANGES = (ANYWHERE,) * 20 + (POSITIVE,) * 20 + (WITHIN,) * 20


@dataclass(frozen=True)
class Point:
    """Values for the variables, and the solution there; a formula for `asked` may not mention it."""

    values: Mapping[str, Value]
    solution: Solution
    asked: str = ""

    @cached_property
    def names(self) -> dict[str, Value]:
        """The values that a formula may mention: variables, and names that the program computes."""
        return {name: value for name, value in self.solution.evaluation.scope.items() if name != self.asked}


class Points:
    """The random points of a question; the same each time."""

    def __init__(self, question: Question, solution: Solution) -> None:
        self.question, self.solution = question, solution
        free = solution.point
        self.free = {
            name: value
            for name, value in free.items()
            if np.asarray(value).dtype.kind != "b" and name not in question.constant
        }
        self.known: dict[Ask, Truths] = {}

    @cached_property
    def drawn(self) -> list[Point]:
        generator = random.Random(self.question.id)
        return [point for ranges in RANGES[:ATTEMPTS] if (point := self.point(generator, ranges)) is not None]

    def point(self, generator: random.Random, ranges: Any) -> Point | None:
        def entry() -> float:
            return generator.uniform(*generator.choice(ranges))

        def value(like: Any) -> Any:
            shape = np.shape(like)
            return np.array([entry() for _ in range(int(np.prod(shape)))]).reshape(shape) if shape else entry()

        values = {name: value(like) for name, like in self.free.items()}
        for name in self.question.given.keys() & values.keys():
            values[name] = PROPERTIES[self.question.given[name]][1](values[name])
        try:
            return Point(values, Solution(self.question, {**self.question.at, **values}))
        except (GradcliError, ArithmeticError):
            return None

    def finite(self, ask: Ask) -> Iterator[tuple[Point, Value]]:
        """Yield the points at which the right value is finite, with it."""
        count = 0
        with np.errstate(all="ignore"):
            for point in self.drawn:
                try:
                    truth = point.solution.truth(ask)
                except UsageError:
                    continue
                if np.all(np.isfinite(truth)):
                    count += 1
                    yield point, truth
                if count == ENOUGH:
                    return

    def truths(self, ask: Ask) -> Truths:
        """Return points to judge at. Raises UsageError where there are too few."""
        if ask not in self.known:
            asked = ask.quantity.of if ask.quantity.kind == "value" else ""
            points = tuple((replace(point, asked=asked), truth) for point, truth in self.finite(ask))
            if len(points) < ENOUGH:
                few = f"{ask.written} is finite at {len(points)} of {ATTEMPTS} random points"
                raise self.question.refused(ask.span, few, 'use form = "number"')
            self.known[ask] = Truths(points)
        return self.known[ask]

    def simpler(self, ask: Ask, text: str) -> str:
        """Return a right formula as it may be written for values with the properties that are given."""
        values = {name: value.value for name, value in self.solution.evaluation.scope.items()}
        formula = simpler(text, self.question.given, values)
        try:
            read = read_answer(formula)
            is_right = isinstance(read, Formula) and not counterexample(read, self.truths(ask))
        except UnreadableError:
            return text
        return formula if is_right else text


@dataclass(frozen=True)
class Truths:
    """Points with the right values there."""

    points: tuple[tuple[Point, Value], ...]

    @cached_property
    def columns(self) -> dict[str, Tensor] | None:
        """The values of each name at all points, as one array; None where one is no number."""
        names = [point.names for point, _ in self.points]
        if any(not isinstance(value, Tensor) or value.shape for known in names for value in known.values()):
            return None
        return {name: Tensor(np.array([known[name].value for known in names])) for name in names[0]}

    def agree(self, formula: Formula) -> bool:
        """Whether a formula, computed at all points at once, is right."""
        if self.columns is None:
            return False
        try:
            given = computed(formula, self.columns)
        except UnreadableError:
            return False
        right = np.array([truth for _, truth in self.points])
        return np.shape(given) == right.shape and bool(np.all(CLOSE.near(given, right)))


def answered(formula: Formula | Typed, point: Point) -> Value:
    """Return the value of an answer at a point."""
    return formula.value if isinstance(formula, Typed) else computed(formula, point.names)


def equal(formula: Formula | Typed, other: Formula | Typed, truths: Truths) -> bool:
    """Whether two answers have one value at every point at which both are finite."""
    for point, _ in truths.points:
        first, second = (np.asarray(answered(each, point)) for each in (formula, other))
        if np.shape(first) != np.shape(second) or not np.all(CLOSE.near(first, second) | ~np.isfinite(second)):
            return False
    return True


def counterexample(formula: Formula | Typed, truths: Truths) -> str:
    """Say where an answer is wrong, `at x = 1.37 yours gives 4.1, right is 5.2`; "" for a right one.

    Raises UnreadableError where it has no value anywhere.
    """
    if isinstance(formula, Formula) and truths.agree(formula):
        return ""
    for point, truth in truths.points:
        given = np.asarray(answered(formula, point))
        if given.dtype.kind not in "fiub":
            raise UnreadableError("not a formula for numbers")
        if np.shape(given) != np.shape(truth) or not np.all(CLOSE.near(given, truth)):
            if not any(np.all(np.isfinite(np.asarray(answered(formula, other)))) for other, _ in truths.points):
                raise UnreadableError("it has no finite value at any of the points")
            values = ", ".join(f"{name} = {shown(value)}" for name, value in point.values.items())
            return f"at {values} yours gives {shown(given[()])}, right is {shown(truth)}"
    return ""


LAST_DIGITS = 1e-6  # what float32 leaves of numbers near 1 that cancel
THREE_DIGITS = 5e-4  # the share by which a number with three right digits may be off


@dataclass(frozen=True, slots=True)
class Verdict:
    """A verdict on one answer; `typed` is a number that later answers may build on.

    `read` is the answer as it was read, `read_as` its plain text where that differs from what was typed, and `share` is
    the part of the points that a partly right tensor may get. What is `known` of an answer is the same for all that are
    one number, digit for digit; None for one that is too large to remember.
    """

    verdict: str
    remark: str = ""
    diagnoses: tuple[Diagnosis, ...] = ()
    ledger: tuple[Branch, ...] = ()
    typed: Typed | None = None
    read: Read = None
    read_as: str = ""
    share: float = 0.0
    known: tuple[Hashable, ...] | None = None


def judged_formula(plain: Plain, truths: Truths) -> Verdict:
    read = plain.read
    if not isinstance(read, Typed | Formula):
        raise UnreadableError("neither a number nor a formula")
    with np.errstate(all="ignore"):
        for text, other in plain.others:
            if not equal(read, other, truths):
                raise UnreadableError(f"{text} is not {plain.text}: write the one that you mean")
        remark = counterexample(read, truths)
    return Verdict("wrong", remark) if remark else Verdict("correct")


def judged_number(read: Typed | bool | None, expected: Value, tolerance: Tolerance, *, is_script: bool) -> Verdict:
    if read is None:
        return Verdict("wrong" if is_script else "missing")
    if isinstance(read, bool):
        if np.asarray(expected).dtype.kind == "b" and np.ndim(expected) == 0:
            return Verdict("correct" if read == bool(expected) else "wrong")
        raise UnreadableError("neither a number nor a tensor")
    if np.shape(read.value) != np.shape(expected):
        remark = f"its shape is {np.shape(read.value)}, and that of the answer {np.shape(expected)}"
        return Verdict("shape", remark, typed=read)
    right, nearly = (np.asarray(part) for part in tolerance.judge(read, expected))
    if is_script:  # in float32, where terms cancel, what is 0 or 0.016 on paper is that up to a last digit of theirs
        size = np.abs(np.asarray(expected, float))
        off = np.abs(read.value - np.asarray(expected, float))
        is_exact = (off <= LAST_DIGITS) & (np.equal(read.value, 0) | (off <= THREE_DIGITS * size))
        right, nearly = right | is_exact, nearly | is_exact
    if right.all():
        return Verdict("correct")
    verdict = "precision" if nearly.all() else "wrong"
    remark = worst_entry(read.value, expected, nearly if verdict == "wrong" else right)
    return Verdict(verdict, remark, typed=read, share=float(np.mean(right)))


def worst_entry(given: Value, expected: Value, fine: Value) -> str:
    """Write the number of wrong entries of a tensor and the index of the worst; "" for a single number."""
    if np.size(given) == 1:
        return ""
    off = np.where(fine, 0.0, np.abs(np.asarray(given, float) - expected))
    place = np.unravel_index(int(np.argmax(off)), off.shape)
    index = ", ".join(map(str, place))
    wrong = int(np.size(fine) - np.sum(fine))
    return f"{wrong} of {np.size(fine)} entries {'is' if wrong == 1 else 'are'} off, most of all [{index}]"
