"""One expression, evaluated here and in torch."""

from __future__ import annotations

from tests.script.running import ours, torchs

BEFORE = "import torch\nx = torch.tensor([1.0, 2.0, 3.0])\ni = torch.tensor([1, 2, 3])\nm = torch.ones(2, 3)\n"


def compare(expression: str) -> None:
    """What the last part of the expression (between semicolons) is, and the kind of error that it raises."""
    *statements, last = expression.split("; ")
    text = BEFORE + "\n".join([*statements, f"print(repr({last}))"])
    assert without_words(ours(text)) == without_words(torchs(text))


def without_words(printed: str) -> str:
    """Leave the words of an error out: those that lessons show are in the snippets."""
    return ":".join(printed.split(":")[:2]) if printed.startswith("Error:") else printed
