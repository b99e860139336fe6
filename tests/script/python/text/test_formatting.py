"""The text of values: print, repr, f-strings, `%` and str.format."""

from __future__ import annotations

from tests.script.python.agreement import check, programs


@programs("formatting")
def test_texts_are_those_of_python(program: str) -> None:
    check(program)
