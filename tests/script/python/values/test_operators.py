"""Operators, comparisons and truth."""

from __future__ import annotations

from tests.script.python.agreement import check, programs


@programs("operators")
def test_operators_are_those_of_python(program: str) -> None:
    check(program)
