"""Each quantity as an item of a test: how hard it is, whether it tells students apart, and its commonest wrong values.

The discrimination is the point-biserial correlation of an answer with the points of all other answers. It leaves the
answer itself out of the total: else a few answers correlate with their own sum (S. Henrysson, "Correction of
item-total correlations in item analysis", Psychometrika 28, 1963). Of an answer with a share of its points, the same
formula is Pearson's correlation.
"""

from __future__ import annotations

from array import array
from collections import Counter
from dataclasses import field
from typing import Any

import numpy as np

from gradcli.facts import dataclass
from gradcli.homework.assignment.assignments import Assignment
from gradcli.homework.model import Diagnosis, Marked, Result, added
from gradcli.homework.statistics.values import Place, asked, wrong_answers

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
        if result.unreadable or result.is_absent:
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
        wrong = tuple(_wrong(value) for _, value in commonest)
        return Item(*place, points.size, tally.missing, p, correlation(points, totals - points), wrong)


def _wrong(value: _Value) -> WrongValue:
    ((text, _),) = value.texts.most_common(1)
    ((place, _),) = value.places.most_common(1)
    return WrongValue(text, value.texts.total(), value.diagnoses.get(place))


def correlation(item: Any, rest: Any) -> float | None:
    """Return Pearson's correlation; None where one of the two does not vary."""
    x, y = (np.asarray(values) - np.mean(values) if len(values) else np.zeros(0) for values in (item, rest))
    size = float(np.sqrt(np.sum(x * x) * np.sum(y * y)))
    if len(item) < FEWEST or size < 1e-12:
        return None
    return float(np.clip(np.sum(x * y) / size, -1.0, 1.0))
