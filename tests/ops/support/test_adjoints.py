"""Operations that formulas print take whatever a user gives them, or refuse it."""

from __future__ import annotations

from contextlib import suppress

import pytest

import gradcli
from gradcli.errors import GradcliError
from gradcli.ops.support.surface import OPERATIONS

PRINTED = [name for name in OPERATIONS if "backward" in name]


@pytest.mark.parametrize("name", PRINTED)
@pytest.mark.parametrize("arguments", ["-7, x, dim=1", "[x, x], 2, dim=0", "x, [1, 2]", "2, [x, x], shape=(2, 2)"])
def test_numbers_and_lists_are_read_or_refused(name: str, arguments: str) -> None:
    with suppress(GradcliError):
        gradcli.explain(f"sum({name}({arguments}))", x=[[2.0, -3.0], [-1.0, 5.0]])
