"""The tasks in jax, operation by operation."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from types import SimpleNamespace
from typing import Any

import jax
import jax.numpy as jnp
from jax import lax

from tests.benchmarks import tasks
from tests.benchmarks.tasks import ELEMENTWISE, Sizes, Step

Compile = Callable[[Any], Any]
functions: Any = SimpleNamespace(relu=jax.nn.relu, sigmoid=jax.nn.sigmoid, tanh=jnp.tanh, exp=jnp.exp)


def as_it_is(function: Any) -> Any:
    return function


def pulled_back(function: Any, arguments: Any, upstream: Any, compile: Compile) -> Step:
    """The value of a function and its gradients; both are asked for, so that no compiler leaves one out."""

    def both(arguments: Any, upstream: Any) -> Any:
        value, pull = jax.vjp(function, *arguments)
        return value, pull(upstream)

    run = compile(both)
    return lambda: jax.block_until_ready(run(arguments, upstream))[1]


def elementwise(name: str, sizes: Sizes, compile: Compile = as_it_is) -> Step:
    arrays = [jnp.array(x) for x in tasks.operands(name, sizes)]
    return pulled_back(partial(ELEMENTWISE[name], functions), arrays, jnp.ones(sizes.entries, jnp.float32), compile)


def network(sizes: Sizes, compile: Compile = as_it_is) -> Step:
    x, labels, weights = tasks.network(sizes)
    inputs, targets = jnp.array(x), jnp.array(labels)

    def loss(w1: Any, b1: Any, w2: Any, b2: Any) -> Any:
        scores = jax.nn.relu(inputs @ w1.T + b1) @ w2.T + b2
        return -jnp.mean(jnp.take_along_axis(jax.nn.log_softmax(scores), targets[:, None], axis=1))

    return pulled_back(loss, [jnp.array(w) for w in weights], jnp.float32(1), compile)


def convolution(sizes: Sizes, compile: Compile = as_it_is) -> Step:
    arrays = [jnp.array(x) for x in tasks.images(sizes)]
    return pulled_back(lambda x, w: lax.conv(x, w, (1, 1), "VALID").sum(), arrays, jnp.float32(1), compile)


def chain(sizes: Sizes) -> Step:
    """A part of it, for each operation takes long."""

    def multiply_adds(x: Any, w: Any, b: Any) -> Any:
        leaves = iter((x, w, b))
        return tasks.chain(lambda _: next(leaves), sizes.operations // SHARES["chain"])[1]

    return pulled_back(multiply_adds, [jnp.float32(x) for x in (1.0, 0.9999, 0.001)], jnp.float32(1), as_it_is)


SHARES = {"chain": 50}  # which part of a task is done, where it is not the whole
MAKERS: dict[str, tasks.Maker] = {
    "chain": chain,
    "network": network,
    "convolution": convolution,
    **{name: partial(elementwise, name) for name in ELEMENTWISE},
}
