"""Assignment and deletion in all their forms."""

from __future__ import annotations

from tests.script.python.agreement import check, programs


@programs("targets")
def test_assignment_is_that_of_python(program: str) -> None:
    check(program)
