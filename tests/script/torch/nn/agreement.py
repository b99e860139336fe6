"""Whether a snippet prints here what it prints in torch."""

from __future__ import annotations

import re

from gradcli.script.interpreter import run
from gradcli.script.limits import Limits
from gradcli.script.machine import Machine
from gradcli.source import Source
from tests.script.printed import Printed
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


def without_addresses(text: str) -> Printed:
    return Printed(re.sub(r" object at 0x[0-9a-f]+", "", text))


def printed(text: str) -> Printed:
    """What the snippet prints here, without the addresses of objects."""
    return without_addresses(ours(START + text))


def agree(text: str) -> None:
    assert printed(text) == without_addresses(torchs(START + text))


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
