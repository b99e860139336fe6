"""Random numbers of rarer distributions, drawn as torch's CPU generator draws them."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from gradcli.engine.modes import mode
from gradcli.engine.tensor import Tensor
from gradcli.errors import AutogradError
from gradcli.ops.support.forgetting import forgotten
from gradcli.script.errors import UnsupportedError
from gradcli.script.python.values.attributes import Facade
from gradcli.script.torch.random.generator import in_memory_order
from gradcli.script.torch.random.sampling import check_kind, check_random, generator_of, written

DOUBLE = np.dtype(np.float64)


def _uniform(source: Any, x: Tensor) -> Any:
    return in_memory_order(x.array, lambda shape: source.uniform(shape, DOUBLE))


def log_normal_(x: Tensor, mean: float = 1, std: float = 2, *, generator: Any = None) -> Tensor:
    """Numbers whose logarithms are normal."""
    check_kind("log_normal", x)
    if not std > 0:
        raise AutogradError(f"log_normal_ expects std > 0.0, but found std={std:g}")
    source = generator_of(generator)

    def draw() -> Any:
        def apart(shape: Any) -> Any:
            return source.normal(shape, DOUBLE, mean, std, apart=True)

        return np.exp(in_memory_order(x.array, apart))

    return written(x, draw, "LogNormalBackward0")


def cauchy_(x: Tensor, median: float = 0, sigma: float = 1, *, generator: Any = None) -> Tensor:
    """Tangents of random angles."""
    check_kind("cauchy", x)
    if not sigma > 0:
        raise AutogradError(f"cauchy_ expects sigma > 0.0, but found sigma={sigma:g}")
    source = generator_of(generator)
    return written(x, lambda: median + sigma * np.tan(math.pi * (_uniform(source, x) - 0.5)), "CauchyBackward0")


def geometric_(x: Tensor, p: float, *, generator: Any = None) -> Tensor:
    """The number of trials until the first success, of probability `p` each."""
    check_kind("geometric", x, "fiu")
    if not 0 < p < 1:
        raise AutogradError(f"geometric_ expects p to be in (0, 1), but got p={p:g}")
    source = generator_of(generator)
    return written(x, lambda: np.ceil(np.log(_uniform(source, x)) / math.log1p(-p)), "GeometricBackward0")


def poisson(input: Tensor, generator: Any = None) -> Tensor:
    """Draw counts of events, of which the entries are the expected numbers."""
    if input.dtype.kind != "f":
        raise NotImplementedError(f"\"poisson_cpu\" not implemented for '{input.dtype.name.capitalize()}'")
    if not (input.value >= 0).all():
        raise AutogradError("invalid Poisson rate, expected rate to be non-negative")
    source = generator_of(generator)
    check_random((input,))
    if mode.examples is not None:
        raise UnsupportedError("torch.poisson inside of vmap is not supported here")
    draw = partial(_one, source)
    found = [_often(rate, draw) if rate >= 10 else _seldom(rate, draw) for rate in input.value.ravel().tolist()]
    return forgotten("PoissonBackward0", np.array(found, input.dtype).reshape(input.shape)[()], input)


def _seldom(rate: float, draw: Callable[[], float]) -> int:
    """Draw by the product of uniform numbers, as long as it stays above `exp(-rate)`."""
    if rate == 0:
        return 0
    least, count, product = math.exp(-rate), 0, draw()
    while product > least:
        count += 1
        product *= draw()
    return count


def _often(rate: float, draw: Callable[[], float]) -> int:
    """Hörmann, The transformed rejection method for generating Poisson random variables (1993), algorithm PTRS."""
    root, log_rate = math.sqrt(rate), math.log(rate)
    b = 0.931 + 2.53 * root
    a = -0.059 + 0.02483 * b
    inverse = 1.1239 + 1.1328 / (b - 3.4)
    quick = 0.9277 - 3.6224 / (b - 2)
    while True:
        u, v = draw() - 0.5, draw()
        edge = 0.5 - abs(u)
        k = math.floor((2 * a / edge + b) * u + rate + 0.43)
        if edge >= 0.07 and v <= quick:
            return k
        if k < 0 or (edge < 0.013 and v > edge):
            continue
        if math.log(v) + math.log(inverse) - math.log(a / edge**2 + b) <= k * log_rate - rate - math.lgamma(k + 1):
            return k


def standard_gamma(concentration: Any, source: Any) -> Any:
    """Draw gamma variates of rate 1, in double precision, for each number that says how many waiting times they add."""
    found = [_gamma(a, source) for a in concentration.ravel().tolist()]
    return np.reshape(np.array(found, DOUBLE), concentration.shape)


def _gamma(a: float, source: Any) -> float:
    """Marsaglia and Tsang, A simple method for generating gamma variables (2000)."""
    if a == 0:
        return 0.0
    scale = 1.0
    if a < 1:
        scale = (1 - _one(source)) ** (1 / a)
        a += 1
    d = a - 1 / 3
    c = 1 / math.sqrt(9 * d)
    while True:
        y = 0.0
        while y <= 0:
            x = float(source.normal((1,), DOUBLE)[0])
            y = 1 + c * x
        v, u, square = y**3, 1 - _one(source), x * x
        if u < 1 - 0.0331 * square * square or math.log(u) < 0.5 * square + d * (1 - v + math.log(v)):
            return scale * d * v


def _one(source: Any) -> float:
    return float(source.uniform((1,), DOUBLE)[0])


class fork_rng(Facade):  # noqa: N801  torch's name
    """Draw in a block without changing the numbers drawn after it."""

    __module__ = "torch.random"

    def __init__(self, *_: Any, **__: Any) -> None:
        self._state: Any = None

    def __enter__(self) -> None:
        self._state = generator_of(None).get_state()

    def __exit__(self, *_: object) -> None:
        generator_of(None).set_state(self._state)
