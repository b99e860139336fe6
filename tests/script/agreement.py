"""Snippets that print the same here and under Python, with torch where they import it."""

from __future__ import annotations

import pytest

from gradcli.script.limits import Limits
from tests.script.running import ours, torchs

REFUSED = """
def refused(called):
    try:
        print(called())
    except Exception as error:
        print(type(error).__name__, error)
"""
REFUSED_BY_KIND = REFUSED.replace(", error)", ")")  # where no lesson shows torch's words


def agree(program: str) -> None:
    """Both print the same, and something."""
    printed = ours(program)
    assert printed
    assert printed == torchs(program)


def attempted(before: str, expression: str) -> str:
    """Return a program that shows an expression, which may follow statements, or the error that it raises."""
    *statements, last = expression.split("; ")
    shown = last if last.startswith("print(") else f"print(repr({last}))"
    lines = "\n    ".join([*statements, shown])
    return f"{before}try:\n    {lines}\nexcept Exception as error:\n    print(type(error).__name__)\n"


def limited(program: str) -> None:
    """The snippet ends with a limit on steps, sizes or memory, however slow the machine is."""
    printed = ours(program, Limits(steps=200_000, seconds=600.0))
    assert any(
        words in printed
        for words in ("are the limit", "more than 200,000 steps", "a whole number has more than", "MB of memory")
    ), printed


def unreachable(program: str) -> None:
    """The snippet looks for something that no snippet may have."""
    printed = ours(program)
    assert printed.startswith("Error: AttributeError: "), printed
    assert "not supported" in printed or "has no attribute" in printed


def programs(*texts: str) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("program", texts)
