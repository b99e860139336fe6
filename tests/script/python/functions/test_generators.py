"""Functions with yield, generator expressions, comprehensions and iterators."""

from __future__ import annotations

from tests.script.python.agreement import check, programs


@programs("generators")
def test_generators_are_those_of_python(program: str) -> None:
    check(program)
