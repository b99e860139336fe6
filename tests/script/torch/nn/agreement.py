"""Whether a snippet prints here what it prints in torch."""

from __future__ import annotations

import re

import pytest

from gradcli.script.interpreter import run
from gradcli.script.limits import Limits
from gradcli.script.machine import Machine
from gradcli.source import Source
from tests.script.running import ours, torchs

START = """\
import torch
from torch import nn
import torch.nn.functional as F
torch.manual_seed(0)
x = torch.randn(4, 3, requires_grad=True)
t = torch.randn(4, 3)
y = torch.tensor([0, 2, 1, 1])
rows = torch.randn(2, 3, 8, requires_grad=True)
images = torch.randn(2, 3, 6, 6, requires_grad=True)
"""
NUMBER = re.compile(r"-?\d+\.\d*(?:e[-+]\d+)?")
ADDRESS = re.compile(r" object at 0x[0-9a-f]+")


def printed(text: str) -> str:
    """What the snippet prints here, without the addresses of objects."""
    return ADDRESS.sub("", ours(START + text))


def agree(text: str) -> None:
    """To the letter."""
    assert printed(text) == ADDRESS.sub("", torchs(START + text))


def agree_closely(text: str) -> None:
    """But for the last digits, where sums of many numbers round in another order."""
    here, there = printed(text), ADDRESS.sub("", torchs(START + text))
    numbers, expected = NUMBER.findall(here), NUMBER.findall(there)
    assert NUMBER.sub("#", here).split() == NUMBER.sub("#", there).split()
    assert list(map(float, numbers)) == pytest.approx(list(map(float, expected)), rel=2e-3, abs=2e-4)


def warned(text: str) -> list[str]:
    """The warnings of the snippet."""
    found: list[str] = []
    machine = Machine(Limits(), lambda printed: None, lambda kind, message, source, line: found.append(message))
    run([Source(START + text, "snippet.py")], machine)
    return found


def guarded(text: str) -> str:
    """The snippet, which prints the error that it ends with."""
    inner = text.replace("\n", "\n    ")
    return f"try:\n    {inner}\nexcept Exception as error:\n    print(type(error).__name__)\n"
