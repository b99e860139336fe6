"""Distributions of positive numbers and of shares of a whole; their samples are not drawn here."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradcli.engine.tensor import Tensor
from gradcli.script.errors import UnsupportedError
from gradcli.script.torch.distributions import constraints
from gradcli.script.torch.distributions.distribution import Distribution, do, together

POSITIVE_VECTOR = constraints.Vector(constraints.POSITIVE)


class Undrawn(Distribution):
    has_rsample = True

    def rsample(self, sample_shape: Any = ()) -> Any:
        raise UnsupportedError(f"samples of {type(self).__name__} are not supported here", help="give numbers")


class Gamma(Undrawn):
    __module__ = "torch.distributions.gamma"
    concentration: Any
    rate: Any
    arg_constraints = property(lambda self: {"concentration": constraints.POSITIVE, "rate": constraints.POSITIVE})
    support = constraints.NOT_NEGATIVE
    mean = property(lambda self: self.concentration / self.rate)
    mode = property(lambda self: do("clamp", (self.concentration - 1) / self.rate, min=0))
    variance = property(lambda self: self.concentration / do("pow", self.rate, 2))

    def __init__(self, concentration: Any, rate: Any, validate_args: bool | None = None) -> None:
        self._broadcast(validate_args, concentration=concentration, rate=rate)

    def log_prob(self, value: Any) -> Any:
        self._check(value)
        shape, rate = self.concentration, self.rate
        return do("xlogy", shape, rate) + do("xlogy", shape - 1, value) - rate * value - do("lgamma", shape)

    def cdf(self, value: Any) -> Any:
        self._check(value)
        return do("igamma", self.concentration, self.rate * value)

    def entropy(self) -> Any:
        shape = self.concentration
        return shape - do("log", self.rate) + do("lgamma", shape) + (1.0 - shape) * do("digamma", shape)


class Dirichlet(Undrawn):
    """Shares of a whole; each concentration draws the shares to its own."""

    __module__ = "torch.distributions.dirichlet"
    concentration: Any
    arg_constraints = property(lambda self: {"concentration": POSITIVE_VECTOR})
    support = constraints.SIMPLEX
    mean = property(lambda self: self.concentration / do("sum", self.concentration, -1, True))

    def __init__(self, concentration: Any, validate_args: bool | None = None) -> None:
        if not concentration.ndim:
            raise ValueError("`concentration` parameter must be at least one-dimensional.")
        *batch, size = concentration.shape
        super().__init__(batch, (size,), validate_args, concentration=concentration)

    @property
    def mode(self) -> Any:
        """The most likely shares; where every concentration is below 1, the whole to the largest of them."""
        beyond = do("clamp", self.concentration - 1, min=0.0)
        found = beyond / do("sum", beyond, -1, True)
        inward = np.asarray((self.concentration.value < 1).all(axis=-1))
        corners = np.eye(found.shape[-1], dtype=found.dtype)[np.argmax(found.value[inward], axis=-1)]
        found[Tensor(inward[()])] = Tensor(corners)
        return found

    @property
    def variance(self) -> Any:
        total = do("sum", self.concentration, -1, True)
        return self.concentration * (total - self.concentration) / (do("pow", total, 2) * (total + 1))

    def log_prob(self, value: Any) -> Any:
        self._check(value)
        each = self.concentration
        weighed = do("sum", do("xlogy", each - 1.0, value), -1)
        return weighed + do("lgamma", do("sum", each, -1)) - do("sum", do("lgamma", each), -1)

    def entropy(self) -> Any:
        each, count = self.concentration, self.concentration.shape[-1]
        total = do("sum", each, -1)
        return (
            do("sum", do("lgamma", each), -1)
            - do("lgamma", total)
            - (count - total) * do("digamma", total)
            - do("sum", (each - 1.0) * do("digamma", each), -1)
        )


class Beta(Undrawn):
    """The first of two shares of a whole."""

    __module__ = "torch.distributions.beta"
    arg_constraints = property(
        lambda self: {"concentration1": constraints.POSITIVE, "concentration0": constraints.POSITIVE}
    )
    support = constraints.UNIT
    concentration1 = property(lambda self: self._shares.concentration[..., 0])
    concentration0 = property(lambda self: self._shares.concentration[..., 1])
    mean = property(lambda self: self.concentration1 / (self.concentration1 + self.concentration0))
    mode = property(lambda self: self._shares.mode[..., 0])

    def __init__(self, concentration1: Any, concentration0: Any, validate_args: bool | None = None) -> None:
        self._shares = Dirichlet(do("stack", together(concentration1, concentration0), -1), validate_args)
        super().__init__(self._shares.batch_shape, (), validate_args)

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        found = super().expand(batch_shape)
        found._shares = self._shares.expand(batch_shape)
        return found

    @property
    def variance(self) -> Any:
        total = self.concentration1 + self.concentration0
        return self.concentration1 * self.concentration0 / (do("pow", total, 2) * (total + 1))

    def log_prob(self, value: Any) -> Any:
        self._check(value)
        return self._shares.log_prob(do("stack", [value, 1.0 - value], -1))

    def entropy(self) -> Any:
        return self._shares.entropy()
