"""`torch.save` keeps until the end of the snippet what torch writes to a file; `torch.compile` changes no number."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.script.running import ours, torchs

LESSON = """
import os
import torch
from torch import nn

torch.manual_seed(0)
net = nn.Linear(2, 1)
loss = net(torch.ones(2)).sum()
loss.backward()
print(os.path.exists({path!r}))
torch.save({{"epoch": 3, "net": net.state_dict(), "loss": loss}}, {path!r})
with torch.no_grad():
    net.weight.zero_()
found = torch.load({path!r})
print(os.path.exists({path!r}), found["epoch"], found["loss"], found["loss"].is_leaf)
print(net.load_state_dict(found["net"]), net.weight, net.weight.grad)
try:
    torch.load({path!r} + ".old")
except FileNotFoundError as error:
    print(error)

@torch.compile
def double(x):
    return 2 * x

print(torch.compile(net, mode="default") is not None)
"""


@pytest.mark.slow
def test_what_is_saved_is_loaded(tmp_path: Path) -> None:
    text = LESSON.format(path=str(tmp_path / "net.pt"))
    found = ours(text)
    assert list(tmp_path.iterdir()) == []
    assert found == torchs(text)


def test_what_is_saved_ends_with_the_snippet() -> None:
    save, load = "import torch\ntorch.save(1, 'x')\n", "import torch\ntorch.load('x')\n"
    assert ours(save) == ""
    assert ours(load) == "Error: FileNotFoundError: [Errno 2] No such file or directory: 'x'\n"


def test_only_names_of_files_are_taken() -> None:
    assert "anything but a path" in ours("import torch\ntorch.save(1, 5)\n")


def test_compiled_functions_are_the_functions() -> None:
    text = "f = torch.compile(lambda x: x * 2)\ng = torch.compile(fullgraph=True)(f)\nprint(g(torch.ones(2)))"
    assert ours("import torch\n" + text) == "tensor([2., 2.])\n"
