"""Saturated and dead units are counted."""

from __future__ import annotations

from typing import Any

import pytest

from gradcli.explanation.build import explain
from gradcli.language.parser import parse_program
from gradcli.source import Source


@pytest.mark.parametrize(
    ("program", "x", "told"),
    [
        ("sum(relu(x))", [-1, 2, -3], "2 of 3 units of v1 are dead"),
        ("sum(relu(x))", [[-1, 2, -3], [-1, -2, -4]], "2 of 3 units of v1 are dead in all 2 rows"),
        ("relu(x)", -1, "v1 is dead"),
        ("sum(tanh(x))", [0.1, 9, -9], "2 of 3 units of v1 are saturated"),
        ("sum(sigmoid(x))", [0.1, 1, -9], "1 of 3 units of v1 are saturated"),
        ("sum(relu(x))", [1, 2], ""),
        ("sum(relu(x))", [[-1, 2], [1, -2]], ""),
        ("sum(sigmoid(x))", [2, -3], ""),
    ],
)
def test_idle_units_are_counted(program: str, x: Any, told: str) -> None:
    notes = explain(parse_program(Source(program)), {"x": x}).notes
    found = [note.message for note in notes if note.code in ("saturated", "dead")]
    assert [message.startswith(told) for message in found] == [True] * bool(told)
