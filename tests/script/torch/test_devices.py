"""Devices by name and by number, and what may be put there, against torch."""

from __future__ import annotations

from tests.script.agreement import REFUSED_BY_KIND, agree

PROGRAM = """
import torch
names = ["cpu", "cpu:0", "cpu:1", "cpu:-1", "cuda", "cuda:0", "cuda:01", "cuda:2 ", "cuda: 2", "cuda:2.", "cuda:?2",
         "cuda:", "cuda:100", "cpu:0:1", "other", "other:0", "meta", "hip", "mps:0", "CPU", "", " cpu", 0, 1, -1]
for name in names:
    refused(lambda: (repr(torch.device(name)), str(torch.device(name)), torch.device(name).type))
    refused(lambda: torch.device(name).index)
    for index in 0, 3, -1:
        refused(lambda: torch.device(name, index) if isinstance(name, str) else "")
for name in names:
    if not isinstance(name, str) or name.startswith(("cpu", "cuda", "other", "CPU")):
        refused(lambda: torch.ones(1, device=name))
        refused(lambda: torch.ones(1).to(name))
        refused(lambda: torch.nn.Linear(1, 1).to(name).bias.dtype)
refused(lambda: torch.ones(1).cuda(0))
refused(lambda: torch.nn.Linear(1, 1).cuda())
print(torch.device(type="cpu", index=0), torch.device(torch.device("cuda:1")))
"""


def test_devices() -> None:
    agree(REFUSED_BY_KIND + PROGRAM)
