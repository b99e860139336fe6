"""Credit for numbers that are not the right one: right up to rounding, or following from a student's own."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import field, replace
from typing import Any

import numpy as np

from gradcli.explanation.lines import FAILURES
from gradcli.facts import dataclass
from gradcli.homework.assignment.assignments import Ask, Assignment
from gradcli.homework.assignment.quantities import Quantity
from gradcli.homework.mistakes.pen import CUT_OFF, ROUNDING, is_slip, rounding
from gradcli.homework.model import CREDITED, Diagnosis, Value
from gradcli.homework.solve.carried import follows, spoils
from gradcli.homework.solve.graph import Change, Edge
from gradcli.homework.solve.points import Verdict
from gradcli.homework.solve.problem import Problem, sweep
from gradcli.homework.solve.recomputing import Earlier, bearing, bears, choices, recomputed
from gradcli.homework.solve.vertices import Vertex
from gradcli.homework.submission.numerals import EXACT, SLACK, Tolerance, Typed

# Rounding on the way: the numbers that honest rounding of every step can give.
#
# Rounding to four digits or more is no mistake, nor is going on from an asked number as it was typed, with three digits
# or more. Rounding every step to three or two digits gives a number with too few right ones.
ENOUGH = 4  # digits of a step that are enough
FEW = (3, 2)
ENOUGH_TYPED = 3  # digits of the answer itself
MOST = 8  # digits to which a step is tried rounded
NEAR = 0.5  # of the right number: what is further off is another number, whatever cancels
REACH = 16  # times the reach of four digits, to which no number leads that was typed with three
SAMPLES = 24
EXACTLY = 1e-9  # a share of a number that binary arithmetic may be off
LARGEST = 400  # vertices of a graph that is run again and again

Rounded = Callable[[Value], Value]


def up_to_rounding(problem: Problem, typed: Typed, right: Earlier, tolerance: Tolerance) -> bool:
    """Whether a number is right up to rounding: `right` are right answers as they were typed.

    Its own digits say how far off it may be: steps with fewer explain it only where they give this very number. The
    last step may have been rounded to four digits or more before it was typed with three.
    """
    if not is_near(problem, typed, NEAR) or len(problem.graph.vertices) > LARGEST:
        return False
    digits = np.asarray(typed.digits)
    if np.any(digits < (tolerance.precision or ENOUGH_TYPED)):
        return False
    half_unit = np.asarray(typed.unit) / 2 * SLACK
    reach = REACH * allowed(problem, ENOUGH) + unit(problem.truth, ENOUGH)
    if not is_within(typed, problem.truth, half_unit + reach):
        return False
    claimed = int(np.max(digits, where=digits < EXACT, initial=ENOUGH))
    off = allowed(problem, claimed)
    last = range(max(ENOUGH, int(np.min(digits)) + 1), MOST + 1)
    for value in (problem.truth, *used(problem, right)):
        if any(is_within(typed, near_value, half_unit + off) for near_value in (value, *rounded_before(value, last))):
            return True
    exactly = half_unit + EXACTLY * np.abs(typed.value)
    tried = (value for digits in range(ENOUGH, min(claimed, MOST + 1)) for value in attempts(problem, digits))
    return any(is_within(typed, value, exactly) for value in tried)


def used(problem: Problem, right: Earlier) -> Iterator[Value]:
    """Yield the answer as computed from right answers as they were typed: from each alone, and from all."""
    usable = [answer for answer in bearing(problem, right).items() if answer[1][1].is_alive]
    for chosen in (*([answer] for answer in reversed(usable)), *([usable] if len(usable) > 1 else ())):
        with np.errstate(all="ignore"):
            value = recomputed(problem, dict(chosen))
        if value is not None and np.shape(value) == np.shape(problem.truth) and np.all(np.isfinite(value)):
            yield value


def rounded_before(value: Value, digits: Iterable[int]) -> Iterator[Value]:
    """Yield a number as it is rounded to so many digits, from which fewer may be typed: 0.44449, 0.4445, 0.445."""
    return (significant(value, count) for count in digits)


def rounded_to(problem: Problem, typed: Typed, few: Earlier) -> int:
    """Return the number of digits, three or two, to which every step was rounded; 0 where that gives another number.

    `few` are right answers with two digits, from which the student may have gone on.
    """
    if not is_near(problem, typed, NEAR) or len(problem.graph.vertices) > LARGEST:
        return 0
    half_unit = np.asarray(typed.unit) / 2 * SLACK
    for digits in FEW:
        values = attempts(problem, digits)
        last = (digits,) if np.max(typed.digits) <= digits else ()  # 1.00e2 says more than 104 in two digits
        for value in (*values, *(value for first in values for value in rounded_before(first, last))):
            if is_within(typed, value, half_unit + EXACTLY * np.abs(value)):
                return digits
    least = int(np.min(typed.digits))
    if least in FEW and is_within(typed, problem.truth, half_unit + allowed(problem, least)):
        return least
    return 2 if any(is_within(typed, value, half_unit + allowed(problem, 3)) for value in used(problem, few)) else 0


def is_within(typed: Typed, value: Value, off: Value) -> bool:
    return bool((np.abs(typed.value - value) <= off).all())


def is_near(problem: Problem, typed: Typed, share: float) -> bool:
    right = problem.truth
    if isinstance(right, float) and isinstance(typed.value, float):
        is_inexact = bool(right) and int(typed.digits) < EXACT
        return is_inexact and bool(abs(typed.value - right) <= share * abs(right))
    truth = np.asarray(right, float)
    if np.shape(typed.value) != truth.shape or not truth.size or np.all(np.asarray(typed.digits) >= EXACT):
        return False
    scale = np.maximum(np.abs(truth), share * np.max(np.abs(truth)))
    return bool(np.all(np.abs(typed.value - truth) <= share * scale) and np.any(truth))


def allowed(problem: Problem, digits: int) -> Value:
    """Return how far rounding every step to so many digits can lead."""

    def largest() -> Value:
        draw = np.random.default_rng(digits)
        if problem.graph.is_scalar:
            return np.max(np.abs(side_by_side(problem, draw, digits) - problem.truth))
        samples = runs(problem, lambda: shaken(draw.random, digits), SAMPLES)
        return np.max([np.abs(sample - problem.truth) for sample in samples], axis=0)

    return problem.once(("allowed", problem.kind, problem.by, digits), largest)


def attempts(problem: Problem, digits: int) -> Sequence[Value]:
    """Return the numbers that rounding every step to so many significant digits, or decimals, gives."""

    def tried() -> list[Value]:
        ways: list[Rounded] = [lambda value: significant(value, digits), lambda value: np.round(value, digits)]
        return [value for way in ways for value in runs(problem, lambda way=way: way, 1)]  # type: ignore[misc]

    return problem.once(("attempts", problem.kind, problem.by, digits), tried)


def runs(problem: Problem, way: Callable[[], Rounded], count: int) -> Iterator[Value]:
    """Yield the answer, computed with every step rounded."""
    for _ in range(count):
        with np.errstate(all="ignore"):
            value = rounded(problem, way())
        if value is not None and np.shape(value) == np.shape(problem.truth) and np.all(np.isfinite(value)):
            yield value


def side_by_side(problem: Problem, draw: np.random.Generator, digits: int) -> Any:
    """Return the answers of all samples of a graph of single numbers, which one run over arrays computes."""
    steps = 0

    def counted(value: Value) -> Value:
        nonlocal steps
        steps += 1
        return value

    rounded(problem, counted)
    columns = iter(draw.random((SAMPLES, steps)).T)
    with np.errstate(all="ignore"):
        answers = np.asarray(rounded(problem, shaken(lambda shape: next(columns), digits)))
    return answers[np.isfinite(answers)]


def rounded(problem: Problem, way: Rounded) -> Value | None:
    """Return the answer with every step rounded but the last, which is rounded when it is typed."""
    graph = problem.graph
    values: dict[int, Value] = {}
    for index, vertex in enumerate(graph.vertices):
        if vertex.primitive is None or np.asarray(vertex.value).dtype.kind != "f":
            values[index] = vertex.value
            continue
        value = vertex.forward(graph.operands(index, values))
        values[index] = value if problem.kind == "value" and index == problem.by else np.asarray(way(value))[()]
    if problem.kind == "value":
        return values[problem.by]
    last = problem.into(problem.by)
    is_plain = len(last) == 1 and has_plain_rules(graph.vertices[last[0].vertex])
    edges = [edge for edge in problem.edges if not (is_plain and edge == last[0])]
    changes: dict[Edge, Change] = dict.fromkeys(edges, lambda g, contribution: way(contribution))
    totals = sweep(
        graph, problem.of, changes, seed=problem.seed, values=[values[i] for i in range(len(values))], stop=problem.stop
    )
    total = totals.get(problem.by)
    return total if problem.before is None or total is None else problem.before + total


def has_plain_rules(vertex: Vertex) -> bool:
    """Return whether the rules of an operation have no step that somebody would round."""
    is_product = bool({"sum", "product", "matrix", "layout"} & {*vertex.traits}) and vertex.op != "div"
    return is_product or vertex.op in ("sum", "mean", "expand")


def unit(value: Value, digits: int) -> Any:
    """Return the worth of one of the last of so many significant digits."""
    size = np.floor(np.log10(np.abs(value) + (value == 0)))
    return 10.0 ** (size - digits + 1)


def significant(value: Value, digits: int) -> Value:
    last = unit(value, digits)
    return np.rint(value / last) * last


def shaken(draw: Callable[[tuple[int, ...]], Any], digits: int) -> Rounded:
    """Return a rounding that moves each number by half a unit of its last digit, up or down; one with so few stays."""

    def way(value: Value) -> Value:
        last = unit(value, digits)
        is_off = np.abs(np.rint(value / last) * last - value) > EXACTLY * np.abs(value)
        return value + is_off * last * ((draw(np.shape(value)) >= 0.5) - 0.5)

    return way


def too_coarse(problem: Problem, typed: Typed, digits: int) -> Diagnosis:
    """Return the diagnosis of a number that was rounded at every step, or cut off at the end."""
    for diagnosis in rounding(problem, typed):
        if CUT_OFF in diagnosis.message:
            return diagnosis
    message = f"you rounded every step to {'three' if digits == 3 else 'two'} digits: keep four or more until the end"
    return Diagnosis(
        ROUNDING.code, problem.label(problem.by), "a rounded number for an exact one", message, "", typed.value,
        certain=False, vertex=problem.by,
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Own:
    """The numbers of a student that others may follow from: right and rounded, with too few digits, and wrong."""

    right: dict[Quantity, tuple[Problem, Typed]] = field(default_factory=dict)
    few: dict[Quantity, tuple[Problem, Typed]] = field(default_factory=dict)
    wrong: dict[Quantity, tuple[Problem, Typed]] = field(default_factory=dict)
    known: dict[Quantity, Problem] = field(default_factory=dict)  # all that are right
    carried: set[Quantity] = field(default_factory=set)  # of the wrong ones
    slips: set[Quantity] = field(default_factory=set)
    unlike: dict[Quantity, bool] = field(default_factory=dict)  # whether right answers show that one was not used

    @property
    def unused(self) -> set[Quantity]:
        """The wrong numbers that were not gone on with, as right answers show; looked into when it is asked."""
        for quantity, answer in self.wrong.items():
            if quantity not in self.unlike:
                self.unlike[quantity] = False
                with suppress(*FAILURES), np.errstate(all="ignore"):
                    self.unlike[quantity] = any(
                        bears(other, answer[0]) and spoils(other, {quantity: answer}) for other in self.known.values()
                    )
        return {quantity for quantity, is_unlike in self.unlike.items() if is_unlike}

    @property
    def spare(self) -> Iterator[set[Quantity]]:
        """Groups of wrong numbers that a student need not have gone on with, found as far as they are asked for."""
        each = [{quantity} for quantity in self.slips] if len(self.slips) > 1 else []
        backward = {  # a cross entropy has `p - y` from the probabilities alone
            quantity
            for quantity, (problem, _) in self.wrong.items()
            if problem.kind == "gradient" and problem.graph.has_softmax
        }
        groups = (self.carried, self.slips, self.carried | self.slips, backward, *each)
        yield from groups
        yield from (group | self.unused for group in (set(), *groups))

    def keep(self, ask: Ask, problem: Problem | None, verdict: Verdict) -> None:
        """Keep a right number that was rounded, from which others may follow."""
        kinds = {"correct": self.right, "precision": self.few}
        if problem is not None and verdict.verdict == "correct":
            self.known[ask.quantity] = problem
        if problem is None or ask.form == "expression" or verdict.verdict not in kinds:
            return
        if isinstance(verdict.read, Typed) and np.not_equal(verdict.read.value, problem.truth).any():
            kinds[verdict.verdict][ask.quantity] = (problem, verdict.read)

    def add(
        self, quantity: Quantity, problem: Problem, typed: Typed, tolerance: Tolerance, *, is_carried: bool
    ) -> None:
        """Keep a wrong number; a slip of the pen is one from the right number, or from one that follows."""
        shape = np.shape(typed.value)
        if is_carried:
            self.carried.add(quantity)
        else:
            with suppress(*FAILURES), np.errstate(all="ignore"):
                bearing_numbers = bearing(problem, self.wrong)
                sets = [{q: bearing_numbers[q] for q in some} for some in choices(bearing_numbers, self.spare)]
                meant = [value for used in sets if (value := recomputed(problem, used)) is not None]
                nearly = replace(typed, unit=5 * np.asarray(typed.unit))  # digits that were not written down
                if any(is_slip(nearly, value, tolerance) for value in (problem.truth, *meant)):
                    self.slips.add(quantity)
                if any(np.all(tolerance.judge(typed, value)[1]) for value in meant if np.shape(value) == shape):
                    self.carried.add(quantity)  # with too few digits
        self.wrong[quantity] = (problem, typed)


def credited(problem: Problem, typed: Typed, verdict: Verdict, student: Own, assignment: Assignment) -> Verdict | None:
    """Return the verdict on a number that is right up to rounding, or follows from the student's own; else None.

    What has too few digits for the right number may be all digits of one that follows.
    """
    is_wrong = verdict.verdict == "wrong"
    if not is_wrong and verdict.verdict != "precision":
        return None
    with suppress(*FAILURES), np.errstate(all="ignore"):  # no number that a student may think of stops a class
        if is_wrong and up_to_rounding(problem, typed, student.right, assignment.tolerance):
            return replace(verdict, verdict="correct", remark="right, with rounded steps")
        if student.wrong and assignment.carry_forward:
            source = follows(
                problem, typed, student.wrong, assignment.tolerance, spare=student.spare, right=student.right
            )
            if source is not None:
                return replace(verdict, verdict="carried", remark=f"it follows from your {source}")
        digits = rounded_to(problem, typed, student.few) if is_wrong else 0
        if digits:
            return replace(verdict, verdict="precision", remark="", diagnoses=(too_coarse(problem, typed, digits),))
    return None


def share(verdict: Verdict, assignment: Assignment) -> float:
    """Return the share of the points that a verdict gives."""
    if verdict.verdict == "carried":
        return assignment.carry_share
    if verdict.verdict in CREDITED:
        return 1.0
    if verdict.verdict == "precision" and assignment.precision_share:
        return assignment.precision_share
    return verdict.share if assignment.entries == "each" and verdict.verdict in ("wrong", "precision") else 0.0
