"""Variance and standard deviation."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np

from gradcli.engine.carrier import Carrier
from gradcli.engine.primitive import Primitive, primitive
from gradcli.ops import formulas as entries
from gradcli.ops.pointwise.comparisons import equal
from gradcli.ops.pointwise.selection import guarded, where
from gradcli.ops.reducing.reductions import mean, mean_dim
from gradcli.ops.shaping.axes import Axes, aligned, axes, count, in_rows, wrapped
from gradcli.ops.support.arguments import Dims
from gradcli.ops.support.surface import register, taking

NO_FREEDOM = (
    "{}(): degrees of freedom is <= 0. Correction should be strictly less than the reduction factor (input numel "
    "divided by output numel)."
)


def _freedom(x: Any, dim: Axes, correction: float) -> float:
    """Return the degrees of freedom; never below 0, as in torch, and 0 of no entries."""
    number = count(x.shape, dim)
    return max(number - correction, 0) if number else 0


def _centred(x: Any, dim: Axes) -> Any:
    return x - (mean(x) if len(axes(dim, len(x.shape))) == len(x.shape) else mean_dim(x, dim=dim, keepdim=True))


def _wide_var(x: Any, dim: Axes, correction: float, keepdim: bool) -> Any:
    """Return the variance in double precision, as in torch; the caller rounds it."""
    wide = x.astype(np.float64)
    centred = wide - mean_dim(wide, dim=dim, keepdim=True)
    return np.sum(centred * centred, axis=axes(dim, x.ndim), keepdims=keepdim) / _freedom(x, dim, correction)


def _var(x: Any, *, dim: Axes = None, correction: float = 1, keepdim: bool = False) -> Any:
    return _wide_var(x, dim, correction, keepdim).astype(x.dtype)


def _var_rule(
    g: Carrier, out: Carrier, x: Carrier, *, dim: Axes = None, correction: float = 1, keepdim: bool = False
) -> Any:
    g = aligned(g, x.shape, dim, keepdim)
    freedom = count(x.shape, dim) - correction
    if freedom <= 0 and (dim is None or not x.shape):
        return g * where(equal(x, mean(x)), math.nan, math.inf)
    return 2 * g * _centred(x, dim) / freedom


def _std_rule(
    g: Carrier, out: Carrier, x: Carrier, *, dim: Axes = None, correction: float = 1, keepdim: bool = False
) -> Any:
    g, out = aligned(g, x.shape, dim, keepdim), aligned(out, x.shape, dim, keepdim)
    return guarded(equal(out, 0), 0, g * _centred(x, dim) / out) / (count(x.shape, dim) - correction)


var = primitive(
    "var",
    in_rows(_var),
    _var_rule,
    structured=True,
    says="Each entry gets twice its distance from the mean, over n - correction.",
    index=entries.variance,
)
std = primitive(
    "std",
    in_rows(
        lambda x, *, dim=None, correction=1, keepdim=False: np.sqrt(_wide_var(x, dim, correction, keepdim)).astype(
            x.dtype
        )
    ),
    _std_rule,
    structured=True,
    kinks=lambda x, **options: np.equal(_var(x, **options), 0),
    convention="the gradient of std at equal values is 0",
    says="Each entry gets its distance from the mean, over the deviation times (n - correction).",
    index=entries.deviation,
)


def _arguments(
    dim: Dims | bool | None = None, unbiased: bool = True, keepdim: bool = False, *, correction: float | None = None
) -> None:
    """Take the arguments in torch's three forms: `var(x, False)`, `var(x, 0, False)` and `var(x, correction=0)`."""


def _declare(name: str, summary: str, of: Primitive, *examples: str, **facts: Any) -> None:
    @taking(_arguments, input="Real")
    def function(x: Any, dim: Any, unbiased: bool, keepdim: bool, *, correction: float | None) -> Any:
        if isinstance(dim, bool):
            dim, unbiased = None, dim
        correction = int(unbiased) if correction is None else correction
        along = wrapped(dim, x.ndim)
        if count(x.shape, along) <= correction:
            warnings.warn(NO_FREEDOM.format(name), UserWarning, stacklevel=3)
        return of(x, dim=along, correction=correction, keepdim=keepdim)

    function.__doc__ = summary
    register(name, function, [f"x = [[1, -2, 5], [3, 0.5, 1]]; {example}" for example in examples], **facts)


_declare(
    "var",
    "The variance: squared deviations over `n - correction`; `unbiased=False` is `correction=0`.",
    var,
    "var(x)",
    "var(x, dim=1)",
    "var(x, 1, unbiased=False, keepdim=True)",
    "var(x, correction=2)",
    integers_stay=True,
    kernel="std and var only support floating point and complex dtypes",
)
_declare(
    "std",
    "The standard deviation, the root of the variance.",
    std,
    "std(x)",
    "std(x, dim=1)",
    "std(x, (0, 1), unbiased=False, keepdim=True)",
    "std(x, correction=0)",
    integers_stay=True,
    kernel="std and var only support floating point and complex dtypes",
)
