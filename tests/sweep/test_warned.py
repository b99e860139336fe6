"""What torch warns of: the same words here, each time or once in a run as there."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from gradcli.script.interpreter import run
from gradcli.script.limits import Limits
from gradcli.script.machine import Machine
from gradcli.source import Source

pytest.importorskip("torch")

LINES = [
    line
    for line in (Path(__file__).parent / "warned.txt").read_text(encoding="utf-8").splitlines()
    if not line.startswith("#")
]
EACH = """
import torch, warnings
from torch.utils.checkpoint import checkpoint
def heard(f):
    A = torch.tensor([[4.0, 1, 2], [0, 3, 1], [1, 0, 5]])
    x, v, u = torch.arange(24.0).reshape(2, 3, 4), torch.tensor([1.0, 2, 3]), torch.tensor([1, 0], dtype=torch.uint8)
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        try:
            f(A, x, v, u)
        except (RuntimeError, TypeError) as error:
            print(type(error).__name__)
    for one in found:
        print(one.category.__name__, str(one.message).split(" (Triggered")[0])
"""


def script(once: bool) -> str:
    """Print what is heard of each line, with a line of its own above it."""
    lines = [EACH, f"torch.set_warn_always({not once})"]
    for line in LINES:
        lines += [f"print('##', {line!r})", *[f"heard(lambda A, x, v, u: {line})"] * (1 + once)]
    return "\n".join([*lines, ""])


def printed_here(text: str) -> str:
    parts: list[str] = []
    run([Source(text, "snippet.py")], Machine(Limits(), parts.append))
    return "".join(parts)


@pytest.mark.slow
@pytest.mark.parametrize("once", [False, True])
def test_the_same_warnings_are_given(once: bool) -> None:
    """Some are given once in a run, others each time, and those given once each time where torch is asked for it."""
    theirs = subprocess.run([sys.executable, "-c", script(once)], capture_output=True, text=True, check=True).stdout
    ours = printed_here(script(once))
    assert ours.split("## ") == theirs.split("## ")
