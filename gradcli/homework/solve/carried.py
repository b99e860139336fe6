"""An answer that follows from the student's own earlier number: the chain rule goes on with that number."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from gradcli.homework.assignment.quantities import Quantity
from gradcli.homework.model import Value
from gradcli.homework.solve.graph import Change, Edge, sweep
from gradcli.homework.solve.problem import Problem, scaled, slope
from gradcli.homework.submission.numerals import Tolerance, Typed

Earlier = Mapping[Quantity, tuple[Problem, Typed]]  # wrong answers, with the problems that they are about


def follows(problem: Problem, typed: Typed, earlier: Earlier, tolerance: Tolerance) -> Quantity | None:
    """Return the first of the earlier answers from which this one follows, or None.

    Digits of an earlier answer that were used and not written down are allowed for.
    """
    for chosen in choices(earlier):
        used = {quantity: earlier[quantity] for quantity in chosen}
        with np.errstate(all="ignore"):
            value = recomputed(problem, used)
        if value is None or np.shape(value) != np.shape(typed.value) or np.all(tolerance.near(value, problem.truth)):
            continue
        share = sum(unwritten(number) for _, number in used.values())
        wider = np.where(np.asarray(typed.unit) > 0, typed.unit + 2 * share * np.abs(value), 0.0)
        looser = replace(tolerance, rtol=tolerance.rtol + share)
        if np.all(looser.judge(replace(typed, unit=wider), value)[0]):
            return chosen[0]
    return None


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
            changes.update(local_changes(other, typed.value))
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


def local_changes(local: Problem, value: Value) -> dict[Edge, Change]:
    """Return rules that give a student's local derivative: over several steps by its ratio to the right one."""
    first, *others = local.into(local.by)
    if first.vertex == local.of and all(edge.vertex == local.of for edge in others):
        return {first: slope(value), **dict.fromkeys(others, slope(0.0))}
    ratio = np.divide(value, local.truth)
    return {edge: scaled(ratio) for edge in local.into(local.by)} if np.all(np.isfinite(ratio)) else {}
