"""Distributions of real numbers."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from gradcli.engine.modes import set_grad_enabled
from gradcli.engine.tensor import Tensor
from gradcli.script.machine import running
from gradcli.script.torch.distributions import constraints
from gradcli.script.torch.distributions.constraints import Constraint
from gradcli.script.torch.distributions.distribution import (
    Distribution,
    as_type,
    do,
    expanded,
    standard_normal,
    together,
)
from gradcli.script.torch.random.sampling import normal


class Located(Distribution):
    """A distribution with a place and a width."""

    loc: Any
    scale: Any
    has_rsample = True

    def __init__(self, loc: Any, scale: Any, validate_args: bool | None = None) -> None:
        loc, scale = together(loc, scale)
        super().__init__(loc.shape, (), validate_args, loc=loc, scale=scale)

    @property
    def arg_constraints(self) -> dict[str, Constraint]:
        return {"loc": constraints.REAL, "scale": constraints.POSITIVE}

    @property
    def support(self) -> Constraint:
        return constraints.REAL

    @property
    def mean(self) -> Any:
        return self.loc

    @property
    def mode(self) -> Any:
        return self.loc


class Normal(Located):
    __module__ = "torch.distributions.normal"

    @property
    def stddev(self) -> Any:
        return self.scale

    @property
    def variance(self) -> Any:
        return do("pow", self.scale, 2)

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


class Laplace(Located):
    __module__ = "torch.distributions.laplace"

    @property
    def stddev(self) -> Any:
        return 2**0.5 * self.scale

    @property
    def variance(self) -> Any:
        return 2 * do("pow", self.scale, 2)

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
    has_rsample = True

    def __init__(self, low: Any, high: Any, validate_args: bool | None = None) -> None:
        low, high = together(low, high)
        super().__init__(low.shape, (), validate_args, low=low, high=high)

    @property
    def arg_constraints(self) -> dict[str, Constraint]:
        return {"low": constraints.below(self.high), "high": constraints.above(self.low)}

    @property
    def support(self) -> Constraint:
        return constraints.interval(self.low, self.high)

    @property
    def mean(self) -> Any:
        return (self.high + self.low) / 2

    @property
    def stddev(self) -> Any:
        return (self.high - self.low) / 12**0.5

    @property
    def variance(self) -> Any:
        return do("pow", self.high - self.low, 2) / 12

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
    has_rsample = True

    def __init__(self, rate: Any, validate_args: bool | None = None) -> None:
        (rate,) = together(rate)
        super().__init__(rate.shape, (), validate_args, rate=rate)

    @property
    def arg_constraints(self) -> dict[str, Constraint]:
        return {"rate": constraints.POSITIVE}

    @property
    def support(self) -> Constraint:
        return constraints.NOT_NEGATIVE

    @property
    def mean(self) -> Any:
        return do("reciprocal", self.rate)

    @property
    def stddev(self) -> Any:
        return do("reciprocal", self.rate)

    @property
    def variance(self) -> Any:
        return do("pow", self.rate, -2)

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
