"""Distributions of real numbers."""

from __future__ import annotations

import math
from operator import attrgetter
from typing import Any

import numpy as np

from gradcli.engine.modes import set_grad_enabled
from gradcli.engine.tensor import Tensor
from gradcli.script.machine import running
from gradcli.script.torch.distributions import constraints
from gradcli.script.torch.distributions.distribution import (
    Distribution,
    as_type,
    do,
    expanded,
    standard_normal,
)
from gradcli.script.torch.random.sampling import normal


class LocationScale(Distribution):
    """A distribution with a location and a scale."""

    loc: Any
    scale: Any
    arg_constraints = property(lambda self: {"loc": constraints.REAL, "scale": constraints.POSITIVE})
    support = constraints.REAL
    mean = mode = property(attrgetter("loc"))
    has_rsample = True

    def __init__(self, loc: Any, scale: Any, validate_args: bool | None = None) -> None:
        self._broadcast(validate_args, loc=loc, scale=scale)


class Normal(LocationScale):
    __module__ = "torch.distributions.normal"
    stddev = property(attrgetter("scale"))
    variance = property(lambda self: do("pow", self.scale, 2))

    def sample(self, sample_shape: Any = ()) -> Any:
        shape = self._shape(sample_shape)
        with set_grad_enabled(False):
            return normal(expanded(self.loc, shape), expanded(self.scale, shape))

    def rsample(self, sample_shape: Any = ()) -> Any:
        return self.loc + standard_normal(self._shape(sample_shape), self.loc.dtype) * self.scale

    def log_prob(self, value: Any) -> Any:
        self._check(value)
        variance, log_scale = self.scale**2, do("log", self.scale)
        return -((value - self.loc) ** 2) / (2 * variance) - log_scale - math.log(math.sqrt(2 * math.pi))

    def cdf(self, value: Any) -> Any:
        self._check(value)
        return 0.5 * (1 + do("erf", (value - self.loc) * do("reciprocal", self.scale) / math.sqrt(2)))

    def icdf(self, value: Any) -> Any:
        return self.loc + self.scale * do("erfinv", 2 * value - 1) * math.sqrt(2)

    def entropy(self) -> Any:
        return 0.5 + 0.5 * math.log(2 * math.pi) + do("log", self.scale)


class Laplace(LocationScale):
    __module__ = "torch.distributions.laplace"
    stddev = property(lambda self: 2**0.5 * self.scale)
    variance = property(lambda self: 2 * do("pow", self.scale, 2))

    def rsample(self, sample_shape: Any = ()) -> Any:
        eps = float(np.finfo(self.loc.dtype).eps)
        drawn = running.machine.generator.uniform(self._shape(sample_shape), self.loc.dtype, eps - 1, 1)
        u = Tensor(drawn[()])
        return self.loc - self.scale * do("sign", u) * do("log1p", -do("abs", u))

    def log_prob(self, value: Any) -> Any:
        self._check(value)
        return -do("log", 2 * self.scale) - do("abs", value - self.loc) / self.scale

    def entropy(self) -> Any:
        return 1 + do("log", 2 * self.scale)


class Uniform(Distribution):
    __module__ = "torch.distributions.uniform"
    low: Any
    high: Any
    arg_constraints = property(lambda self: {"low": constraints.below(self.high), "high": constraints.above(self.low)})
    support = property(lambda self: constraints.interval(self.low, self.high))
    mean = property(lambda self: (self.high + self.low) / 2)
    stddev = property(lambda self: (self.high - self.low) / 12**0.5)
    variance = property(lambda self: do("pow", self.high - self.low, 2) / 12)
    mode = property(lambda self: math.nan * self.high)
    has_rsample = True

    def __init__(self, low: Any, high: Any, validate_args: bool | None = None) -> None:
        self._broadcast(validate_args, low=low, high=high)

    def rsample(self, sample_shape: Any = ()) -> Any:
        drawn = running.machine.generator.uniform(self._shape(sample_shape), self.low.dtype)
        return self.low + Tensor(drawn[()]) * (self.high - self.low)

    def log_prob(self, value: Any) -> Any:
        self._check(value)
        inside = (as_type(do(name, x, value), x) for name, x in (("le", self.low), ("gt", self.high)))
        return do("log", do("mul", *inside)) - do("log", self.high - self.low)

    def cdf(self, value: Any) -> Any:
        self._check(value)
        return do("clamp", (value - self.low) / (self.high - self.low), min=0, max=1)

    def icdf(self, value: Any) -> Any:
        return value * (self.high - self.low) + self.low

    def entropy(self) -> Any:
        return do("log", self.high - self.low)


class Exponential(Distribution):
    __module__ = "torch.distributions.exponential"
    rate: Any
    arg_constraints = property(lambda self: {"rate": constraints.POSITIVE})
    support = constraints.NOT_NEGATIVE
    mean = stddev = property(lambda self: do("reciprocal", self.rate))
    variance = property(lambda self: do("pow", self.rate, -2))
    mode = property(lambda self: do("zeros_like", self.rate))
    has_rsample = True

    def __init__(self, rate: Any, validate_args: bool | None = None) -> None:
        self._broadcast(validate_args, rate=rate)

    def rsample(self, sample_shape: Any = ()) -> Any:
        drawn = running.machine.generator.exponential(self._shape(sample_shape), self.rate.dtype)
        return Tensor(drawn[()]) / self.rate

    def log_prob(self, value: Any) -> Any:
        self._check(value)
        return do("log", self.rate) - self.rate * value

    def cdf(self, value: Any) -> Any:
        self._check(value)
        return 1 - do("exp", -self.rate * value)

    def icdf(self, value: Any) -> Any:
        return -do("log1p", -value) / self.rate

    def entropy(self) -> Any:
        return 1.0 - do("log", self.rate)
