"""The tasks in HIPS autograd."""

from __future__ import annotations

from functools import partial
from types import SimpleNamespace
from typing import Any

import autograd.numpy as np
from autograd import make_vjp

from tests.benchmarks import tasks
from tests.benchmarks.tasks import ELEMENTWISE, Sizes, Step

functions: Any = SimpleNamespace(
    relu=lambda x: x * (x > 0),  # its maximum and its where would make double precision of single
    sigmoid=lambda x: 1 / (1 + np.exp(-x)),
    tanh=np.tanh,
    exp=np.exp,
)


def pulled_back(function: Any, arguments: list[Any], upstream: Any) -> Step:
    positions = tuple(range(len(arguments)))

    def step() -> Any:
        pull, _ = make_vjp(function, positions)(*arguments)
        return pull(upstream)

    return step


def elementwise(name: str, sizes: Sizes) -> Step:
    ones = np.ones(sizes.entries, np.float32)
    return pulled_back(partial(ELEMENTWISE[name], functions), tasks.operands(name, sizes), ones)


def network(sizes: Sizes) -> Step:
    x, labels, weights = tasks.network(sizes)
    rows = np.arange(len(labels))

    def loss(w1: Any, b1: Any, w2: Any, b2: Any) -> Any:
        scores = np.dot(functions.relu(np.dot(x, w1.T) + b1), w2.T) + b2
        shifted = scores - np.max(scores, axis=1, keepdims=True)
        return -np.mean((shifted - np.log(np.sum(np.exp(shifted), axis=1, keepdims=True)))[rows, labels])

    return pulled_back(loss, weights, np.float32(1))


def chain(sizes: Sizes) -> Step:
    def multiply_adds(x: Any, w: Any, b: Any) -> Any:
        leaves = iter((x, w, b))
        return tasks.chain(lambda _: next(leaves), sizes.operations // SHARES["chain"])[1]

    return pulled_back(multiply_adds, [1.0, 0.9999, 0.001], 1.0)


SHARES = {"chain": 10}
MAKERS: dict[str, tasks.Maker] = {
    "chain": chain,
    "network": network,
    **{name: partial(elementwise, name) for name in ELEMENTWISE},
}
