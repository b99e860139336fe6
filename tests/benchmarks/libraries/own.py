"""The tasks on gradcli's engine."""

from __future__ import annotations

from functools import partial
from types import SimpleNamespace
from typing import Any

import numpy as np

import gradcli.ops  # installs the operators
from gradcli.engine.tensor import tensor
from gradcli.ops.support.surface import OPERATIONS
from tests.benchmarks import tasks
from tests.benchmarks.tasks import ELEMENTWISE, Sizes, Step
from tests.script.running import ours

gradcli.ops.load()
FUNCTIONS = ("relu", "sigmoid", "tanh", "exp", "linear", "cross_entropy", "conv2d", "sum")
functions: Any = SimpleNamespace(**{name: OPERATIONS[name].function for name in FUNCTIONS})
leaf = partial(tensor, requires_grad=True)


def gradients(leaves: Any, output: Any, upstream: Any = None) -> list[Any]:
    for x in leaves:
        x.grad = None
    output.backward(upstream)
    return [x.grad.value for x in leaves]


def elementwise(name: str, sizes: Sizes) -> Step:
    leaves = [leaf(x) for x in tasks.operands(name, sizes)]
    ones = tensor(np.ones(sizes.entries, np.float32))
    return lambda: gradients(leaves, ELEMENTWISE[name](functions, *leaves), ones)


def network(sizes: Sizes) -> Step:
    x, labels, weights = tasks.network(sizes)
    inputs, targets, leaves = tensor(x), tensor(labels), [leaf(w) for w in weights]

    def step() -> Any:
        hidden = functions.relu(functions.linear(inputs, *leaves[:2]))
        return gradients(leaves, functions.cross_entropy(functions.linear(hidden, *leaves[2:]), targets))

    return step


def convolution(sizes: Sizes) -> Step:
    leaves = [leaf(x) for x in tasks.images(sizes)]
    return lambda: gradients(leaves, functions.sum(functions.conv2d(*leaves)))


def statements(sizes: Sizes) -> Step:
    return lambda: ours(f"i = 0\nwhile i < {sizes.statements}:\n    i = i + 1\n") or []


MAKERS: dict[str, tasks.Maker] = {
    "chain": lambda sizes: lambda: gradients(*tasks.chain(leaf, sizes.operations)),
    "network": network,
    "convolution": convolution,
    "training": lambda sizes: lambda: ours(tasks.LOOP.format(steps=sizes.steps)) or [],
    "statements": statements,
    **{name: partial(elementwise, name) for name in ELEMENTWISE},
}
