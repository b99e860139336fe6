"""The numbers of a sheet that can bear on an answer, whatever they are; the others need not be carried on."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import chain

from gradcli.homework.assignment.quantities import Quantity
from gradcli.homework.solve.problem import Problem
from gradcli.homework.submission.numerals import Typed

Earlier = Mapping[Quantity, tuple[Problem, Typed]]  # answers, with the problems that they are about


def bearing(problem: Problem, earlier: Earlier) -> dict[Quantity, tuple[Problem, Typed]]:
    """Return the earlier answers that can have a part in another one."""
    return {quantity: one for quantity, one in earlier.items() if bears(problem, one[0])}


def bears(problem: Problem, other: Problem) -> bool:
    """Whether one quantity can have a part in another; found once for both, by the edges of their graph."""
    if other.graph is not problem.graph:
        return False
    key = ("bears", problem.kind, problem.by, other.kind, other.of, other.by, other.stop)
    return problem.once(key, lambda: is_behind(problem, other))


def is_behind(problem: Problem, other: Problem) -> bool:
    if other.kind == "value":
        read = frozenset({problem.by}) if problem.kind == "value" else problem.part().read
        own = frozenset((other.by, *problem.graph.twins.get(other.by, ())))
        return not read.isdisjoint(own) or bool(problem.graph.order.between(own, read))
    if problem.kind == "value":
        return False
    return any(one.by in problem.above for one in (other, *(above for above, _ in other.sums())))


def choices(own: Earlier, spare: Iterable[Collection[Quantity]]) -> Iterator[tuple[Quantity, ...]]:
    """Yield the sets of own numbers that a student may have gone on with, the latest number first in each."""
    everything, seen = list(own)[::-1], set[tuple[Quantity, ...]]([()])
    for some in chain([()], spare if len(own) > 1 else ()):  # the groups are found only where they are needed
        chosen = tuple(quantity for quantity in everything if quantity not in some)
        if chosen not in seen:
            seen.add(chosen)
            yield chosen
