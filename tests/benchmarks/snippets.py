"""Snippets: a training loop and a convolution against torch, and what a statement costs."""

from __future__ import annotations

import statistics
import time
from importlib.util import find_spec

from tests.script.running import ours, torchs

REPEATS = 5
STATEMENTS = 300_000

LOOP = """
import torch
from torch import nn
torch.manual_seed(0)
x = torch.rand(32, 2)
y = x[:, :1] * x[:, 1:]
net = nn.Sequential(nn.Linear(2, 16), nn.Tanh(), nn.Linear(16, 1))
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
criterion = nn.MSELoss()
for step in range(1000):
    optimizer.zero_grad()
    loss = criterion(net(x), y)
    loss.backward()
    optimizer.step()
"""
CONVOLUTION = """
import torch
import torch.nn.functional as F
x = torch.randn(8, 3, 50, 100, requires_grad=True)
w = torch.randn(16, 3, 3, 3, requires_grad=True)
for step in range(20):
    F.conv2d(x, w).sum().backward()
"""
COUNTING = f"i = 0\nwhile i < {STATEMENTS}:\n    i = i + 1\n"


def snippets() -> list[tuple[str, str, str]]:
    """Rows of the loop, the convolution and the statement."""
    rows = []
    for name, text, bound in (("1,000 training steps, 2-16-1", LOOP, 2), ("20 x conv2d 8x3x50x100", CONVOLUTION, 6)):
        ours(text)
        if not find_spec("torch"):
            rows.append((name, f"{seconds(ours, text):.2f} s", "torch is not installed"))
            continue
        torchs(text)
        pairs = [(seconds(ours, text), seconds(torchs, text)) for _ in range(REPEATS)]
        own, ratio = statistics.median(a for a, _ in pairs), statistics.median(a / b for a, b in pairs)
        rows.append((name, f"{own:.2f} s", f"{ratio:.2f} x torch (bound {bound})"))
    each = seconds(ours, COUNTING) / STATEMENTS
    rows.append(("a statement of a snippet", f"{each * 1e6:.2f} us", "bound 3 us"))
    return rows


def seconds(run: object, text: str) -> float:
    """The time of one run, in this process."""
    assert callable(run)
    start = time.perf_counter()
    run(text)
    return time.perf_counter() - start
