"""The mistakes that give one number: the right one, or the same wrong one, at some values or whatever they are."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable
from dataclasses import replace
from itertools import combinations
from typing import NamedTuple

import numpy as np

from gradcli.facts import dataclass
from gradcli.homework.diagnose.detection import SINGLE, Suspects
from gradcli.homework.diagnose.suspect_index import Suspect
from gradcli.homework.mistakes.catalogue import KIN, LATE, TITLES
from gradcli.homework.mistakes.derivatives.rules import POWER_RULE
from gradcli.homework.mistakes.habits import STALE_GRAD
from gradcli.homework.mistakes.tensors.broadcasting import BROADCAST_UNSUMMED
from gradcli.homework.mistakes.tensors.means import BATCH_N, MEAN_N
from gradcli.homework.model import Value
from gradcli.homework.solve.problem import Problem

SIZED = {MEAN_N.code, BATCH_N.code, BROADCAST_UNSUMMED.code}  # mistakes that depend on the number of entries
FACTORS = {POWER_RULE.code, STALE_GRAD.code}  # mistakes by a factor such as 2
ELSEWHERE = 2  # random points at which a mistake that is no mistake gives the right number too
Owned = Callable[[Problem], Iterable[tuple[Suspect, Value]]]  # the numbers of the mistakes that a teacher has added


def is_sized(pair: tuple[Named, Named]) -> bool:
    """Whether a pair is alike by the number of entries, as 2 and 1/n are for two: no other values help."""
    codes = {pair[0].code, pair[1].code}
    return bool(codes & SIZED) and bool(codes & FACTORS)


class Named(NamedTuple):
    """A mistake, as it is known at other values."""

    code: str
    node: str
    rule: str

    @property
    def is_own(self) -> bool:
        """Whether a teacher has added it."""
        return self.code not in TITLES

    @property
    def title(self) -> str:
        return TITLES.get(self.code, f"compute {self.rule}")

    @property
    def at_node(self) -> str:
        return self.title if self.is_own else f"{self.title} at {self.node}"

    def place(self) -> int:
        """Return its place in the catalogue; a teacher's come first."""
        return -1 if self.is_own else list(TITLES).index(self.code)


@dataclass(frozen=True)
class Coincidences:
    """The mistakes that give the right number, and the pairs of mistakes that give the same wrong one."""

    right: frozenset[Named] = frozenset()
    pairs: frozenset[tuple[Named, Named]] = frozenset()

    def any(self) -> bool:
        return bool(self.right or self.pairs)


def same_numbers(problem: Problem, own_mistakes: Owned, suspects: Suspects | None = None) -> Coincidences:
    """Return the coincidences at the values of a problem; slips of the forward pass are left out."""
    truth = problem.truth
    given = (*(suspects or Suspects(problem)).given(problem, SINGLE), *own_mistakes(problem))
    cases = [(suspect, value) for suspect, value in given if value is not None and np.shape(value) == np.shape(truth)]
    numbers = np.array([value for _, value in cases], np.float64).reshape(len(cases), np.size(truth))
    is_number, is_some = np.all(np.isfinite(numbers), axis=1), np.any(numbers, axis=1)
    is_right = np.all(np.isclose(numbers, np.ravel(truth), rtol=1e-6), axis=1)
    right: set[Named] = set()
    alike: dict[tuple[float, ...], dict[str, Named]] = {}
    for place in np.flatnonzero(is_number & (is_right | is_some)).tolist():
        suspect = cases[place][0]
        part = suspect.parts[0]
        if is_right[place]:
            right.add(named(problem, suspect))
        elif suspect.code not in LATE and part.rank <= 0:
            number = tuple(float(f"{entry:.6g}") for entry in numbers[place])
            alike.setdefault(number, {}).setdefault(KIN.get(suspect.code, suspect.code), named(problem, suspect))
    pairs = (pair for group in alike.values() for pair in combinations(sorted(group.values()), 2))
    return Coincidences(frozenset(right), frozenset(pairs))


def named(problem: Problem, suspect: Suspect) -> Named:
    part = suspect.parts[0]
    return Named(suspect.code, problem.label(part.node), part.rule)


def coincidences(problem: Problem, own_mistakes: Owned) -> Coincidences:
    """Return the coincidences at other values, too: those of mistakes that are one, or are none."""
    generator = random.Random(0)
    right: set[Named] = set()
    pairs: set[tuple[Named, Named]] = set()
    for number in range(ELSEWHERE):
        other = elsewhere(problem, generator)
        if np.all(np.isfinite(other.truth)):
            same = same_numbers(other, own_mistakes)
            right = set(same.right) if number == 0 else right & same.right
            pairs = set(same.pairs) if number == 0 else pairs & same.pairs
    return Coincidences(frozenset(right), frozenset(pairs))


def elsewhere(problem: Problem, generator: random.Random) -> Problem:
    """Return a problem at other values of the leaves, with the earlier passes that are in its `.grad`."""
    graph = problem.graph
    values = {leaf: drawn(graph.vertices[leaf].value, generator) for leaf in graph.leaves}
    named = {graph.label(leaf): value for leaf, value in values.items()}
    earlier = tuple(
        replace(run, graph=run.graph.moved({run.graph.names[n]: v for n, v in named.items() if n in run.graph.names}),
                cache={})
        for run in problem.earlier
    )  # fmt: skip
    before = sum(run.truth for run in earlier) if earlier else None
    if problem.before is not None and not earlier:
        before = problem.before * 0.7
    return replace(problem, graph=graph.moved(values), cache={}, before=before, earlier=earlier)


def drawn(value: Value, generator: random.Random) -> Value:
    """Draw another value of the same shape and sign."""
    factors = [generator.uniform(0.55, 0.95) for _ in range(max(np.size(value), 1))]
    moved = np.reshape(factors, np.shape(value)) * np.where(value == 0, 1.0, value)
    return moved.astype(np.asarray(value).dtype)[()]
