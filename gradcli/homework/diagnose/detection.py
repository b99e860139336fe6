"""The mistakes that lead to a given number: rules of the graph are changed, and the backward pass runs again.

The numbers do not depend on the answer, so they are computed once for a question and then looked up. Where every value
is one number, all mistakes run side by side in one sweep over arrays.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, partial, reduce
from itertools import combinations
from operator import add
from types import MappingProxyType
from typing import Any

import numpy as np

from gradcli.explanation.lines import FAILURES
from gradcli.homework.diagnose.suspect_index import ENTRIES, Shelf, Suspect, crowd, matching, pair_of, shelved
from gradcli.homework.mistakes.catalogue import MISTAKES
from gradcli.homework.mistakes.catalogue import SINGLE as ALONE
from gradcli.homework.mistakes.declaration import WEAK, Guess, Slip, Turn
from gradcli.homework.mistakes.habits import STALE_GRAD, last_pass
from gradcli.homework.model import Value
from gradcli.homework.result_cache import once
from gradcli.homework.solve.graph import Change, Edge, Graph
from gradcli.homework.solve.problem import Problem, sweep
from gradcli.homework.solve.vertices import Vertex
from gradcli.homework.submission.numerals import Tolerance, Typed


def sweeps(problem: Problem, suspects: Sequence[Suspect]) -> Callable[[int], Any]:
    """Return the gradients after each suspect's slips as a function of the vertex; None where none arrives there."""
    slips = [[part for part in suspect.parts if isinstance(part, Slip)] for suspect in suspects]
    changes = [{edge: change for slip in some for edge, change in slip.changes.items()} for some in slips]
    if not problem.graph.is_scalar or not suspects:
        totals = [attempt(problem, some) for some in changes]
        return lambda by: [total.get(by) for total in totals]
    by_edge: dict[Edge, list[tuple[int, Change]]] = {}
    for place, change in enumerate(changes):
        for edge, edge_change in change.items():
            by_edge.setdefault(edge, []).append((place, edge_change))
    for edge, own_change in problem.changes.items():
        by_edge.setdefault(edge, []).extend((p, own_change) for p, change in enumerate(changes) if edge not in change)
    merged = {edge: side_by_side(parts) for edge, parts in by_edge.items()}
    seed = np.full(len(suspects), 1.0 if problem.seed is None else problem.seed)
    given = {vertex: np.full(len(suspects), value) for vertex, value in problem.given.items() if vertex != problem.by}
    wide = sweep(problem.graph, problem.of, merged, seed=seed, given=given, stop=problem.stop)
    return lambda by: np.broadcast_to(wide[by], seed.shape) if by in wide else [None] * len(suspects)


def attempt(
    problem: Problem,
    changes: dict[Edge, Change],
    values: Sequence[Value] | None = None,
    changed: Mapping[int, Vertex] = MappingProxyType({}),
) -> dict[int, Value]:
    """Run one sweep; empty where the mistake does not fit the shapes."""
    try:
        return problem.swept(changes, values=values, changed=changed, only=problem.alone)
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


PAIRS = 20_000  # pairs of slips that are tried at once
SWEEPS = 1500  # the same, where each needs a sweep of its own
NUMBER = re.compile(r"\d+(?:\.\d+)?")
LIKELY = 2  # the rank of a mistake in one of several passes
MOST = 12  # diagnoses of one answer
SINGLE, PAIR = 0, 1

