"""The mistakes that lead to a given number: rules of the graph are changed, and the backward pass runs again.

The numbers do not depend on the answer, so they are computed once for a question and then looked up. Where every value
is one number, all mistakes run side by side in one sweep over arrays.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np

from gradcli.explanation.refusals import FAILURES
from gradcli.homework.mistakes.catalogue import MISTAKES, TITLES
from gradcli.homework.mistakes.declaration import Guess, Slip, Turn
from gradcli.homework.model import Value
from gradcli.homework.solve.graph import Change, Edge, sweep
from gradcli.homework.solve.problem import Problem
from gradcli.homework.submission.numerals import Tolerance, Typed

PAIRS = 20_000  # pairs of slips that are tried at once
SWEEPS = 1500  # the same, where each needs a sweep of its own
ENTRIES = 2**22  # of the numbers that are kept for one quantity
MOST = 12  # diagnoses of one answer
CODES = {code: rank for rank, code in enumerate(TITLES)}
SINGLE, PAIR = 0, 1


@dataclass(frozen=True, slots=True)
class Suspect:
    """One mistake or two that lead to a wrong number."""

    codes: tuple[str, ...]
    parts: tuple[Slip | Guess | Turn, ...]
    kind: str = ""  # the generator of the mistake

    @property
    def code(self) -> str:
        return " + ".join(self.codes)

    @property
    def rank(self) -> tuple[float, ...]:
        """The order of suspects: likely ones first."""
        return (len(self.codes), sum(part.rank for part in self.parts), *(CODES[code] for code in self.codes))


@dataclass
class Shelf:
    """Suspects whose numbers have one shape, and their numbers as one array."""

    suspects: list[Suspect]
    numbers: Any


class Suspects:
    """The suspects for wrong answers about the output of a problem."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.shelves: dict[tuple[int, int], dict[tuple[int, ...], Shelf]] = {}
        self.swept: dict[int, tuple[list[Suspect], Callable[[int], Any]]] = {}

    def matching(self, by: int, typed: Typed, tolerance: Tolerance, level: int) -> list[tuple[Suspect, Value]]:
        """Return the single mistakes, or the pairs, that give the number, with their exact numbers; likely ones first.

        Pairs are not asked about 0: there are always some.
        """
        if level == PAIR and not np.any(typed.value):
            return []
        return matching(self.shelf(by, level), typed, tolerance)

    def shelf(self, by: int, level: int) -> dict[tuple[int, ...], Shelf]:
        if (by, level) not in self.shelves:
            with np.errstate(all="ignore"):
                self.shelves[by, level] = shelved(self.given(self.problem.at(by), level), self.problem.at(by).truth)
        return self.shelves[by, level]

    def given(self, problem: Problem, level: int) -> Iterator[tuple[Suspect, Value]]:
        singles = self.singles(problem)
        if level == SINGLE:
            yield from singles
            return
        yield from ended(problem, singles)
        if problem.kind == "gradient":
            yield from self.slipped(problem, PAIR)

    def singles(self, problem: Problem) -> list[tuple[Suspect, Value]]:
        found = [
            (Suspect((mistake.code,), (guess,), maker.__name__), guess.value)
            for mistake in MISTAKES
            for maker in mistake.guess_makers
            if np.size(problem.truth) <= ENTRIES
            for guess in maker(problem)
        ]
        if problem.kind == "gradient":
            found.extend(self.slipped(problem, SINGLE))
        found.extend(self.turned(problem))
        return found

    def turned(self, problem: Problem) -> Iterator[tuple[Suspect, Value]]:
        """Yield what comes of slips in the forward pass: the value, or the gradients that go on from it."""
        for suspect, values, gradients in self.turns:
            if problem.kind == "value":
                yield suspect, values[problem.by]
            else:
                for totals in gradients:
                    value = totals.get(problem.by)
                    yield suspect, value if problem.before is None or value is None else problem.before + value

    @cached_property
    def turns(self) -> list[tuple[Suspect, list[Value], list[dict[int, Value]]]]:
        """The turns with all values, and with the gradients by the rules that were meant, and those of the new step."""
        problem, found = self.problem, []
        for mistake in MISTAKES:
            for name, turn in (
                (maker.__name__, turn) for maker in mistake.turn_makers for turn in maker(problem.graph)
            ):
                if min(turn.changed) > problem.of:
                    continue
                try:
                    graph = problem.graph.turned(turn.changed)
                except (*FAILURES, TypeError):
                    continue
                gradients = []
                if problem.kind == "gradient":
                    gradients.append(attempt(replace(problem, graph=graph), {}))
                    if turn.is_slip:
                        gradients.append(attempt(problem, {}, graph.values))
                found.append((Suspect((mistake.code,), (turn,), name), graph.values, gradients))
        return found

    def slipped(self, problem: Problem, level: int) -> Iterator[tuple[Suspect, Value]]:
        if level not in self.swept:
            suspects = self.slips if level == SINGLE else list(self.pairs())
            self.swept[level] = suspects, sweeps(self.problem, suspects)
        suspects, values = self.swept[level]
        for suspect, value in zip(suspects, values(problem.by), strict=True):
            yield suspect, value if problem.before is None or value is None else problem.before + value
        if level == SINGLE and problem.earlier:
            yield from self.every_pass(problem)

    def every_pass(self, problem: Problem) -> Iterator[tuple[Suspect, Value]]:
        """Yield what comes of one mistake made in all passes that are in a `.grad`."""
        passes = [list(Suspects(one).alone(one)) for one in problem.earlier]
        own = list(self.alone(replace(problem, before=None)))
        if any(len(one) != len(own) for one in passes):  # not the same steps with other numbers
            return
        for (suspect, value), *others in zip(own, *passes, strict=True):
            if value is not None and all(other.code == suspect.code and x is not None for other, x in others):
                yield suspect, value + sum(x for _, x in others)

    def alone(self, problem: Problem) -> Iterator[tuple[Suspect, Value]]:
        """Yield what comes of slips and turns in one pass."""
        yield from zip(self.slips, sweeps(self.problem, self.slips)(problem.by), strict=True)
        yield from self.turned(problem)

    @cached_property
    def slips(self) -> list[Suspect]:
        return [
            Suspect((mistake.code,), (slip,), maker.__name__)
            for mistake in MISTAKES
            for maker in mistake.slip_makers
            for slip in maker(self.problem)
        ]

    def pairs(self) -> Iterator[Suspect]:
        """Yield pairs of slips that do not touch the same edge, likely ones first."""
        most = PAIRS if self.problem.graph.is_scalar else SWEEPS
        ordered = sorted(self.slips, key=lambda suspect: suspect.parts[0].rank)
        for first, second in combinations(ordered, 2):
            (a,), (b,) = first.parts, second.parts
            assert isinstance(a, Slip)
            assert isinstance(b, Slip)
            if not most:
                return
            if not a.changes.keys() & b.changes.keys():
                most -= 1
                yield pair_of(first, second)


