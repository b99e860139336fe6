"""What every library is given to do, with the same numbers: one step is a forward and a backward pass."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

Step = Callable[[], Any]  # runs once, and returns the gradients
Maker = Callable[["Sizes"], Step]


@dataclass(frozen=True)
class Sizes:
    """How large the tasks are: as the table says, or small for a quick look."""

    entries: int = 10**6
    operations: int = 40_000
    layers: tuple[int, int, int, int] = (256, 784, 256, 10)
    images: tuple[int, int, int, int] = (8, 3, 50, 100)
    steps: int = 1000
    statements: int = 300_000


FULL = Sizes()
QUICK = Sizes(5000, 400, (8, 20, 10, 5), (1, 3, 10, 10), 5, 2000)

# Elementwise expressions, written for a namespace of functions and up to three arrays.
ELEMENTWISE: dict[str, Callable[..., Any]] = {
    "x*y + z": lambda m, x, y, z: x * y + z,
    "relu(x)": lambda m, x: m.relu(x),
    "sigmoid(x)": lambda m, x: m.sigmoid(x),
    "tanh(x)": lambda m, x: m.tanh(x),
    "exp(x)": lambda m, x: m.exp(x),
    "tanh(x*y + z)*x - y": lambda m, x, y, z: m.tanh(x * y + z) * x - y,
}
LOOP = """
import torch
from torch import nn
torch.manual_seed(0)
x = torch.rand(32, 2)
y = x[:, :1] * x[:, 1:]
net = nn.Sequential(nn.Linear(2, 16), nn.Tanh(), nn.Linear(16, 1))
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
criterion = nn.MSELoss()
for step in range({steps}):
    optimizer.zero_grad()
    loss = criterion(net(x), y)
    loss.backward()
    optimizer.step()
"""


def normal(seed: int, *shape: int) -> Any:
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


def operands(name: str, sizes: Sizes) -> list[Any]:
    """The arrays of an elementwise expression."""
    return [normal(seed, sizes.entries) for seed in range(ELEMENTWISE[name].__code__.co_argcount - 1)]


def network(sizes: Sizes) -> tuple[Any, Any, list[Any]]:
    """The inputs, the labels, and the weights and biases of two layers."""
    rows, inputs, hidden, classes = sizes.layers
    labels = np.random.default_rng(0).integers(0, classes, rows)
    first, second = normal(1, hidden, inputs) / inputs**0.5, normal(3, classes, hidden) / hidden**0.5
    weights = [first, normal(2, hidden), second, normal(4, classes)]
    return normal(0, rows, inputs), labels, [w.astype(np.float32) for w in weights]


def images(sizes: Sizes) -> tuple[Any, Any]:
    """A batch of images, and sixteen kernels of 3x3."""
    return normal(0, *sizes.images), normal(1, 16, sizes.images[1], 3, 3)


def chain(leaf: Callable[[float], Any], operations: int) -> Any:
    """A chain of multiply-adds of scalars: the tensors that it starts with, and the one at its end."""
    x, w, b = leaf(1.0), leaf(0.9999), leaf(0.001)
    y = x
    for _ in range(operations // 2):
        y = y * w + b
    return (x, w, b), y