Turned = tuple[Suspect, Sequence[Value], list[dict[int, Value]]]  # a turn, all values, and gradients by several rules


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

    def crowd(self, by: int, typed: Typed) -> float:
        """Return how many mistakes a number would meet by chance."""
        return crowd(self.shelf(by, SINGLE), typed)

    def shelf(self, by: int, level: int) -> dict[tuple[int, ...], Shelf]:
        if (by, level) not in self.shelves:
            problem = self.problem if by == self.problem.by else self.problem.at(by)
            with np.errstate(all="ignore"):
                self.shelves[by, level] = shelved(self.given(problem, level), problem.truth)
        return self.shelves[by, level]

    def given(self, problem: Problem, level: int) -> Iterator[tuple[Suspect, Value]]:
        if level == SINGLE:
            yield from self.singles(problem)
            return
        yield from ended(problem, self.singles(problem))
        if problem.earlier:
            yield from self.last_pass(problem)
        if problem.kind == "gradient":
            yield from self.slipped(problem, PAIR)

    def singles(self, problem: Problem) -> list[tuple[Suspect, Value]]:
        candidates = list(self.guessed(problem))
        if problem.kind == "gradient":
            candidates.extend(self.slipped(problem, SINGLE))
        candidates.extend(self.turned(problem, self.turns))
        return candidates

    def turned(self, problem: Problem, turns: Sequence[Turned]) -> Iterator[tuple[Suspect, Value]]:
        """Yield what comes of slips in the forward pass: the value, or the gradients that go on from it."""
        for suspect, values, gradients in turns:
            if problem.kind == "value":
                yield suspect, values[problem.by]
            else:
                for totals in gradients:
                    value = totals.get(problem.by)
                    yield suspect, value if problem.before is None or value is None else problem.before + value

    @cached_property
    def turns(self) -> list[Turned]:
        return self.run(turns_of(self.problem.graph))

    def run(self, turns: Sequence[tuple[Suspect, Turn]]) -> list[Turned]:
        """Return turns with all values, and with the gradients by the rules that were meant, and by the new step's."""
        problem, runs = self.problem, []
        for suspect, turn in turns:
            if min(turn.changed) > problem.of:
                continue
            values = turned(problem.graph, turn)
            if values is None:
                continue
            gradients = []
            if problem.kind == "gradient":
                gradients.append(attempt(problem, {}, values, turn.changed))
                if turn.is_slip:
                    gradients.append(attempt(problem, {}, values))
            runs.append((suspect, values, gradients))
        return runs

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
        """Yield what comes of one mistake made in all passes that are in a `.grad`, or in an earlier one alone."""
        this_pass = list(self.alone(replace(problem, before=None)))
        passes = [(run.truth, run.once(("by mistake", run.by), partial(by_mistake, run))) for run in problem.earlier]
        for truth, values in passes:
            for suspect, value in values.values():
                (part,) = suspect.parts
                guess = Guess(problem.by, part.rule, part.message, None, part.detail, max(part.rank, LIKELY))
                if value is not None:
                    yield suspect._replace(parts=(guess,)), problem.truth - truth + value
        for suspect, value in this_pass:
            others = [values[key][1] if (key := known(suspect)) in values else truth for truth, values in passes]
            if value is not None and all(other is not None for other in others):
                yield suspect, reduce(add, others, value)

    def last_pass(self, problem: Problem) -> Iterator[tuple[Suspect, Value]]:
        """Yield what comes of one mistake in the last pass, where all that was there before is forgotten, too."""
        for suspect, value in self.alone(replace(problem, before=None)):
            if value is not None and STALE_GRAD.code not in suspect.codes:
                yield pair_of(suspect, Suspect((STALE_GRAD.code,), (last_pass(problem, value),))), value

    def alone(self, problem: Problem) -> Iterator[tuple[Suspect, Value]]:
        """Yield what comes of slips, turns and guesses in one pass."""
        yield from self.guessed(problem)
        yield from zip(self.slips, sweeps(self.problem, self.slips)(problem.by), strict=True)
        yield from self.turned(problem, self.turns)

    def guessed(self, problem: Problem) -> Iterator[tuple[Suspect, Value]]:
        for mistake in MISTAKES if np.size(problem.truth) <= ENTRIES else ():
            for maker in mistake.guess_makers:
                for guess in maker(problem):
                    yield Suspect((mistake.code,), (guess,), maker.__name__), guess.value

    @cached_property
    def slips(self) -> list[Suspect]:
        return [
            Suspect((mistake.code,), (slip,), maker.__name__)
            for mistake in MISTAKES
            for maker in mistake.slip_makers
            for slip in maker(self.problem)
            if self.problem.feels(slip.changes)
        ]

    def pairs(self) -> Iterator[Suspect]:
        """Yield pairs of slips that do not touch the same edge, likely ones first."""
        most = PAIRS if self.problem.graph.is_scalar else SWEEPS
        likely = (suspect for suspect in self.slips if suspect.parts[0].rank < WEAK)
        paired = (suspect for suspect in likely if ALONE.isdisjoint(suspect.codes))
        ordered = sorted(paired, key=lambda suspect: suspect.parts[0].rank)
        for first, second in combinations(ordered, 2):
            (a,), (b,) = first.parts, second.parts
            assert isinstance(a, Slip)
            assert isinstance(b, Slip)
            if not most:
                return
            if not a.changes.keys() & b.changes.keys():
                most -= 1
                yield pair_of(first, second)


def turns_of(graph: Graph) -> list[tuple[Suspect, Turn]]:
    """Return the slips of the forward pass of a graph, which is one for many problems."""

    def made() -> list[tuple[Suspect, Turn]]:
        return [
            (Suspect((mistake.code,), (turn,), maker.__name__), turn)
            for mistake in MISTAKES
            for maker in mistake.turn_makers
            for turn in maker(graph)
        ]

    return once(graph.shared, "turns", made)


def turned(graph: Graph, turn: Turn) -> Sequence[Value] | None:
    """Return the values after a turn; None where it does not fit the shapes."""

    def made() -> Sequence[Value] | None:
        try:
            return graph.forward({index: vertex.value for index, vertex in turn.changed.items()})
        except (*FAILURES, TypeError):
            return None

    return once(graph.shared, id(turn), made)


def known(suspect: Suspect) -> tuple[str, str, str]:
    """Return the key by which a mistake is known in another backward pass, which has other numbers in its formulas."""
    (part,) = suspect.parts
    return suspect.code, NUMBER.sub("", part.rule), NUMBER.sub("", part.message)


def by_mistake(problem: Problem) -> dict[tuple[str, str, str], tuple[Suspect, Value]]:
    """Return the mistakes in a pass with the numbers that come of them, by their keys."""
    return {known(suspect): (suspect, value) for suspect, value in Suspects(problem).alone(problem)}


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
