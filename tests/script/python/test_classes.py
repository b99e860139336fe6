"""Classes: inheritance, properties, special methods."""

from __future__ import annotations

from tests.script.python.agreement import check, programs


@programs("classes")
def test_classes_are_those_of_python(program: str) -> None:
    check(program)
