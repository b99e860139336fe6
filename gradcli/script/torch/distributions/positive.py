"""Distributions of positive numbers and of shares of a whole; no gradient flows through their samples here."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradcli.engine.modes import mode
from gradcli.engine.tensor import Tensor
from gradcli.script.errors import UnsupportedError
from gradcli.script.machine import running
from gradcli.script.torch.distributions import constraints
from gradcli.script.torch.distributions.distribution import Distribution, do, expanded, together
from gradcli.script.torch.random.draws import standard_gamma

POSITIVE_VECTOR = constraints.Vector(constraints.POSITIVE)


def gamma_variates(self: Distribution, concentration: Tensor, shape: tuple[int, ...], dtype: Any) -> Any:
    """Draw gamma variates of rate 1 for the samples of a distribution."""
    if mode.grad_enabled and any(isinstance(x, Tensor) and x.requires_grad for x in vars(self).values()):
        kind = type(self).__name__
        raise UnsupportedError(
            f"the gradient through samples of {kind} is not supported here", help="sample() draws without one"
        )
    return standard_gamma(expanded(concentration, shape).value, running.machine.generator).astype(dtype)


class Gamma(Distribution):
    __module__ = "torch.distributions.gamma"
    concentration: Any
    rate: Any
    arg_constraints = property(lambda self: {"concentration": constraints.POSITIVE, "rate": constraints.POSITIVE})
    support = constraints.NOT_NEGATIVE
    mean = property(lambda self: self.concentration / self.rate)
    mode = property(lambda self: do("clamp", (self.concentration - 1) / self.rate, min=0))
    variance = property(lambda self: self.concentration / do("pow", self.rate, 2))
    has_rsample = True

    def __init__(self, concentration: Any, rate: Any, validate_args: bool | None = None) -> None:
        self._broadcast(validate_args, concentration=concentration, rate=rate)

    def rsample(self, sample_shape: Any = ()) -> Any:
        shape, dtype = self._shape(sample_shape), self.concentration.dtype
        value = Tensor(gamma_variates(self, self.concentration, shape, dtype)[()]) / expanded(self.rate, shape)
        return do("clamp", value, min=float(np.finfo(dtype).tiny))

    def log_prob(self, value: Any) -> Any:
        value = value if isinstance(value, Tensor) else Tensor(np.array(value, self.rate.dtype)[()])
        self._check(value)
        shape, rate = self.concentration, self.rate
        return do("xlogy", shape, rate) + do("xlogy", shape - 1, value) - rate * value - do("lgamma", shape)

    def cdf(self, value: Any) -> Any:
        self._check(value)
        return do("igamma", self.concentration, self.rate * value)

    def entropy(self) -> Any:
        shape = self.concentration
        return shape - do("log", self.rate) + do("lgamma", shape) + (1.0 - shape) * do("digamma", shape)


class Dirichlet(Distribution):
    """Shares of a whole; each concentration draws the shares to its own."""

    __module__ = "torch.distributions.dirichlet"
    concentration: Any
    arg_constraints = property(lambda self: {"concentration": POSITIVE_VECTOR})
    support = constraints.SIMPLEX
    mean = property(lambda self: self.concentration / do("sum", self.concentration, -1, True))
    has_rsample = True

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

    def rsample(self, sample_shape: Any = ()) -> Any:
        parts = gamma_variates(self, self.concentration, self._shape(sample_shape), np.float64)
        return Tensor((parts / parts.sum(-1, keepdims=True)).astype(self.concentration.dtype))

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


class Beta(Distribution):
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
    has_rsample = True

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

    def rsample(self, sample_shape: Any = ()) -> Any:
        return do("select", self._shares.rsample(sample_shape), -1, 0)

    def log_prob(self, value: Any) -> Any:
        self._check(value)
        return self._shares.log_prob(do("stack", [value, 1.0 - value], -1))

    def entropy(self) -> Any:
        return self._shares.entropy()
