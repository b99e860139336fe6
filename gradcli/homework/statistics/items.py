"""Each quantity as an item of a test: how hard it is, whether it tells students apart, and its commonest wrong values.

The discrimination is the point-biserial correlation of an answer with the points of all other answers. It leaves the
answer itself out of the total: else a few answers correlate with their own sum (S. Henrysson, "Correction of
item-total correlations in item analysis", Psychometrika 28, 1963). Of an answer with a share of its points, the same
formula is Pearson's correlation.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import field
from itertools import combinations, pairwise
from math import log2
from typing import Any

import numpy as np

from gradcli.facts import dataclass
from gradcli.homework.assignment.assignments import Assignment
from gradcli.homework.model import Diagnosis, Marked, Result, added
from gradcli.homework.submission.numerals import ENOUGH, read_numeral

WRONG = frozenset(("wrong", "shape"))
LONGEST = 80  # characters of an answer that tell it from others

Place = tuple[str, str]  # question and quantity, as the assignment writes them


def asked(assignment: Assignment) -> dict[Place, float]:
    """Return the points of every quantity that is asked for, in the order of the assignment."""
    return {(question.id, ask.written): ask.points for question in assignment.questions for ask in question.asks}


def wrong_answers(result: Result) -> Iterator[tuple[Marked, str]]:
    """Yield the wrong answers of a submission, each with the form that all ways of typing it share."""
    for answer in result.answers:
        if answer.verdict in WRONG and answer.given is not None:
            yield answer, form(answer.read_as or answer.given)


def form(text: str) -> str:
    """Return the form of an answer: a number to three digits, any other text without spaces and in small letters."""
    text = text[: 2 * LONGEST]
    typed = read_numeral(text)
    if typed is None:
        return "".join(text.split()).casefold()[:LONGEST]
    return f"{float(typed.value) + 0.0:.{ENOUGH}g}"


COMMONEST = 3  # wrong values of a quantity
FEWEST = 3  # students of whom a correlation says anything


@dataclass(frozen=True, slots=True)
class WrongValue:
    """One wrong value: as most students typed it, how many did, and the diagnosis that most of them got, if any did."""

    text: str
    count: int
    diagnosis: Diagnosis | None


@dataclass(frozen=True, slots=True)
class Item:
    """One quantity: the submissions in which it could be answered, how many left it out, the mean share of its points.

    `discrimination` is None where all have the same points, or too few handed in.
    """

    question: str
    quantity: str
    n: int
    missing: int
    p: float
    discrimination: float | None
    wrong: tuple[WrongValue, ...]


@dataclass(slots=True)
class _Value:
    texts: Counter[str] = field(default_factory=Counter)
    places: Counter[tuple[str, str]] = field(default_factory=Counter)  # code and node of the first diagnosis, or none
    diagnoses: dict[tuple[str, str], Diagnosis] = field(default_factory=dict)

    def add(self, answer: Marked) -> None:
        assert answer.given is not None
        self.texts[answer.given] += 1
        first = answer.diagnoses[0] if answer.diagnoses else None
        place = ("", "") if first is None else (first.code, first.node)
        self.places[place] += 1
        if first is not None:
            self.diagnoses.setdefault(place, first)


@dataclass(slots=True)
class _Tally:
    points: array[float] = field(default_factory=lambda: array("d"))
    missing: int = 0
    values: dict[str, _Value] = field(default_factory=dict)


class Items:
    """The items of an assignment, counted result by result; of a student only the points are kept."""

    def __init__(self, assignment: Assignment) -> None:
        self.max_points = asked(assignment)
        self.totals = array("d")
        self.tallies: dict[Place, _Tally] = {place: _Tally() for place in self.max_points}

    def add(self, result: Result) -> None:
        """Count one submission; one that could not be read, or was not handed in, says nothing about questions."""
        if result.unreadable or not result.is_counted:
            return
        points = dict.fromkeys(self.tallies, 0.0)
        answered = set()
        for answer in result.answers:
            place = (answer.question, answer.quantity)
            if place in points:
                points[place] = answer.points
                if answer.verdict != "missing":
                    answered.add(place)
        self.totals.append(added(points.values()))
        for place, tally in self.tallies.items():
            tally.points.append(points[place])
            tally.missing += place not in answered
        for answer, form in wrong_answers(result):
            if (answer.question, answer.quantity) in points:
                values = self.tallies[answer.question, answer.quantity].values
                values.setdefault(form, _Value()).add(answer)

    @property
    def items(self) -> list[Item]:
        """The items, in the order of the assignment."""
        totals = np.array(self.totals)
        return [self._item(place, tally, totals) for place, tally in self.tallies.items()]

    def _item(self, place: Place, tally: _Tally, totals: Any) -> Item:
        points, most = np.array(tally.points), self.max_points[place]
        p = float(np.mean(points)) / most if most and points.size else 0.0
        commonest = sorted(tally.values.items(), key=lambda pair: (-pair[1].texts.total(), pair[0]))[:COMMONEST]
        wrong = tuple(
            WrongValue(value.texts.most_common(1)[0][0], value.texts.total(),
                       value.diagnoses.get(value.places.most_common(1)[0][0]))
            for _, value in commonest
        )  # fmt: skip
        return Item(*place, points.size, tally.missing, p, correlation(points, totals - points), wrong)


def correlation(item: Any, rest: Any) -> float | None:
    """Return Pearson's correlation; None where one of the two does not vary."""
    x, y = (np.asarray(values) - np.mean(values) if len(values) else np.zeros(0) for values in (item, rest))
    size = float(np.sqrt(np.sum(x * x) * np.sum(y * y)))
    if len(item) < FEWEST or size < 1e-12:
        return None
    return float(np.clip(np.sum(x * y) / size, -1.0, 1.0))


# Pairs of students who share wrong values that no known mistake explains: where to look, and never a verdict.
#
# A value that k of n students gave weighs log2(n/k), the bits that it takes to say it; the weights of a pair add up.
# Where many share a value, all their pairs would be too many: students are put in an order in which those with the same
# values stand together, and each is paired with the next one. Where sheets differ, a wrong value that is right on the
# sheet of another student is shared with that student.
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
        answers: dict[Value, str] = {}
        for answer, form in wrong_answers(result):
            if answer.elsewhere or not answer.diagnoses:
                value = (answer.question, answer.quantity, form)
                answers[value] = answer.given or ""
                self.owners[value] = tuple(dict.fromkeys((*self.owners.get(value, ()), *answer.elsewhere)))
        for value in answers:
            self.holders.setdefault(value, []).append(len(self.students))
        self.students.append(result.student)
        self.values.append(answers)

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
        signatures = [sorted(ranks[value] for value in answers if value in ranks) for answers in self.values]
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
