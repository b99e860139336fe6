"""A parameter that an update takes the name from is told of, and nothing else is."""

from __future__ import annotations

import pytest

from gradcli.script.interpreter import run
from gradcli.script.limits import Limits
from gradcli.script.machine import Machine
from gradcli.source import Source

START = "import torch\nw = torch.tensor(2.0, requires_grad=True)\n(w * w).backward()\n"
TOLD = {
    "w = w - 0.1 * w.grad": "the new w is a result of the graph",
    "w = 0.1 + w": "the new w is a result of the graph",
    "with torch.no_grad():\n    w = w - 0.1 * w.grad": "the new w does not require grad",
}
UNTOLD = [
    "with torch.no_grad():\n    w -= 0.1 * w.grad",
    "w.data = w - 0.1 * w.grad",
    "v = w - 0.1 * w.grad",
]


def notes(text: str) -> list[tuple[str, int]]:
    found: list[tuple[str, int]] = []

    def hear(kind: str, message: str, source: Source, line: int) -> None:
        if kind == "Note":
            found.append((message, line))

    run([Source(text, "snippet.py")], Machine(Limits(), lambda text: None, hear))
    return found


@pytest.mark.parametrize("text", TOLD)
def test_a_rebound_parameter_is_told_of_once(text: str) -> None:
    ((message, line),) = notes(START + text)
    assert TOLD[text] in message
    assert "write w -= ... inside torch.no_grad()" in message
    assert "w = " in (START + text).splitlines()[line - 1]


@pytest.mark.parametrize("text", UNTOLD)
def test_other_assignments_are_not_told_of(text: str) -> None:
    assert notes(START + text) == []
