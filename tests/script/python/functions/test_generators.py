"""Functions with yield, generator expressions, comprehensions and iterators."""

from __future__ import annotations

import pytest

from tests.script.python.agreement import check, programs
from tests.script.running import ours


@programs("generators")
def test_generators_are_those_of_python(program: str) -> None:
    check(program)


@pytest.mark.parametrize("line", ["print((yield 1))", "return (yield 1)", "x = (yield 1) + 2", "if (yield 1): pass"])
def test_a_yield_inside_of_an_expression_is_refused(line: str) -> None:
    assert "yield in this place is not supported" in ours(f"def f():\n    {line}\nprint(list(f()))")