def matching(
    shelves: Mapping[tuple[int, ...], Shelf], typed: Typed, tolerance: Tolerance
) -> list[tuple[Suspect, Value]]:
    """Return the suspects that give a number, with their exact numbers; likely ones first."""
    shelf = shelves.get(np.shape(typed.value))
    if shelf is None:
        return []
    with np.errstate(all="ignore"):
        found = np.flatnonzero(in_precision(tolerance, shelf.numbers, typed).matches(typed, shelf.numbers))
    return sorted(((shelf.suspects[n], shelf.numbers[n]) for n in found), key=by_rank)


def by_rank(found: tuple[Suspect, Value]) -> tuple[float, ...]:
    return found[0].rank


def pair_of(first: Suspect, second: Suspect) -> Suspect:
    """Return two mistakes as one suspect, in the order of the catalogue: `a + b` and `b + a` are one."""
    one, other = sorted((first, second), key=lambda suspect: CODES[suspect.codes[0]])
    return Suspect(one.codes + other.codes, one.parts + other.parts)


def in_precision(tolerance: Tolerance, numbers: Value, typed: Typed) -> Tolerance:
    """Widen the tolerance to single precision, which has seven digits of the largest entry."""
    if numbers.dtype != np.float32:
        return tolerance
    return replace(tolerance, atol=max(tolerance.atol, 1e-5 * float(np.max(np.abs(typed.value), initial=0.0))))


