"""The builtins, and the methods of Python's own values."""

from __future__ import annotations

from tests.script.python.agreement import check, programs


@programs("builtins")
def test_builtins_are_those_of_python(program: str) -> None:
    check(program)
