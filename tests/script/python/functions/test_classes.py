"""Classes: inheritance, properties, special methods."""

from __future__ import annotations

import pytest

from tests.script.python.agreement import check, common, programs
from tests.script.running import ours


@programs("classes")
def test_classes_are_those_of_python(program: str) -> None:
    check(program)


@pytest.mark.slow
@programs("classes")
def test_what_is_recorded_changes_nothing(program: str) -> None:
    assert common(ours(program, listen=True)) == common(ours(program))
