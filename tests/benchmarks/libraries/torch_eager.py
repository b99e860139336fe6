"""The tasks in torch."""

from __future__ import annotations

from functools import partial
from types import SimpleNamespace
from typing import Any

import torch

from tests.benchmarks import tasks
from tests.benchmarks.tasks import ELEMENTWISE, Sizes, Step
from tests.script.running import torchs

functions: Any = SimpleNamespace(relu=torch.relu, sigmoid=torch.sigmoid, tanh=torch.tanh, exp=torch.exp)


def leaf(x: Any) -> Any:
    return torch.tensor(x, requires_grad=True)


def gradients(leaves: Any, output: Any, upstream: Any = None) -> list[Any]:
    for x in leaves:
        x.grad = None
    output.backward(upstream)
    return [x.grad for x in leaves]


def elementwise(name: str, sizes: Sizes) -> Step:
    leaves = [leaf(x) for x in tasks.operands(name, sizes)]
    ones = torch.ones(sizes.entries)
    return lambda: gradients(leaves, ELEMENTWISE[name](functions, *leaves), ones)


def network(sizes: Sizes) -> Step:
    x, labels, weights = tasks.network(sizes)
    inputs, targets, leaves = torch.tensor(x), torch.tensor(labels), [leaf(w) for w in weights]
    linear, loss = torch.nn.functional.linear, torch.nn.functional.cross_entropy

    def step() -> Any:
        hidden = torch.relu(linear(inputs, *leaves[:2]))
        return gradients(leaves, loss(linear(hidden, *leaves[2:]), targets))

    return step


def convolution(sizes: Sizes) -> Step:
    leaves = [leaf(x) for x in tasks.images(sizes)]
    return lambda: gradients(leaves, torch.nn.functional.conv2d(*leaves).sum())


MAKERS: dict[str, tasks.Maker] = {
    "chain": lambda sizes: lambda: gradients(*tasks.chain(leaf, sizes.operations)),
    "network": network,
    "convolution": convolution,
    "training": lambda sizes: lambda: torchs(tasks.LOOP.format(steps=sizes.steps)) or [],
    **{name: partial(elementwise, name) for name in ELEMENTWISE},
}
