"""One expression, evaluated here and in torch."""

from __future__ import annotations

from tests.script.running import ours, torchs

BEFORE = "import torch\nx = torch.tensor([1.0, 2.0, 3.0])\ni = torch.tensor([1, 2, 3])\nm = torch.ones(2, 3)\n"


def compare(expression: str) -> None:
    """What the last part of the expression (between semicolons) is, and what it raises."""
    *statements, last = expression.split("; ")
    text = BEFORE + "\n".join([*statements, f"print(repr({last}))"])
    assert ours(text) == torchs(text)
