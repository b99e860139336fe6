"""Notes of which no other room has the cause."""

from __future__ import annotations

from typing import Any

import pytest

from gradcli.explanation.build import explain
from gradcli.language.parser import parse_program
from gradcli.source import Source

PROGRAMS = {
    "y / (x / x)": True,
    "x * y / x - y": True,
    "x / x + x - x": False,  # 0 without rounding
    "(1 + 1e-9) * x - x": False,  # small, and meant
    "sum([0.3, 3] * (x / x))": True,
    "1 / (x - x) + x / (x - x)": False,  # infinite
    "mean(([1, 2, 4]*x - mean([1, 2, 4]*x))**2)": True,  # in the rule of one operation
    "sum([1, -1]*x)": False,
    "1e-14*x": False,  # small beside the upstream gradient, and meant
}


@pytest.mark.parametrize("text", PROGRAMS)
def test_what_rounding_leaves_of_contributions_that_cancel_is_said(text: str) -> None:
    given = {"x": 0.4, "y": 0.7}
    notes = explain(parse_program(Source(text)), {name: given[name] for name in given if name in text}).notes
    assert ("cancelled" in [note.code for note in notes]) is PROGRAMS[text]


EDGES = {
    "where(x > 0.4, x, 0.4)": True,
    "(0.4 <= x)*x": True,
    "x*(x < 0.4*ones((3,)))": True,
    "where(x > 0.3, x, 0.4)": False,
    "where(y > 0.7, x, y)": True,
    "where(y.detach() > 0.7, x, y)": False,  # the condition is that of a number that stays
    "where(x == 0.4, x, y)": False,  # true at one number alone, which the program asks for
}


@pytest.mark.parametrize("text", EDGES)
def test_a_condition_at_its_edge_is_a_tie(text: str) -> None:
    notes = explain(parse_program(Source(f"sum({text})")), {"x": 0.4, **({"y": 0.7} if "y" in text else {})}).notes
    assert ("tie" in [note.code for note in notes]) is EDGES[text]


NEAR = {
    "maximum(x, y + 0.1)": True,  # 0.3 and 0.30000000000000004
    "amax(stack([x, y + 0.1, y]))": True,
    "where(y + 0.1 > x, x, y)": True,
    "maximum(x, y + 0.1000001)": False,
    "amax(stack([x, y]))": False,
    "relu(x - y - 0.1)": False,
}


@pytest.mark.parametrize("text", NEAR)
def test_a_tie_that_rounding_parts_is_told(text: str) -> None:
    notes = explain(parse_program(Source(text)), {"x": 0.3, "y": 0.2}).notes
    assert ["but for rounding" in note.message for note in notes if note.code == "tie"] == [True] * NEAR[text]


@pytest.mark.parametrize(
    ("text", "at", "message"),
    [
        ("y = 3*x; y - 0.3", {"x": 0.1}, "y and 0.3 are equal but for their last digits"),
        ("d = (a + b)**2 - a**2 - 2*a*b - b**2", {"a": 0.1, "b": 0.7}, "v7 and v8 are equal but for their last digits"),
        ("s = x + 0.2; sum(s - 0.3)", {"x": [0.1, 1.0]}, "in 1 of 2 entries"),
        ("a - b", {"a": 1.0, "b": 1 + 2**-52}, ""),  # both are exact
        ("y = 2*x; y - 2", {"x": 1.0}, ""),
        ("y = 3*x; y - 0.3", {"x": 0.1001}, ""),
    ],
)
def test_what_rounding_leaves_of_a_value_is_told(text: str, at: dict[str, Any], message: str) -> None:
    notes = [note.message for note in explain(parse_program(Source(text)), at).notes if note.code == "rest"]
    assert len(notes) == bool(message)
    assert all(message in note for note in notes)
