"""Pairs of students who share values that nobody else has."""

from __future__ import annotations

from math import log2

import numpy as np
import pytest

from gradcli.homework.model import Marked, Result
from gradcli.homework.statistics.items import MOST, Pair, Similar
from tests.homework.results import BRANCH


def pairs(*members: tuple[str, list[str]], is_known: bool = False) -> list[Pair]:
    """The pairs of students with these wrong answers to the quantities `q0`, `q1`, ..."""
    similar = Similar()
    diagnoses = (BRANCH,) if is_known else ()
    for name, texts in members:
        answers = [
            Marked("a", f"q{n}", text, np.float64(8), "wrong", 0.0, 1.0, "", diagnoses) for n, text in enumerate(texts)
        ]
        similar.add(Result(f"{name}.txt", name, tuple(answers)))
    return similar.pairs


def test_rare_values_weigh_more() -> None:
    members = [("ada", ["17.3", "2"]), ("bob", ["17.30", "2"]), ("cy", ["5", "2"]), ("dan", ["6", "2"])]
    first, *others = pairs(*members)
    assert (first.first, first.second) == ("ada", "bob")
    assert first.weight == pytest.approx(log2(4 / 2) + log2(4 / 4))
    assert [(one.quantity, one.text, one.students) for one in first.shared] == [("q0", "17.3", 2), ("q1", "2", 4)]
    assert others == [], "what all have is no sign of anything"


def test_what_a_mistake_explains_is_not_shared() -> None:
    members = [("ada", ["17.3"]), ("bob", ["17.3"]), ("cy", ["5"])]
    assert len(pairs(*members)) == 1
    assert pairs(*members, is_known=True) == []


def test_a_value_that_is_right_on_the_sheet_of_another_is_shared_with_that_student() -> None:
    similar = Similar()
    for name, text, elsewhere in (
        ("bob", None, ()),
        ("ada", "17.3", ("bob",)),
        ("cy", "5", ("zed",)),
        ("dan", "6", ()),
    ):
        wrong = Marked("a", "q", text, np.float64(8), "wrong", 0.0, 1.0, "", (BRANCH,), elsewhere=elsewhere)
        similar.add(Result("", name, (wrong,) if text else ()))
    (pair,) = similar.pairs
    assert (pair.first, pair.second, pair.weight) == ("bob", "ada", log2(4 / 2))
    assert [(one.text, one.students, one.owner) for one in pair.shared] == [("17.3", 2, "bob")]


def test_a_large_group_is_seen_without_all_its_pairs() -> None:
    """A sheet that a hundred students copied: each of them is in a pair that has all its values."""
    copied = [str(n + 0.5) for n in range(10)]
    others = [(f"s{n}", [f"{n}.{q}7" for q in range(10)]) for n in range(200, 500)]
    found = pairs(*[(f"c{n}", copied) for n in range(100)], *others)
    assert 99 <= len(found) <= MOST
    assert {name for pair in found for name in (pair.first, pair.second)} == {f"c{n}" for n in range(100)}
    assert {len(pair.shared) for pair in found} == {10}
