"""Functions: parameters, closures, decorators, lambdas."""

from __future__ import annotations

from tests.script.python.agreement import check, programs


@programs("functions")
def test_functions_are_those_of_python(program: str) -> None:
    check(program)