def sweeps(problem: Problem, suspects: Sequence[Suspect]) -> Callable[[int], Any]:
    """Return the gradients after each suspect's slips as a function of the vertex; None where none arrives there."""
    changes = [{e: c for slip in s.parts if isinstance(slip, Slip) for e, c in slip.changes.items()} for s in suspects]
    if not problem.graph.is_scalar or problem.given or problem.own:
        totals = [attempt(problem, change) for change in changes]
        return lambda by: [total.get(by) for total in totals]
    by_edge: dict[Edge, list[tuple[int, Change]]] = {}
    for place, change in enumerate(changes):
        for edge, one in change.items():
            by_edge.setdefault(edge, []).append((place, one))
    merged = {edge: side_by_side(parts) for edge, parts in by_edge.items()}
    seed = np.full(len(suspects), 1.0 if problem.seed is None else problem.seed)
    wide = sweep(problem.graph, problem.of, merged, seed=seed, stop=problem.stop)
    return lambda by: np.broadcast_to(wide[by], seed.shape) if by in wide else [None] * len(suspects)


def attempt(problem: Problem, changes: dict[Edge, Change], values: Sequence[Value] | None = None) -> dict[int, Value]:
    """Run one sweep; empty where the mistake does not fit the shapes."""
    try:
        return problem.swept(changes, values=values)
    except (*FAILURES, TypeError):
        return {}


def side_by_side(parts: Sequence[tuple[int, Change]]) -> Change:
    """Join changes of one edge, each at its own places of arrays that hold all sweeps."""
    grouped: dict[int, tuple[Change, list[int]]] = {}
    for place, change in parts:
        grouped.setdefault(id(change), (change, []))[1].append(place)
    indexed = [(change, np.array(places)) for change, places in grouped.values()]

    def changed(g: Value, contribution: Value) -> Value:
        result = np.array(np.broadcast_to(contribution, g.shape))
        for change, places in indexed:
            result[places] = change(g[places], result[places])
        return result

    return changed


def shelved(numbers: Iterator[tuple[Suspect, Value]], truth: Value) -> dict[tuple[int, ...], Shelf]:
    """Group suspects by the shape of their numbers, without suspects whose number is right to a float's precision."""
    shelves: dict[tuple[int, ...], tuple[list[Suspect], list[Value]]] = {}
    room = ENTRIES
    for suspect, value in numbers:
        if value is None:
            continue
        room -= max(np.size(value), 1)
        if room < 0:
            break
        suspects, values = shelves.setdefault(np.shape(value), ([], []))
        suspects.append(suspect)
        values.append(value)
    found = {shape: Shelf(suspects, np.array(values)) for shape, (suspects, values) in shelves.items()}
    if np.shape(truth) in found:
        shelf = found[np.shape(truth)]
        same = np.isclose(shelf.numbers, truth, rtol=1e-9, atol=1e-12, equal_nan=True)
        other = np.flatnonzero(~same.reshape(len(shelf.suspects), -1).all(axis=1))
        found[np.shape(truth)] = Shelf([shelf.suspects[n] for n in other], shelf.numbers[other])
    return found


def ended(problem: Problem, singles: Sequence[tuple[Suspect, Value]]) -> Iterator[tuple[Suspect, Value]]:
    """Yield each single mistake with an ending of another."""
    for mistake in MISTAKES:
        for ending in mistake.endings:
            last = Guess(problem.by, ending.rule, ending.message, None)
            for suspect, value in singles:
                if value is not None and suspect.codes != (mistake.code,):
                    changed = ending.change(problem, value)
                    if changed is not None:
                        yield pair_of(suspect, Suspect((mistake.code,), (last,))), changed
