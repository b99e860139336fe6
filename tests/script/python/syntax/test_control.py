"""Loops, conditions, with and exceptions."""

from __future__ import annotations

from tests.script.python.agreement import check, programs


@programs("control")
def test_control_flow_is_that_of_python(program: str) -> None:
    check(program)


@programs("groups")
def test_groups_of_exceptions_are_shared_out(program: str) -> None:
    check(program)
