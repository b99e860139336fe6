"""Sums, means and products over dimensions, and the variance, standard deviation and norm."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from gradcli.engine.broadcast import expand
from gradcli.engine.notation import call
from gradcli.engine.primitive import Primitive, primitive
from gradcli.engine.saved import TYPE_NAMES
from gradcli.engine.tensor import Tensor, is_floating
from gradcli.errors import AutogradError, EvaluationError
from gradcli.ops.axes import Axes, aligned, axes, count, wrapped
from gradcli.ops.comparisons import equal
from gradcli.ops.elementwise import absolute, sign, zero
from gradcli.ops.extremes import ties
from gradcli.ops.scans import prod_others
from gradcli.ops.selection import guarded, unless, where
from gradcli.ops.shaping import reshape
from gradcli.ops.surface import Dims, Real, operation


def _sum_dim(x: Any, *, dim: Axes = None, keepdim: bool = False) -> Any:
    return np.sum(x, axis=axes(dim, x.ndim), keepdims=keepdim)


def _mean_dim(x: Any, *, dim: Axes = None, keepdim: bool = False) -> Any:
    return _sum_dim(x, dim=dim, keepdim=keepdim) / count(x.shape, dim)


total = primitive(
    "sum", lambda x: np.sum(x), lambda g, out, x: expand(g, size=x.shape), node="SumBackward0", structured=True
)
sum_dim: Primitive = primitive(
    "sum_dim",
    _sum_dim,
    lambda g, out, x, *, dim=None, keepdim=False: expand(aligned(g, x.shape, dim, keepdim), size=x.shape),
    node="SumBackward1",
    structured=True,
    notation=call("sum", _sum_dim),
)
mean = primitive(
    "mean",
    lambda x: np.sum(x) / x.size,
    lambda g, out, x: expand(g, size=x.shape) / math.prod(x.shape),
    node="MeanBackward0",
    structured=True,
)
mean_dim = primitive(
    "mean_dim",
    _mean_dim,
    lambda g, out, x, *, dim=None, keepdim=False: (
        expand(aligned(g, x.shape, dim, keepdim), size=x.shape) / count(x.shape, dim)
    ),
    node="MeanBackward1",
    structured=True,
    notation=call("mean", _mean_dim),
)


def _flat_others(x: Any) -> Any:
    """The product of all other entries, for each entry."""
    return reshape(prod_others(reshape(x, shape=(math.prod(x.shape),)), dim=0), shape=x.shape)


def _prod_rule(g: Any, out: Any, x: Any) -> Any:
    return unless(equal(x, 0), lambda: g * _flat_others(x), lambda: g * out / x)


def _prod_dim(x: Any, *, dim: int, keepdim: bool = False) -> Any:
    return np.prod(x, axis=axes(dim, x.ndim), keepdims=keepdim)


def _prod_dim_rule(g: Any, out: Any, x: Any, *, dim: int, keepdim: bool = False) -> Any:
    if x.shape == ():
        return g
    g, out = aligned(g, x.shape, dim, keepdim), aligned(out, x.shape, dim, keepdim)
    return unless(equal(x, 0), lambda: g * prod_others(x, dim=dim), lambda: g * out / x)


prod = primitive("prod", lambda x: np.prod(x), _prod_rule, node="ProdBackward0", structured=True)
prod_dim = primitive(
    "prod_dim",
    _prod_dim,
    _prod_dim_rule,
    node="ProdBackward1",
    structured=True,
    notation=call("prod", _prod_dim),
)


def _freedom(x: Any, dim: Axes, correction: float) -> float:
    """The degrees of freedom; never below 0, as in torch."""
    return max(count(x.shape, dim) - correction, 0)


def _centred(x: Any, dim: Axes) -> Any:
    return x - (mean(x) if len(axes(dim, len(x.shape))) == len(x.shape) else mean_dim(x, dim=dim, keepdim=True))


def _var(x: Any, *, dim: Axes = None, correction: float = 1, keepdim: bool = False) -> Any:
    centred = x - _mean_dim(x, dim=dim, keepdim=True)
    return _sum_dim(centred * centred, dim=dim, keepdim=keepdim) / _freedom(x, dim, correction)


def _var_rule(g: Any, out: Any, x: Any, *, dim: Axes = None, correction: float = 1, keepdim: bool = False) -> Any:
    return 2 * aligned(g, x.shape, dim, keepdim) * _centred(x, dim) / _freedom(x, dim, correction)


def _std_rule(g: Any, out: Any, x: Any, *, dim: Axes = None, correction: float = 1, keepdim: bool = False) -> Any:
    slope = aligned(guarded(equal(out, 0), 0, g / out), x.shape, dim, keepdim)
    return slope * _centred(x, dim) / _freedom(x, dim, correction)


var = primitive("var", _var, _var_rule, structured=True)
std = primitive(
    "std",
    lambda x, *, dim=None, correction=1, keepdim=False: np.sqrt(
        _var(x, dim=dim, correction=correction, keepdim=keepdim)
    ),
    _std_rule,
    structured=True,
    convention="std of equal values has gradient 0",
)


def _norm(x: Any, *, p: float = 2, dim: Axes = None, keepdim: bool = False) -> Any:
    over: dict[str, Any] = {"axis": axes(dim, x.ndim), "keepdims": keepdim}
    if p == 2:
        return np.sqrt(np.sum(x * x, **over))
    size = np.abs(x)
    if p == 1:
        return np.sum(size, **over)
    if p == 0:
        return np.sum(size != 0, **over, dtype=x.dtype)
    if math.isinf(p):
        return np.max(size, **over, initial=0) if p > 0 else np.min(size, **over, initial=math.inf)
    return np.sum(size**p, **over) ** (1 / p)


def _norm_rule(g: Any, out: Any, x: Any, *, p: float = 2, dim: Axes = None, keepdim: bool = False) -> Any:
    g, out = aligned(g, x.shape, dim, keepdim), aligned(out, x.shape, dim, keepdim)
    if p == 2:
        return guarded(equal(out, 0), 0, g * x / out)
    if p == 1:
        return g * sign(x)
    if p == 0:
        return zero(x)
    if math.isinf(p):
        return where(equal(absolute(x), out), g * sign(x) / ties(absolute(x), out, dim=dim), 0)
    return guarded(equal(x if p < 1 else out, 0), 0, g * sign(x) * absolute(x) ** (p - 1) / out ** (p - 1))


norm = primitive(
    "norm",
    _norm,
    _norm_rule,
    node="LinalgVectorNormBackward0",
    structured=True,
    convention="the norm of zeros has gradient 0",
)


@operation(
    "x = [[1, -2], [3, 0.5]]; sum(x)",
    "x = [[1, -2], [3, 0.5]]; sum(x, dim=0)",
    "x = [[1, -2], [3, 0.5]]; sum(x, dim=-1)",
    "x = [[1, -2], [3, 0.5]]; sum(x, dim=1, keepdim=True)",
    "x = [[[1, -2], [3, 0.5]]]; sum(x, dim=(0, 2))",
)
def sum_(input: Tensor, dim: Dims = None, keepdim: bool = False) -> Any:
    """The sum of all entries, or over dimensions."""
    if dim is None and not keepdim:
        return total(input)
    return sum_dim(input, dim=wrapped(dim, input.ndim), keepdim=keepdim)


@operation(
    "x = [[1, -2], [3, 0.5]]; mean(x)",
    "x = [[1, -2], [3, 0.5]]; mean(x, dim=1)",
    "x = [[1, -2], [3, 0.5]]; mean(x, dim=0, keepdim=True)",
    "x = [[[1, -2], [3, 0.5]]]; mean(x, dim=(1, 2))",
)
def mean_(input: Real, dim: Dims = None, keepdim: bool = False) -> Any:
    """The mean of all entries, or over dimensions."""
    if not is_floating(input.value):
        raise AutogradError(
            "mean(): could not infer output dtype. Input dtype must be either a floating point or complex dtype. "
            f"Got: {TYPE_NAMES[input.dtype]}"
        )
    if dim is None and not keepdim:
        return mean(input)
    return mean_dim(input, dim=wrapped(dim, input.ndim), keepdim=keepdim)


@operation(
    "x = [[1, -2], [3, 0.5]]; prod(x)",
    "x = [[1, 0], [3, 0.5]]; prod(x)",
    "x = [[1, 0], [3, 0.5]]; prod(x, dim=1)",
    "x = [[1, -2], [3, 0.5]]; prod(x, dim=0, keepdim=True)",
)
def prod_(input: Tensor, dim: int | None = None, keepdim: bool = False) -> Any:
    """The product of all entries, or over one dimension."""
    if dim is None:
        return prod(input)
    return prod_dim(input, dim=wrapped(dim, input.ndim), keepdim=keepdim)


def _options(input: Tensor, dim: Any, unbiased: bool, keepdim: bool, correction: float | None) -> dict[str, Any]:
    """Torch's three forms of the arguments: `var(x, False)`, `var(x, 0, False)` and `var(x, 0, correction=0)`."""
    if isinstance(dim, bool):
        dim, unbiased = None, dim
    if correction is None:
        correction = 1 if unbiased else 0
    return {"dim": wrapped(dim, input.ndim), "correction": correction, "keepdim": keepdim}


