"""Quantities as items of a test, counted by hand and by numpy."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from gradcli.homework.model import Marked, Result
from gradcli.homework.statistics.items import Item, Items, correlation, form
from tests.homework.results import ASSIGNMENT, BRANCH, ENDED, unread


def answer(quantity: str, text: str | None, points: float, *, is_known: bool = False) -> Marked:
    verdict = "missing" if text is None else "correct" if points else "wrong"
    return Marked("diamond", quantity, text, np.float64(8), verdict, points, 1.0, "", (BRANCH,) if is_known else ())


def item(quantity: str, *members: Result) -> Item:
    items = Items(ASSIGNMENT)
    for member in members:
        items.add(member)
    return next(one for one in items.items if one.quantity == quantity)


def member(name: str, *answers: Marked) -> Result:
    return Result(f"{name}.txt", name, answers)


CLASS = [
    member("a", answer("s", "4", 1), answer("dq/ds", "8", 1), answer("local ds/dx", "4", 1)),
    member("b", answer("s", "4", 1), answer("dq/ds", "5.0", 0, is_known=True), answer("local ds/dx", "4", 1)),
    member("c", answer("s", "3", 0), answer("dq/ds", "5.00", 0, is_known=True), answer("local ds/dx", "4", 1)),
    member("d", answer("s", "4", 1), answer("dq/ds", "5.0", 0, is_known=True), answer("local ds/dx", "4", 1)),
    member("e", answer("s", "4", 1), answer("dq/ds", "17.3", 0), answer("local ds/dx", "4", 1)),
    member("f", answer("s", None, 0), answer("dq/ds", "8", 1)),
]


def test_an_item() -> None:
    found = item("dq/ds", *CLASS)
    assert (found.question, found.n, found.missing) == ("diamond", 6, 0)
    assert found.p == pytest.approx(2 / 6)
    right, rest = [1, 0, 0, 0, 0, 1], [2, 2, 1, 2, 2, 0]
    assert found.discrimination == pytest.approx(np.corrcoef(right, rest)[0, 1])
    first, second = found.wrong
    assert (first.text, first.count, first.diagnosis) == ("5.0", 3, BRANCH)
    assert (second.text, second.count, second.diagnosis) == ("17.3", 1, None)


def test_the_correlation_is_the_point_biserial() -> None:
    """(M1 - M0)/s * sqrt(p*(1 - p)), with the means of those who have it and of the others."""
    right, rest = np.array([1, 1, 0, 1, 0, 0, 1.0]), np.array([9, 7, 3, 8, 5, 6, 4.0])
    gap = rest[right == 1].mean() - rest[right == 0].mean()
    p = right.mean()
    assert correlation(right, rest) == pytest.approx(gap / rest.std() * np.sqrt(p * (1 - p)))


def test_a_correlation_needs_students_who_differ() -> None:
    assert item("s", *CLASS[:2]).discrimination is None
    assert item("local ds/dx", *CLASS[:5]).discrimination is None
    assert item("s").p == 0


def test_a_submission_that_cannot_be_read_is_not_counted() -> None:
    assert item("dq/ds", *CLASS, unread("g.txt", "g", "it is empty", None)) == item("dq/ds", *CLASS)


def test_answers_to_other_questions_are_not_counted() -> None:
    stray = replace(ENDED, question="nowhere", verdict="wrong")
    assert item("s", *[replace(one, answers=(*one.answers, stray)) for one in CLASS]) == item("s", *CLASS)


@pytest.mark.parametrize(
    ("one", "other"), [("0.320", ".32"), ("-3.28e-1", "-0.328"), ("[1, 2]", "[1,2]"), ("True", "true"), ("-0", "0")]
)
def test_ways_of_typing_are_one_value(one: str, other: str) -> None:
    assert form(one) == form(other)
