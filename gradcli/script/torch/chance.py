"""Random numbers: new tensors of them, and tensors filled with them in place."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gradcli.engine.in_place import check_in_place
from gradcli.engine.tensor import Tensor
from gradcli.script.machine import running


def generator_of(generator: Any) -> Any:
    """The generator that was given, or that of the run."""
    return running.machine.generator if generator is None else generator


def bernoulli(x: Tensor, p: float | None = None, *, generator: Any = None) -> Tensor:
    """Ones with the probabilities in `x`, or with `p` each."""
    chances = x.value if p is None else p
    if p is None and not ((x.value >= 0) & (x.value <= 1)).all():
        raise RuntimeError(
            "Expected p_in >= 0 && p_in <= 1 to be true, but got false.  (Could this error message be improved?  If so, "
            "please report an enhancement request to PyTorch.)"
        )
    return Tensor(generator_of(generator).bernoulli(chances, x.shape).astype(x.dtype)[()])


def multinomial(x: Tensor, num_samples: int, replacement: bool = False, *, generator: Any = None) -> Tensor:
    """Indices drawn by weight."""
    return Tensor(generator_of(generator).multinomial(x.value, num_samples, replacement))


def filling(draw: str) -> Callable[..., Tensor]:
    """`x.uniform_()`, `x.normal_()`: new numbers in the memory."""

    def fill(x: Tensor, *arguments: Any, generator: Any = None, **keywords: Any) -> Tensor:
        numbers = (given.item() if isinstance(given, Tensor) else given for given in arguments)
        keywords = {PARAMETERS.get(name, name): value for name, value in keywords.items()}
        return written(x, getattr(generator_of(generator), draw)(x.shape, x.dtype, *numbers, **keywords))

    return fill


PARAMETERS = {"from": "low", "to": "high", "lambd": "rate"}  # torch's names for what ours are called


def written(x: Tensor, numbers: Any) -> Tensor:
    """Numbers that know nothing of the old ones, in the memory of `x`."""
    check_in_place(x)
    x.array[...] = numbers
    x.changed()
    return x


def bernoulli_(x: Tensor, p: Any = 0.5, *, generator: Any = None) -> Tensor:
    return written(x, generator_of(generator).bernoulli(p.value if isinstance(p, Tensor) else p, x.shape))


def random_(x: Tensor, low: int = 0, high: int | None = None, *, generator: Any = None) -> Tensor:
    """Whole numbers from `low` up to but not `high`; of one number, up to it."""
    if high is None:
        low, high = 0, low or (2**24 if x.dtype == np.float32 else 2**53 if x.dtype.kind == "f" else 2**63)
    return written(x, generator_of(generator).integers(low, high, x.shape).astype(x.dtype))


METHODS: dict[str, Callable[..., Any]] = {
    "uniform_": filling("uniform"),
    "normal_": filling("normal"),
    "exponential_": filling("exponential"),
    "bernoulli_": bernoulli_,
    "random_": random_,
    "bernoulli": bernoulli,
    "multinomial": multinomial,
}
