"""Variance, standard deviation, quantiles and differences."""

from __future__ import annotations

import math
import warnings
from functools import partial
from typing import Any

import numpy as np

from gradcli.engine.carrier import Carrier
from gradcli.engine.checks.shapes import dimension
from gradcli.engine.primitive import Primitive, structured
from gradcli.engine.tensor import Tensor
from gradcli.errors import AutogradError, ShapeError
from gradcli.ops import formulas as entries
from gradcli.ops.indexing.gathering import gather
from gradcli.ops.indexing.indexing import cut
from gradcli.ops.pointwise.arithmetic import sub
from gradcli.ops.pointwise.comparisons import equal, exactly_one
from gradcli.ops.pointwise.selection import guard_edge, where
from gradcli.ops.pointwise.ternary import lerp_tensor
from gradcli.ops.reducing.reductions import mean, mean_dim
from gradcli.ops.reducing.sorting import apply_sort
from gradcli.ops.shaping.shaping import (
    Axes,
    align_reduced,
    axes,
    clone,
    count,
    dims_from_front,
    flatten,
    in_rows,
    movedim,
    reshape,
)
from gradcli.ops.support.arguments import Dims, Operand, Real, as_tensor
from gradcli.ops.support.surface import operation, register, with_parameters_of

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
    g = align_reduced(g, x.shape, dim, keepdim)
    freedom = count(x.shape, dim) - correction
    if freedom <= 0 and (dim is None or not x.shape):
        return g * where(equal(x, mean(x)), math.nan, math.inf)
    return 2 * g * _centred(x, dim) / freedom


def _std_rule(
    g: Carrier, out: Carrier, x: Carrier, *, dim: Axes = None, correction: float = 1, keepdim: bool = False
) -> Any:
    g, out = align_reduced(g, x.shape, dim, keepdim), align_reduced(out, x.shape, dim, keepdim)
    return guard_edge(equal(out, 0), 0, g * _centred(x, dim) / out) / (count(x.shape, dim) - correction)


var = structured(
    "var",
    in_rows(_var),
    _var_rule,
    says="Each entry gets twice its distance from the mean, over n - correction.",
    index=partial(entries.spread_out, is_root=False),
    stacked=("dim",),
)
std = structured(
    "std",
    in_rows(
        lambda x, *, dim=None, correction=1, keepdim=False: np.sqrt(_wide_var(x, dim, correction, keepdim)).astype(
            x.dtype
        )
    ),
    _std_rule,
    kinks=lambda x, **options: np.equal(_var(x, **options), 0),
    convention="the gradient of std at equal values is 0",
    says="Each entry gets its distance from the mean, over the deviation times (n - correction).",
    index=partial(entries.spread_out, is_root=True),
    stacked=("dim",),
)


def _arguments(
    dim: Dims | bool | None = None, unbiased: bool = True, keepdim: bool = False, *, correction: float | None = None
) -> None:
    """Take the arguments in torch's three forms: `var(x, False)`, `var(x, 0, False)` and `var(x, correction=0)`."""


def _declare(name: str, summary: str, of: Primitive, *examples: str, **facts: Any) -> None:
    @with_parameters_of(_arguments, input="Real")
    def function(x: Any, dim: Any, unbiased: bool, keepdim: bool, *, correction: float | None) -> Any:
        if isinstance(dim, bool):
            dim, unbiased = None, dim
        correction = int(unbiased) if correction is None else correction
        along = dims_from_front(dim, x.ndim)
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
    traits=("nonnegative", "reducing"),
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
    traits=("nonnegative", "reducing"),
)


@operation("x = [1, 4, 9]; diff(x)", "x = [[1, 4, 9], [2, 3, 5]]; diff(x, n=2, dim=1)")
def diff(input: Tensor, n: int = 1, dim: int = -1) -> Any:
    """Each entry less the one before it, along a dimension; `n` times over."""
    ShapeError.when(not input.ndim, "diff expects input to be at least one-dimensional")
    AutogradError.when(n < 0, f"order must be non-negative but got {n}")
    axis, x = dimension(dim, input.ndim), clone(input) if not n else input
    for _ in range(min(n, input.shape[axis])):
        length = x.shape[axis]
        later, earlier = cut(x, dim=axis, start=1, stop=length), cut(x, dim=axis, start=0, stop=max(length - 1, 0))
        x = exactly_one(later, earlier) if x.dtype == np.bool_ else sub(later, earlier)
    return x


@operation(
    "x = [4, 1, 9, 3]; quantile(x, 0.4)",
    "x = [[4, 1, 9], [2, 3, 5]]; quantile(x, [0.25, 0.75], dim=1)",
    "x = [[4, 1, 9], [2, 3, 5]]; quantile(x, 0.3, dim=0, keepdim=True)",
    integers_stay=True,
)
def quantile(input: Real, q: Operand, dim: int | None = None, keepdim: bool = False) -> Any:
    """The values below which the share `q` of the entries lies, of all entries or along a dimension."""
    shares = as_tensor(q).value
    AutogradError.when(not input.value.size, "quantile() input tensor must be non-empty")
    AutogradError.when(
        np.ndim(shares) > 1, f"quantile() q must be a scalar or 1D tensor, but got a {np.ndim(shares)}D tensor"
    )
    AutogradError.when(not np.all((shares >= 0) & (shares <= 1)), "quantile() q must be in the range [0, 1]")
    over_all = dim is None or not input.ndim
    x: Any = flatten(input) if over_all else input
    axis = 0 if dim is None else dimension(dim, x.ndim)
    rows = apply_sort(x, axis).values
    last = rows.shape[axis] - 1
    missing = np.isnan(rows.value).any(axis, keepdims=True)  # a nan is sorted last
    ranks = np.where(missing, last, np.expand_dims(np.atleast_1d(shares) * last, tuple(range(1, x.ndim - axis))))
    below, above = (Tensor(ends.astype(np.int64)) for ends in (np.floor(ranks), np.ceil(ranks)))
    weights = Tensor((ranks - below.value).astype(x.dtype))
    result = lerp_tensor(gather(rows, below, dim=axis), gather(rows, above, dim=axis), weights)
    kept = (1,) * (keepdim * input.ndim) if over_all else (*x.shape[:axis], *(1,) * keepdim, *x.shape[axis + 1 :])
    return reshape(movedim(result, axis, 0), shape=(*shares.shape, *kept))
