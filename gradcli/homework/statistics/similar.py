"""Pairs of students who share wrong values that no known mistake explains: where to look, and never a verdict.

A value that k of n students gave weighs log2(n/k), the bits that it takes to say it; the weights of a pair add up.
Where many share a value, all their pairs would be too many: students are put in an order in which those with the same
values stand together, and each is paired with the next one. Where sheets differ, a wrong value that is right on the
sheet of another student is shared with that student.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations, pairwise
from math import log2

from gradcli.facts import dataclass
from gradcli.homework.model import Result
from gradcli.homework.statistics.values import wrong_answers

FEW = 8  # students who share a value: each pair of them is looked at
MOST = 500  # pairs that are listed


@dataclass(frozen=True, slots=True)
class Shared:
    """A wrong value that two students share, as one of them typed it, and how many students have it.

    On the sheet of the `owner`, one of the two, it is right; that is "" where it is wrong for both.
    """

    question: str
    quantity: str
    text: str
    students: int
    owner: str = ""


@dataclass(frozen=True, slots=True)
class Pair:
    """Two students, the bits that their shared values weigh, and the values, rare ones first."""

    first: str
    second: str
    weight: float
    shared: tuple[Shared, ...]


Value = tuple[str, str, str]  # question, quantity, form


class Similar:
    """The unexplained wrong values of a class, counted result by result."""

    def __init__(self) -> None:
        self.students: list[str] = []
        self.values: list[dict[Value, str]] = []  # of each student, with the text as it was typed
        self.holders: dict[Value, list[int]] = {}
        self.owners: dict[Value, tuple[str, ...]] = {}  # on whose sheets a value is right

    def add(self, result: Result) -> None:
        """Count one submission."""
        own: dict[Value, str] = {}
        for answer, form in wrong_answers(result):
            if answer.elsewhere or not answer.diagnoses:
                value = (answer.question, answer.quantity, form)
                own[value] = answer.given or ""
                self.owners[value] = tuple(dict.fromkeys((*self.owners.get(value, ()), *answer.elsewhere)))
        for value in own:
            self.holders.setdefault(value, []).append(len(self.students))
        self.students.append(result.student)
        self.values.append(own)

    @property
    def pairs(self) -> list[Pair]:
        """The pairs, those with the rarest values in common first; of very many the first."""
        self._give_to_owners()
        weighed = {pair: self._weight(*pair) for pair in dict.fromkeys(self._candidates())}
        order = sorted(weighed, key=lambda pair: (-weighed[pair], pair))
        return [self._pair(*pair, weighed[pair]) for pair in order[:MOST] if weighed[pair] > 0]

    def _give_to_owners(self) -> None:
        """Count the value that a few students' sheets have for these as well."""
        numbers = {name: number for number, name in enumerate(self.students)}
        for value, owners in self.owners.items():
            for owner in owners if len(owners) <= FEW else ():
                number = numbers.get(owner)
                if number is not None and value not in self.values[number]:
                    self.values[number][value] = self.values[self.holders[value][0]][value]
                    self.holders[value].append(number)

    def _candidates(self) -> Iterator[tuple[int, int]]:
        shared = {value: holders for value, holders in self.holders.items() if len(holders) > 1}
        ranks = {value: rank for rank, value in enumerate(shared)}
        signatures = [sorted(ranks[value] for value in own if value in ranks) for own in self.values]
        for holders in shared.values():
            if len(holders) <= FEW:
                yield from combinations(sorted(holders), 2)
            else:
                neighbours: Sequence[int] = sorted(holders, key=lambda student: (signatures[student], student))
                yield from ((min(pair), max(pair)) for pair in pairwise(neighbours))

    def _both(self, first: int, second: int) -> list[Value]:
        """Return the values that two students share; what is right on the sheets of both is no sign of anything."""
        names = {self.students[first], self.students[second]}
        return [
            value
            for value in self.values[first]
            if value in self.values[second] and not names.issubset(self.owners[value])
        ]

    def _weight(self, first: int, second: int) -> float:
        return sum(log2(len(self.students) / len(self.holders[value])) for value in self._both(first, second))

    def _pair(self, first: int, second: int, weight: float) -> Pair:
        both = sorted(self._both(first, second), key=lambda value: len(self.holders[value]))
        names = (self.students[first], self.students[second])
        shared = []
        for value in both:
            owner = next((name for name in names if name in self.owners[value]), "")
            shared.append(Shared(*value[:2], self.values[first][value], len(self.holders[value]), owner))
        return Pair(*names, weight, tuple(shared))
