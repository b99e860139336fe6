"""Sums, means and products, of all entries, over dimensions, or running; products that leave one entry out.

The gradient of a product divides by its entries, which a zero forbids. At a zero `carry` gives the gradient without
dividing; it is its own adjoint, so derivatives of any order work at zeros too.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from gradcli.engine.broadcast import SUM, expand
from gradcli.engine.carrier import Carrier
from gradcli.engine.checks.shapes import behind, dimension
from gradcli.engine.dtypes import TYPE_NAMES
from gradcli.engine.numerics import summation
from gradcli.engine.numerics.precision import SINGLE
from gradcli.engine.primitive import OUT, Primitive, adjoint, structured
from gradcli.engine.symbolic.formula import Formula, call, literal
from gradcli.engine.tensor import Tensor
from gradcli.errors import AutogradError
from gradcli.language.tree import Argument, Call, Expression
from gradcli.ops import formulas as entries
from gradcli.ops.pointwise.comparisons import equal
from gradcli.ops.pointwise.selection import unless
from gradcli.ops.shaping.shaping import Axes, align_reduced, axes, count, dims_from_front, in_rows, reshape
from gradcli.ops.support.arguments import Array, Dims, Dtype, Real, to_dtype
from gradcli.ops.support.surface import MEAN, operation, register_printed


def _carry(g: Array, x: Array, *, dim: int, reverse: bool = False) -> Any:
    """`out[i]` is the sum over k > i of `g[k]` times the product of `x` between i and k; reversed, over k < i."""
    g, x = np.broadcast_arrays(np.moveaxis(g, dim, 0), np.moveaxis(x, dim, 0))
    out = np.zeros_like(g)
    length = len(g)
    order = range(1, length) if reverse else range(length - 2, -1, -1)
    back = -1 if reverse else 1
    for i in order:
        out[i] = g[i + back] + x[i + back] * out[i + back]
    return np.moveaxis(out, 0, dim)


def _prod_before(x: Array, *, dim: int, reverse: bool = False) -> Any:
    """`out[i]` is the product of `x` before i; reversed, behind it."""
    x = np.moveaxis(x, dim, 0)
    out = np.ones_like(x)
    if reverse:
        np.cumprod(x[:0:-1], axis=0, out=out[-2::-1])
    else:
        np.cumprod(x[:-1], axis=0, out=out[1:])
    return np.moveaxis(out, 0, dim)


carry: Primitive = adjoint(
    "carry",
    _carry,
    lambda g, out, h, x, *, dim, reverse=False: carry(g, x, dim=dim, reverse=not reverse),
    lambda g, out, h, x, *, dim, reverse=False: carry(g, x, dim=dim, reverse=not reverse) * out,
    says="A running sum with factors: the gradient runs back the other way with the same factors.",
    stacked=("dim",),
)
prod_before: Primitive = adjoint(
    "prod_before",
    _prod_before,
    lambda g, out, x, *, dim, reverse=False: carry(g, x, dim=dim, reverse=reverse) * out,
    says="Each entry is a factor of all products behind it, and gets those gradients times the other factors.",
    stacked=("dim",),
)


def _prod_others_rule(g: Carrier, out: Carrier, x: Carrier, *, dim: int) -> Any:
    before, behind = prod_before(x, dim=dim), prod_before(x, dim=dim, reverse=True)
    return before * carry(g * behind, x, dim=dim) + behind * carry(g * before, x, dim=dim, reverse=True)


def _prod_others(x: Array, *, dim: int) -> Any:
    """The product of all other entries along a dimension, for each entry."""
    return _prod_before(x, dim=dim) * _prod_before(x, dim=dim, reverse=True)


prod_others = adjoint(
    "prod_others",
    _prod_others,
    _prod_others_rule,
    says="Each entry is a factor of every product but its own, and gets those gradients times the rest.",
    stacked=("dim",),
)
register_printed(carry, "u = [1, 2, 3]; x = [2, 0, 0.5]; carry(u, x, dim=0)")
register_printed(prod_before, "x = [2, 3, 0.5]; prod_before(x, dim=0)")
register_printed(prod_others, "x = [2, 3, 0.5]; prod_others(x, dim=0)")


def _cumprod_rule(g: Carrier, out: Carrier, x: Carrier, *, dim: int) -> Any:
    if math.prod(x.shape) <= 1 or x.shape[dim] == 1:
        return g
    return prod_before(x, dim=dim) * (g + carry(g * x, x, dim=dim))


def _write_back(operands: Sequence[Formula], options: dict[str, Any]) -> Expression:
    """Write `flip(cumsum(flip(x, (0,)), 0), (0,))`, as users would."""
    dim, dims = literal(options["dim"]), literal((options["dim"],))
    tree = Call("flip", (Argument(operands[0].tree), Argument(dims)))
    return Call("flip", (Argument(Call("cumsum", (Argument(tree), Argument(dim)))), Argument(dims)))


def run_scan(scan: Any, x: Any, dim: int) -> Any:
    """Run a scan; for single-precision numbers in double precision, as in torch, whose results are in order of rows."""
    x = np.asarray(x, order="C")
    if not x.ndim:  # which has whole numbers of 64 bits too
        return scan(x).reshape(()).astype(x.dtype if x.dtype.kind == "f" else np.int64)[()]
    return scan(x, axis=dim, dtype=np.float64).astype(SINGLE) if x.dtype is SINGLE else scan(x, axis=dim)


cumsum: Primitive = structured(
    "cumsum",
    lambda x, *, dim: run_scan(np.cumsum, x, dim),
    lambda g, out, x, *, dim: cumsum_back(g, dim=dim) if x.shape else g,
    says="Each entry is in its own sum and in all later ones, so their gradients are added.",
    index=entries.running(),
    traits=("ranked",),
    stacked=("dim",),
)
cumsum_back: Primitive = structured(
    "cumsum_back",
    lambda x, *, dim: np.array(np.flip(run_scan(np.cumsum, np.flip(x, dim), dim), dim), order="C"),
    lambda g, out, x, *, dim: cumsum(g, dim=dim),
    notation=_write_back,
    says="Each entry is in its own sum and in all earlier ones, so their gradients are added.",
    index=entries.running("≥"),
    stacked=("dim",),
)
cumprod = structured(
    "cumprod",
    lambda x, *, dim: run_scan(np.cumprod, x, dim),
    _cumprod_rule,
    saves=(OUT,),
    says="Each entry is a factor of its own product and of all later ones, so their parts are added.",
    traits=("ranked",),
    stacked=("dim",),
)


@operation("x = [[1, -2], [3, 0.5]]; cumsum(x, 0)", "x = [[1, -2], [3, 0.5]]; cumsum(x, dim=1)")
def apply_cumsum(input: Tensor, dim: int, *, dtype: Dtype | None = None) -> Any:
    """The running sum along a dimension."""
    return cumsum(to_dtype(input, dtype), dim=dimension(dim, input.ndim))


@operation("x = [[1, -2], [3, 0.5]]; cumprod(x, 0)", "x = [[1, 0, 4], [3, 0.5, 2]]; cumprod(x, dim=1)")
def apply_cumprod(input: Tensor, dim: int, *, dtype: Dtype | None = None) -> Any:
    """The running product along a dimension."""
    return cumprod(to_dtype(input, dtype), dim=dimension(dim, input.ndim))


def _sum_dim(x: Any, *, dim: Axes = None, keepdim: bool = False) -> Any:
    return summation.total(x, axes(dim, x.ndim), keepdim)


def _mean_dim(x: Any, *, dim: Axes = None, keepdim: bool = False) -> Any:
    return _sum_dim(x, dim=dim, keepdim=keepdim) / count(x.shape, dim)


total = structured(
    "sum",
    lambda x: summation.total(x),
    lambda g, out, x: expand(g, size=x.shape),
    node="SumBackward0",
    says=SUM,
    index=entries.total,
    stacked=lambda x: summation.total(x, behind(None, x.ndim - 1)),
)
sum_dim: Primitive = structured(
    "sum_dim",
    in_rows(_sum_dim),
    lambda g, out, x, *, dim=None, keepdim=False: expand(align_reduced(g, x.shape, dim, keepdim), size=x.shape),
    node="SumBackward1",
    notation=call("sum", _sum_dim),
    says=SUM,
    index=entries.total,
    stacked=("dim",),
)
mean = structured(
    "mean",
    lambda x: summation.total(x) / x.size,
    lambda g, out, x: expand(g, size=x.shape) / math.prod(x.shape),
    node="MeanBackward0",
    traits=("average",),
    says=MEAN,
    index=entries.average,
    stacked=lambda x: summation.total(x, behind(None, x.ndim - 1)) / x[0].size,
)
mean_dim = structured(
    "mean_dim",
    in_rows(_mean_dim),
    lambda g, out, x, *, dim=None, keepdim=False: (
        expand(align_reduced(g, x.shape, dim, keepdim), size=x.shape) / count(x.shape, dim)
    ),
    node="MeanBackward1",
    notation=call("mean", _mean_dim),
    traits=("average",),
    says=MEAN,
    index=entries.average,
    stacked=("dim",),
)


def _prod_rule(g: Carrier, out: Carrier, x: Carrier) -> Any:
    if x.shape == ():
        return g
    flat = (math.prod(x.shape),)
    return unless(
        equal(x, 0),
        lambda: reshape(g * prod_others(reshape(x, shape=flat), dim=0), shape=x.shape),
        lambda: g * (out / x),
    )


def _prod_dim(x: Any, *, dim: int, keepdim: bool = False) -> Any:
    return np.prod(x, axis=axes(dim, x.ndim), keepdims=keepdim)


def _prod_dim_rule(g: Carrier, out: Carrier, x: Carrier, *, dim: int, keepdim: bool = False) -> Any:
    if x.shape == ():
        return g
    return unless(
        equal(x, 0),
        lambda: (
            align_reduced(g, x.shape, dim, keepdim) * prod_others(x, dim=dim)
            if x.shape[dim] > 1
            else reshape(g, shape=x.shape)
        ),
        lambda: align_reduced(g, x.shape, dim, keepdim) * (align_reduced(out, x.shape, dim, keepdim) / x),
    )


prod = structured(
    "prod",
    lambda x: np.prod(x),
    _prod_rule,
    node="ProdBackward0",
    says="Each factor gets the gradient times the product of all the other factors.",
    index=entries.product,
    stacked=lambda x: np.prod(x, axis=behind(None, x.ndim - 1)),
)
prod_dim = structured(
    "prod_dim",
    in_rows(_prod_dim),
    _prod_dim_rule,
    node="ProdBackward1",
    notation=call("prod", _prod_dim),
    says=prod.says,
    index=entries.product,
    stacked=("dim",),
)


@operation(
    "x = [[1, -2], [3, 0.5]]; sum(x)",
    "x = [[1, -2], [3, 0.5]]; sum(x, dim=0)",
    "x = [[1, -2], [3, 0.5]]; sum(x, dim=-1)",
    "x = [[1, -2], [3, 0.5]]; sum(x, dim=1, keepdim=True)",
    "x = [[[1, -2], [3, 0.5]]]; sum(x, dim=(0, 2))",
    traits=("linear", "reducing"),
)
def apply_sum(input: Tensor, dim: Dims = None, keepdim: bool = False, *, dtype: Dtype | None = None) -> Any:
    """The sum of all entries, or over dimensions."""
    if dtype is not None:
        input = to_dtype(input, dtype)
    if dim is None and not keepdim:
        return total(input)
    return sum_dim(input, dim=dims_from_front(dim, input.ndim), keepdim=keepdim)


@operation(
    "x = [[1, -2], [3, 0.5]]; mean(x)",
    "x = [[1, -2], [3, 0.5]]; mean(x, dim=1)",
    "x = [[1, -2], [3, 0.5]]; mean(x, dim=0, keepdim=True)",
    "x = [[[1, -2], [3, 0.5]]]; mean(x, dim=(1, 2))",
    integers_stay=True,
    traits=("linear", "reducing"),
)
def apply_mean(input: Real, dim: Dims = None, keepdim: bool = False, *, dtype: Dtype | None = None) -> Any:
    """The mean of all entries, or over dimensions."""
    if dtype is not None:
        input = to_dtype(input, dtype)
    if input.value.dtype.kind != "f":
        raise AutogradError(
            "mean(): could not infer output dtype. Input dtype must be either a floating point or complex dtype. "
            f"Got: {TYPE_NAMES[input.dtype]}"
        )
    if dim is None and not keepdim:
        return mean(input)
    return mean_dim(input, dim=dims_from_front(dim, input.ndim), keepdim=keepdim)


@operation(
    "x = [[1, -2], [3, 0.5]]; prod(x)",
    "x = [[1, 0], [3, 0.5]]; prod(x)",
    "x = [[1, 0], [3, 0.5]]; prod(x, dim=1)",
    "x = [[1, -2], [3, 0.5]]; prod(x, dim=0, keepdim=True)",
    traits=("reducing",),
)
def apply_prod(input: Tensor, dim: int | None = None, keepdim: bool = False, *, dtype: Dtype | None = None) -> Any:
    """The product of all entries, or over one dimension."""
    input = to_dtype(input, dtype)
    if dim is None:
        return prod(input)
    return prod_dim(input, dim=dims_from_front(dim, input.ndim), keepdim=keepdim)
