"""The table of a loop that trains has its loss, its gradients and its dead units, however long the loop is."""

from __future__ import annotations

import pytest

from gradcli.render.run.snippet_document import snippet_document
from gradcli.render.run.timeline import timeline_page
from gradcli.render.text.looks import Looks
from gradcli.script.loops import MOST, Progress
from tests.commands.running import validator
from tests.script.running import recorded

BATCHES = """import torch
from torch import nn
torch.manual_seed(0)
X = torch.tensor([[1.0, 2.0], [3.0, -1.0], [0.5, 0.5], [-1.0, 2.0]])
y = X.sum(1, keepdim=True)
net = nn.Sequential(nn.Linear(2, 3), nn.ReLU(), nn.Linear(3, 1))
with torch.no_grad():
    net[0].weight[0] = -100.0
    net[0].bias[0] = -1000.0
optimizer = torch.optim.SGD(net.parameters(), lr=0.05)
losses = []
for epoch in range(20):
    for k in (0, 2):
        loss = ((net(X[k : k + 2]) - y[k : k + 2])**2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
"""


@pytest.mark.slow
def test_epochs_of_batches() -> None:
    timeline = recorded(BATCHES)
    (loop,) = timeline.training
    assert (loop.line, loop.by, loop.passes, loop.count) == (16, "epoch", 40, 20)
    assert [epoch.label for epoch in loop.epochs] == [str(n) for n in range(20)]
    assert {epoch.passes for epoch in loop.epochs} == {2}
    assert {(epoch.dead >= 1, epoch.units) for epoch in loop.epochs} == {(True, 3)}
    assert {tuple(name for name, _ in epoch.norms) for epoch in loop.epochs} == {("net.2", "net.0")}
    validator("run").validate(snippet_document("a.py", "", timeline, None))


@pytest.mark.parametrize(
    ("loop", "count"),
    [
        ("for k in range(1):\n    (w * 2).sum().backward()", None),
        ("for k in range(2):\n    (w * k).sum().backward()", 2),
        ("k = 0\nwhile k < 2:\n    (w * 2).sum().backward()\n    k += 1", None),
        ("k = 0\nwhile k < 3:\n    (w * 2).sum().backward()\n    k += 1", 3),
    ],
)
def test_a_table_needs_two_epochs_or_three_passes(loop: str, count: int | None) -> None:
    found = recorded(f"import torch\nw = torch.ones(2, requires_grad=True)\n{loop}\n").training
    assert [one.count for one in found] == [count] * (count is not None)


@pytest.mark.parametrize("count", [1, 2, 12, 13, 999, 1000, 1001, 5000])
def test_long_loops_keep_the_first_the_last_and_some_between(count: int) -> None:
    progress = Progress(None)
    for number in range(count):
        progress.add(None, float(number), {}, 0, 0)
    kept = [epoch.loss or 0 for epoch in progress.epochs]
    assert progress.count == count
    assert kept == sorted(set(kept))
    assert (kept[0], kept[-1]) == (0, count - 1)
    assert min(count, MOST) / 2 <= len(kept) <= min(count, MOST + 2)


def test_the_table_is_short() -> None:
    table = timeline_page(recorded(BATCHES), Looks()).partition("Training, ")[2].partition("Leaves")[0].splitlines()
    assert table[0] == "20 epochs from line 16"
    assert table[1].split() == ["epoch", "mean", "loss", "|net.2.grad|", "|net.0.grad|", "dead", "units"]
    assert [line.split()[0] for line in (table[2], table[13])] == ["0", "19"]
    assert table[14] == "  12 of 20: --all shows more"