@operation(
    "x = [[1, -2, 5], [3, 0.5, 1]]; var(x)",
    "x = [[1, -2, 5], [3, 0.5, 1]]; var(x, dim=1)",
    "x = [[1, -2, 5], [3, 0.5, 1]]; var(x, 1, unbiased=False, keepdim=True)",
    "x = [[1, -2, 5], [3, 0.5, 1]]; var(x, correction=2)",
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
    return var(input, **_options(input, dim, unbiased, keepdim, correction))


@operation(
    "x = [[1, -2, 5], [3, 0.5, 1]]; std(x)",
    "x = [[1, -2, 5], [3, 0.5, 1]]; std(x, dim=1)",
    "x = [[1, -2, 5], [3, 0.5, 1]]; std(x, (0, 1), unbiased=False, keepdim=True)",
    "x = [[1, -2, 5], [3, 0.5, 1]]; std(x, correction=0)",
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
    return std(input, **_options(input, dim, unbiased, keepdim, correction))


@operation(
    "x = [[1, -2, 5], [3, 0.5, 1]]; norm(x)",
    "x = [[1, -2, 5], [3, 0.5, 1]]; norm(x, p=1, dim=1)",
    "x = [[1, -2, 5], [3, 0.5, 1]]; norm(x, p=3, dim=(0, 1), keepdim=True)",
    "x = [[1, -2, 5], [3, 0.5, 1]]; norm(x, inf, 0)",
)
def norm_(input: Real, p: Any = "fro", dim: Dims = None, keepdim: bool = False) -> Any:
    """The p-norm of all entries, or over dimensions; 'fro' is p = 2."""
    if p == "fro":
        p = 2
    if not isinstance(p, int | float):
        raise EvaluationError("E204", f"norm() has no p={p!r}", help="p is a number, inf, -inf or 'fro'")
    return norm(input, p=p, dim=wrapped(dim, input.ndim), keepdim=keepdim)


@operation("x = [[1, -2, 5], [3, 0.5, 1]]; vector_norm(x, ord=3, dim=1)", method=False)
def vector_norm(input: Real, ord: float = 2, dim: Dims = None, keepdim: bool = False) -> Any:
    """The p-norm, under its name in `torch.linalg`."""
    return norm(input, p=ord, dim=wrapped(dim, input.ndim), keepdim=keepdim)
