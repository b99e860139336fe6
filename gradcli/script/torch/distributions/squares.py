"""Distributions of squares of normal numbers, and of quotients by their roots: chi-squared, Student's t."""

from __future__ import annotations

import math
from operator import attrgetter
from typing import Any

from gradcli.engine.tensor import Tensor
from gradcli.script.torch.distributions import constraints
from gradcli.script.torch.distributions.distribution import Distribution, do, expanded, standard_normal
from gradcli.script.torch.distributions.positive import Gamma, gamma_variates


class Chi2(Gamma):
    __module__ = "torch.distributions.chi2"
    arg_constraints = property(lambda self: {"df": constraints.POSITIVE})
    df = property(lambda self: self.concentration * 2)

    def __init__(self, df: Any, validate_args: bool | None = None) -> None:
        super().__init__(0.5 * df, 0.5, validate_args)

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        return type(self)(expanded(self.df, tuple(batch_shape)), self._checked)


class StudentT(Distribution):
    __module__ = "torch.distributions.studentT"
    df: Any
    loc: Any
    scale: Any
    arg_constraints = property(
        lambda self: {"df": constraints.POSITIVE, "loc": constraints.REAL, "scale": constraints.POSITIVE}
    )
    support = constraints.REAL
    mode = property(attrgetter("loc"))
    has_rsample = True

    def __init__(self, df: Any, loc: Any = 0.0, scale: Any = 1.0, validate_args: bool | None = None) -> None:
        self._broadcast(validate_args, df=df, loc=loc, scale=scale)

    @property
    def mean(self) -> Any:
        return do("masked_fill", do("clone", self.loc), do("le", self.df, 1), math.nan)

    @property
    def variance(self) -> Any:
        spread = do("pow", self.scale, 2) * self.df / (self.df - 2)
        infinite = do("masked_fill", spread, do("le", self.df, 2), math.inf)
        return do("masked_fill", infinite, do("le", self.df, 1), math.nan)

    def rsample(self, sample_shape: Any = ()) -> Any:
        shape = self._shape(sample_shape)
        normals = standard_normal(shape, self.df.dtype)
        squares = Tensor(gamma_variates(self, self.df * 0.5, shape, self.df.dtype)[()]) / 0.5
        return self.loc + self.scale * (normals * do("rsqrt", squares / self.df))

    def log_prob(self, value: Any) -> Any:
        self._check(value)
        y, df = (value - self.loc) / self.scale, self.df
        gammas = do("lgamma", 0.5 * df) - do("lgamma", 0.5 * (df + 1.0))
        size = do("log", self.scale) + 0.5 * do("log", df) + 0.5 * math.log(math.pi)
        return -0.5 * (df + 1.0) * do("log1p", y**2.0 / df) - (size + gammas)

    def entropy(self) -> Any:
        half, more = 0.5 * self.df, 0.5 * (self.df + 1)
        gammas = do("lgamma", half) + math.lgamma(0.5) - do("lgamma", more)
        slope = 0.5 * (self.df + 1) * (do("digamma", more) - do("digamma", half))
        return do("log", self.scale) + slope + 0.5 * do("log", self.df) + gammas
