"""An answer that follows from the student's own earlier number: the chain rule goes on with that number."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace
from types import MappingProxyType
from typing import Any

import numpy as np

from gradcli.homework.assignment.quantities import Quantity
from gradcli.homework.model import Value
from gradcli.homework.solve.problem import Problem
from gradcli.homework.solve.recomputing import Earlier, bearing, choices, recomputed
from gradcli.homework.submission.numerals import ENOUGH, Tolerance, Typed, largest

NUDGE = 1e-2  # by which numbers are moved
STILL = 1e-6  # a share by which no answer moves that is the same for every input
CLOSE = 0.05  # a share within which digits that were not written down may lead
SIGNS = 8
LEAST = 0.1  # of how far the entry that moves most may be off, by which each may be: few signs are tried
FAR = 4  # times the reach of such digits, from where no other signs lead


def follows(
    problem: Problem,
    typed: Typed,
    sheet: Earlier,
    tolerance: Tolerance,
    *,
    spare: Iterable[Collection[Quantity]] = (),
    right: Earlier = MappingProxyType({}),
) -> Quantity | None:
    """Return the wrong number of a student's `sheet` from which an answer follows, or None.

    All of them count, for whoever typed a number goes on with it. `spare` are groups that may be left out: numbers that
    follow from others on the sheet, slips of the pen, which are often in the typed number alone, and numbers that the
    student did not use further, as right answers show. Digits that were used and not written down are allowed for, and
    `right` are right answers whose rounded numbers may have been used beside the wrong ones. Nothing follows where an
    own number has left no question: it is 0 or not finite, or the answer is 0 then, or the same for every input.
    """
    if is_nothing(typed.value, tolerance):
        return None
    sheet = {q: (seen, n) for q, (other, n) in sheet.items() if (seen := other.seen_in(problem.graph, q)) is not None}
    telling, right, tried = bearing(problem, sheet), bearing(problem, right), set()
    for chosen in choices(sheet, spare if right or len(telling) > 1 else ()):
        wrong = {quantity: sheet[quantity] for quantity in chosen if quantity in telling}
        if tuple(wrong) in tried:
            continue
        tried.add(tuple(wrong))
        more = passed_on(wrong) if problem.kind == "gradient" else {}
        numbers = (*([{**right, **wrong}] if right else ()), wrong, *([{**more, **wrong}] if more else ()))
        for asked, used in (way for some in numbers for way in readings(problem, some)):
            value = recomputed(asked, used)
            if value is None or np.shape(value) != np.shape(typed.value) or tolerance.is_near(value, asked.truth):
                continue
            if not is_met(asked, typed, used, value, tolerance) or is_dead(asked, used, value):
                continue
            if is_alive(asked, used, value, tolerance):
                return source(problem, wrong) or chosen[0]
    return None


def readings(problem: Problem, used: Earlier) -> Iterator[tuple[Problem, Earlier]]:
    """Yield a problem with own numbers, and again with the derivatives of functions taken where these were.

    A rule reads the result where it can, as `a*(1 - a)` does; who computed `a` wrongly may go on with that of `z`.
    """
    yield problem, used
    results = {other.by for other, _ in used.values() if other.kind == "value"}
    vertices = problem.graph.vertices
    if problem.kind == "gradient" and any(vertices[index].is_function for index in results & problem.read):
        afresh = problem.once(
            "afresh", lambda: problem.graph.over(v.afresh() if v.is_function else v for v in vertices)
        )
        yield problem.over(afresh), {q: (other.over(afresh), typed) for q, (other, typed) in used.items()}


def spoils(problem: Problem, wrong: Earlier) -> bool:
    """Whether an answer that is right would be another number, had the student gone on with a wrong one."""
    value = recomputed(problem, wrong)
    return value is not None and not is_still(value, problem.truth)


def passed_on(wrong: Earlier) -> Earlier:
    """Return the gradients that own ones tell: of what has only been added, that of the sum."""
    of_sums = {
        quantity._replace(by=above.label(above.by)): (above, replace(typed, value=sign * typed.value))
        for quantity, (problem, typed) in wrong.items()
        for above, sign in problem.sums()
        if np.shape(above.totals[above.by]) == np.shape(typed.value)
    }
    return {quantity: answer for quantity, answer in of_sums.items() if quantity not in wrong}


def source(problem: Problem, wrong: Earlier) -> Quantity | None:
    """Return the last number that changes an answer by itself, if one does."""
    for quantity, answer in wrong.items() if len(wrong) > 1 else ():
        value = recomputed(problem, {quantity: answer})
        if value is not None and not is_still(value, problem.truth):
            return quantity
    return next(iter(wrong), None)


def is_met(problem: Problem, typed: Typed, used: Earlier, value: Value, tolerance: Tolerance) -> bool:
    """Whether an answer is the number computed, up to digits that were used and not written down."""
    gap = largest(typed.value - value)
    if not gap <= CLOSE * largest(value) + largest(typed.unit):
        return False
    if np.all(tolerance.judge(typed, value)[0]):
        return True
    for off in unwritten_off(problem, used, value):
        wider = np.where(np.asarray(typed.unit) > 0, typed.unit + 2 * off, 0.0)
        if np.all(replace(tolerance, atol=tolerance.atol + off).judge(replace(typed, unit=wider), value)[0]):
            return True
        if gap > FAR * largest(wider):
            break
    return False


def unwritten_off(problem: Problem, used: Earlier, value: Value) -> Iterator[Value]:
    """Yield how far digits of the own numbers that were used and not written down may lead, entry by entry.

    The entries of a tensor move by themselves, so that signs are tried, and it grows.
    """
    steps = {
        quantity: np.minimum(np.asarray(typed.unit) / 2, np.abs(typed.value) / 100)
        for quantity, (_, typed) in used.items()
        if np.max(typed.digits, initial=0) >= ENOUGH
    }
    most = {quantity: np.zeros_like(value, float) for quantity, step in steps.items() if np.any(step)}
    drawn = {quantity: signs(np.shape(steps[quantity])) for quantity in most}
    while drawn:
        for quantity, ways in list(drawn.items()):
            if (sign := next(ways, None)) is None:
                del drawn[quantity]
                continue
            other, typed = used[quantity]
            moved_number = replace(typed, value=typed.value + sign * steps[quantity])
            moved = recomputed(problem, {**used, quantity: (other, moved_number)})
            if moved is not None and np.shape(moved) == np.shape(value):
                off = np.where(np.isfinite(moved), np.abs(moved - value), 0.0)
                most[quantity] = np.maximum(most[quantity], off)
        if not drawn:
            return
        total = np.sum(list(most.values()), axis=0)
        yield np.maximum(total, LEAST * np.max(total))


def signs(shape: tuple[int, ...]) -> Iterator[Any]:
    """Yield signs for the entries of a tensor; for a single number one."""
    yield np.ones(shape)
    draw = np.random.default_rng(0)
    for _ in range(SIGNS if shape else 0):
        yield draw.choice([-1.0, 1.0], shape)


def is_nothing(value: Value, tolerance: Tolerance) -> bool:
    return tolerance.is_near(0.0 if isinstance(value, float) else np.zeros_like(value, float), value)


def is_dead(problem: Problem, used: Earlier, value: Value) -> bool:
    """Whether a number that is 0 or not finite has a part in an answer."""
    kept = {q: answer for q, answer in used.items() if answer[1].is_alive}
    if len(kept) == len(used):
        return False
    other = recomputed(problem, kept)
    return other is None or not is_still(other, value)


def is_alive(problem: Problem, used: Earlier, value: Value, tolerance: Tolerance) -> bool:
    """Whether an answer moves with the student's numbers wherever the right one moves with the right numbers.

    Where the right one does not (a gate is shut in it), an answer must move with the numbers of the question.
    """
    if is_nothing(value, tolerance):
        return False
    with np.errstate(all="ignore"):
        if moves(problem, used, value):
            return True
        right = {q: (other, Typed(other.truth)) for q, (other, _) in used.items()}
        return not moves(problem, right, problem.truth) and moves(problem, used, value, with_leaves=True)


def moves(problem: Problem, used: Earlier, value: Value, *, with_leaves: bool = False) -> bool:
    """Whether an answer changes when the numbers it follows from do a little, and those of the question if asked.

    Each number moves by another share, for a quotient of two that move alike stays.
    """
    graph = problem.graph
    for step in (NUDGE, -NUDGE):
        moved = graph.nudged(step) if with_leaves else graph
        numbers = {
            quantity: (other.over(moved), replace(typed, value=typed.value * (1 + step * (1 + n / 7))))
            for n, (quantity, (other, typed)) in enumerate(used.items())
            if other.graph is graph
        }
        moved_value = recomputed(problem.over(moved), numbers)
        if moved_value is None or np.shape(moved_value) != np.shape(value) or not is_still(moved_value, value):
            return moved_value is not None
    return False


def is_still(value: Value, other: Value) -> bool:
    """Whether two values are the same, but for the last digits of floats."""
    if isinstance(value, float) and isinstance(other, float):  # most are; numpy takes ten times as long
        return bool(value == other or abs(value - other) <= STILL * abs(other) < np.inf)
    off = np.abs(np.subtract(value, other))
    return bool((np.equal(value, other) | ((off <= STILL * np.abs(other)) & np.isfinite(other))).all())
