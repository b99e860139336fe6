"""Devices by name and by number, and what may be put there, against torch."""

from __future__ import annotations

from tests.script.agreement import REFUSED_BY_KIND, agree

PROGRAM = """
import torch
for name in ["cpu", "cpu:0", "cuda", "cuda:100", "mps:0", "other", "CPU", "", "cpu:0:1"]:
    refused(lambda: (repr(torch.device(name)), str(torch.device(name)), torch.device(name).type))
    refused(lambda: torch.device(name).index)
for name in ["cpu", "cuda", "other"]:
    refused(lambda: torch.ones(1, device=name))
    refused(lambda: torch.ones(1).to(name))
    refused(lambda: torch.nn.Linear(1, 1).to(name).bias.dtype)
refused(lambda: torch.ones(1).cuda(0))
print(torch.device(type="cpu", index=0), torch.device(torch.device("cuda:1")))
"""


def test_devices() -> None:
    agree(REFUSED_BY_KIND + PROGRAM)
