"""An answer that follows from the student's own earlier number: the chain rule goes on with that number."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

import numpy as np

from gradcli.homework.assignment.quantities import Quantity
from gradcli.homework.model import Value
from gradcli.homework.solve.graph import Change, Edge, Graph, sweep
from gradcli.homework.solve.problem import Problem, scaled, slope
from gradcli.homework.submission.numerals import Tolerance, Typed

NUDGE = 1e-2  # by which numbers are moved
STILL = 1e-6  # a share by which no answer moves that is the same for every input
Earlier = Mapping[Quantity, tuple[Problem, Typed]]  # wrong answers, with the problems that they are about


def follows(
    problem: Problem, typed: Typed, earlier: Earlier, tolerance: Tolerance, right: Earlier = MappingProxyType({})
) -> Quantity | None:
    """Return the first of the earlier answers from which this one follows, or None.

    Digits of an earlier answer that were used and not written down are allowed for, and `right` are right answers whose
    rounded numbers may have been used beside it. Nothing follows where the earlier answer has left no question: the
    number is 0 then, or the same for every input.
    """
    if is_nothing(typed.value, tolerance):
        return None
    wrong = [{quantity: earlier[quantity] for quantity in chosen} for chosen in choices(earlier)]
    for used in (*wrong, *({**right, **one} for one in wrong if right)):
        with np.errstate(all="ignore"):
            value = recomputed(problem, used)
        if value is None or np.shape(value) != np.shape(typed.value) or np.all(tolerance.near(value, problem.truth)):
            continue
        if not is_close(typed, value, 0.05):
            continue
        off = unwritten_off(problem, used, value)
        wider = np.where(np.asarray(typed.unit) > 0, typed.unit + 2 * off, 0.0)
        looser = replace(tolerance, atol=tolerance.atol + float(np.max(off)))
        if np.all(looser.judge(replace(typed, unit=wider), value)[0]) and is_alive(problem, used, value, tolerance):
            return next(quantity for quantity in used if quantity in earlier)
    return None


def is_close(typed: Typed, value: Value, share: float) -> bool:
    gap = np.max(np.abs(typed.value - value), initial=0.0)
    return bool(gap <= share * np.max(np.abs(value), initial=0.0) + np.max(typed.unit, initial=0.0))


def unwritten_off(problem: Problem, used: Earlier, value: Value) -> Value:
    """Return how far digits of the earlier answers that were used and not written down may lead, entry by entry."""
    off: Value = np.zeros_like(value, float)
    for quantity, (other, typed) in used.items():
        step = np.minimum(np.asarray(typed.unit) / 2, np.abs(typed.value) / 100)
        if np.any(step):
            moved = recomputed(problem, {**used, quantity: (other, replace(typed, value=typed.value + step))})
            if moved is not None and np.shape(moved) == np.shape(value):
                off = off + np.where(np.isfinite(moved), np.abs(moved - value), 0.0)
    return off


def is_nothing(value: Value, tolerance: Tolerance) -> bool:
    return bool(np.all(tolerance.near(np.zeros_like(value, float), value)))


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
    """Whether an answer changes when the numbers it follows from do a little, and those of the question if asked."""
    graph = problem.graph
    for step in (NUDGE, -NUDGE):
        moved = nudged(graph, step) if with_leaves else graph
        numbers = {
            quantity: (replace(other, graph=moved, cache={}), replace(typed, value=typed.value * (1 + step)))
            for quantity, (other, typed) in used.items()
            if other.graph is graph
        }
        found = recomputed(replace(problem, graph=moved, cache={}), numbers)
        if found is None or np.shape(found) != np.shape(value) or not np.allclose(found, value, rtol=STILL, atol=0):
            return found is not None
    return False


def nudged(graph: Graph, step: float) -> Graph:
    """Return the graph at other values of its leaves, each a little further off than the one before."""
    leaves = [index for index, vertex in enumerate(graph.vertices) if vertex.primitive is None]
    numbers = [index for index in leaves if np.asarray(graph.vertices[index].value).dtype.kind == "f"]
    return graph.moved({i: graph.vertices[i].value * (1 + step * (1 + n / 7)) for n, i in enumerate(numbers)})


def unwritten(typed: Typed) -> float:
    """Return the share of a number that may have been rounded away, at most a hundredth."""
    with np.errstate(all="ignore"):
        shares = np.where(typed.value == 0, 0.0, typed.unit / 2 / np.abs(typed.value))
    return min(float(np.max(shares)), 0.01)


def choices(earlier: Earlier) -> Iterator[Sequence[Quantity]]:
    """Yield each earlier answer alone, the latest first, then all together; never one that is 0 or not finite."""
    usable = [q for q, (_, typed) in earlier.items() if np.all(np.isfinite(typed.value)) and np.any(typed.value)]
    yield from ((quantity,) for quantity in reversed(usable))
    if len(usable) > 1:
        yield usable[::-1]


def recomputed(problem: Problem, earlier: Earlier) -> Value | None:
    """Return the answer to the question if the earlier ones were right; None where it does not depend on them."""
    graph = problem.graph
    earlier = {q: (other, typed) for q, (other, typed) in earlier.items() if other.graph is graph}  # not another pass
    forward = {other.by: typed.value for other, typed in earlier.values() if other.kind == "value"}
    values = graph.forward(forward) if forward else None
    if problem.kind == "value":
        return None if values is None else values[problem.by]
    given = {
        other.by: typed.value
        for other, typed in earlier.values()
        if other.kind == "gradient" and not other.stop and other.of == problem.of and other.by != problem.by
    }
    changes: dict[Edge, Change] = {}
    for other, typed in earlier.values():
        if is_partial(other, problem):
            changes.update(local_changes(other, typed.value, values))
    if values is None and not given and not changes:
        return None
    totals = sweep(graph, problem.of, changes, seed=problem.seed, given=given, values=values, stop=problem.stop)
    found = totals.get(problem.by)
    return found if problem.before is None or found is None else problem.before + found


def is_partial(other: Problem, problem: Problem) -> bool:
    """Whether a derivative is one link of the chain to another: a local one, or that of a value on the way alone."""
    if other.kind != "gradient" or problem.stop or other.of == problem.of:
        return bool(other.stop) and not problem.stop and other.kind == "gradient"
    waiting = [edge.vertex for edge in other.into(other.by)]
    seen = {other.of, *waiting}
    while waiting:  # nothing else may come through the edges of that value
        vertex = waiting.pop()
        if vertex == problem.of:
            return False
        above = {edge.vertex for edge in problem.into(vertex)} if vertex != other.of else set()
        waiting.extend(above - seen)
        seen |= above
    return True


def local_changes(local: Problem, value: Value, values: Sequence[Value] | None) -> dict[Edge, Change]:
    """Return rules that give a student's local derivative: over several steps by its ratio to the one at `values`."""
    first, *others = local.into(local.by)
    if first.vertex == local.of and all(edge.vertex == local.of for edge in others):
        return {first: slope(value), **dict.fromkeys(others, slope(0.0))}
    truth = local.truth
    if values is not None:
        truth = sweep(local.graph, local.of, seed=local.seed, values=values, stop=local.stop).get(local.by, truth)
    ratio = np.divide(value, truth)
    return {edge: scaled(ratio) for edge in local.into(local.by)} if np.all(np.isfinite(ratio)) else {}
