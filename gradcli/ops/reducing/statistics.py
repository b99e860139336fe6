"""Variance and standard deviation."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np

from gradcli.engine.broadcast import expand
from gradcli.engine.primitive import primitive
from gradcli.engine.symbolic.notation import Notation, call
from gradcli.engine.tensor import Tensor
from gradcli.language.tree import Index, Number
from gradcli.ops.formulas import reducing as entries
from gradcli.ops.pointwise.comparisons import equal
from gradcli.ops.pointwise.selection import guarded, where
from gradcli.ops.reducing.reductions import mean, mean_dim
from gradcli.ops.shaping.axes import Axes, aligned, axes, count, in_rows, wrapped
from gradcli.ops.support.arguments import Dims, Real
from gradcli.ops.support.sentences import MEAN
from gradcli.ops.support.several import bound
from gradcli.ops.support.surface import operation

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


def _var_rule(g: Any, out: Any, x: Any, *, dim: Axes = None, correction: float = 1, keepdim: bool = False) -> Any:
    return _var_gradient(aligned(g, x.shape, dim, keepdim), x, dim, correction)


def _var_gradient(g: Any, x: Any, dim: Axes, correction: float) -> Any:
    """Return the gradient of a variance."""
    freedom = count(x.shape, dim) - correction
    if freedom <= 0 and (dim is None or not x.shape):
        return g * where(equal(x, mean(x)), math.nan, math.inf)
    return 2 * g * _centred(x, dim) / freedom


def _std_rule(g: Any, out: Any, x: Any, *, dim: Axes = None, correction: float = 1, keepdim: bool = False) -> Any:
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


def _mean_rule(g: Any, out: Any, x: Any, *, dim: Axes = None, correction: float = 1, keepdim: bool = False) -> Any:
    return expand(aligned(g, x.shape, dim, keepdim), size=x.shape) / count(x.shape, dim)


def _mean(x: Any, *, dim: Axes = None, correction: float = 1, keepdim: bool = False) -> Any:
    return mean_dim(x, dim=dim, keepdim=keepdim)


def _part(name: str, part: int) -> Notation:
    """Write one part of the result: `std_mean(x)[0]`."""
    write = call(name, _mean)
    return lambda operands, options: Index(write(operands, options), (Number(part),))


# torch has one node for both results; here each result is an application of its own
std_beside = primitive(
    "std_of_two",
    std.forward,
    _std_rule,
    node="StdMeanBackward0",
    notation=_part("std_mean", 0),
    structured=True,
    kinks=std.kinks,
    convention=std.convention,
    says=std.says,
    index=entries.deviation,
)
var_beside = primitive(
    "var_of_two",
    _var,
    _var_rule,
    node="VarMeanBackward0",
    notation=_part("var_mean", 0),
    structured=True,
    says=var.says,
    index=entries.variance,
)
mean_beside_std, mean_beside_var = (
    primitive(
        f"mean_of_{name}",
        _mean,
        _mean_rule,
        node=f"{name.capitalize()}MeanBackward0",
        number=1,
        notation=_part(f"{name}_mean", 1),
        structured=True,
        says=MEAN,
        index=entries.average,
    )
    for name in ("std", "var")
)


def _options(
    name: str, input: Tensor, dim: Any, unbiased: bool, keepdim: bool, correction: float | None
) -> dict[str, Any]:
    """Read torch's three forms of the arguments: `var(x, False)`, `var(x, 0, False)` and `var(x, 0, correction=0)`."""
    if isinstance(dim, bool):
        dim, unbiased = None, dim
    if correction is None:
        correction = 1 if unbiased else 0
    dim = wrapped(dim, input.ndim)
    if count(input.shape, dim) <= correction:
        warnings.warn(NO_FREEDOM.format(name), UserWarning, stacklevel=3)
    return {"dim": dim, "correction": correction, "keepdim": keepdim}


@operation(
    "x = [[1, -2, 5], [3, 0.5, 1]]; var(x)",
    "x = [[1, -2, 5], [3, 0.5, 1]]; var(x, dim=1)",
    "x = [[1, -2, 5], [3, 0.5, 1]]; var(x, 1, unbiased=False, keepdim=True)",
    "x = [[1, -2, 5], [3, 0.5, 1]]; var(x, correction=2)",
    integers_stay=True,
)
def var_(
    input: Real,
    dim: Dims | bool | None = None,
    unbiased: bool = True,
    keepdim: bool = False,
    *,
    correction: float | None = None,
) -> Any:
    """The variance: squared deviations over `n - correction`; `unbiased=False` is `correction=0`."""
    return var(input, **_options("var", input, dim, unbiased, keepdim, correction))


@operation(
    "x = [[1, -2, 5], [3, 0.5, 1]]; std(x)",
    "x = [[1, -2, 5], [3, 0.5, 1]]; std(x, dim=1)",
    "x = [[1, -2, 5], [3, 0.5, 1]]; std(x, (0, 1), unbiased=False, keepdim=True)",
    "x = [[1, -2, 5], [3, 0.5, 1]]; std(x, correction=0)",
    integers_stay=True,
)
def std_(
    input: Real,
    dim: Dims | bool | None = None,
    unbiased: bool = True,
    keepdim: bool = False,
    *,
    correction: float | None = None,
) -> Any:
    """The standard deviation, the root of the variance."""
    return std(input, **_options("std", input, dim, unbiased, keepdim, correction))


@operation(
    "x = [[1, -2, 5], [3, 0.5, 1]]; std_mean(x)[0]",
    "x = [[1, -2, 5], [3, 0.5, 1]]; std_mean(x, dim=1, keepdim=True)[1]",
)
def std_mean(
    input: Real,
    dim: Dims | bool | None = None,
    unbiased: bool = True,
    keepdim: bool = False,
    *,
    correction: float | None = None,
) -> tuple[Any, Any]:
    """The standard deviation and the mean."""
    options = _options("std_mean", input, dim, unbiased, keepdim, correction)
    return bound((std_beside(input, **options), mean_beside_std(input, **options)))


@operation(
    "x = [[1, -2, 5], [3, 0.5, 1]]; var_mean(x)[1]",
    "x = [[1, -2, 5], [3, 0.5, 1]]; var_mean(x, dim=0, correction=0)[0]",
)
def var_mean(
    input: Real,
    dim: Dims | bool | None = None,
    unbiased: bool = True,
    keepdim: bool = False,
    *,
    correction: float | None = None,
) -> tuple[Any, Any]:
    """The variance and the mean."""
    options = _options("var_mean", input, dim, unbiased, keepdim, correction)
    return bound((var_beside(input, **options), mean_beside_var(input, **options)))
