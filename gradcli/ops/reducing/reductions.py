"""Sums, means and products, of all entries or over dimensions."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from gradcli.engine.broadcast import SUM, expand
from gradcli.engine.carrier import Carrier
from gradcli.engine.dtypes import TYPE_NAMES
from gradcli.engine.numerics import summation
from gradcli.engine.primitive import Primitive, primitive
from gradcli.engine.symbolic.notation import call
from gradcli.engine.tensor import Tensor
from gradcli.errors import AutogradError
from gradcli.ops import formulas as entries
from gradcli.ops.pointwise.comparisons import equal
from gradcli.ops.pointwise.selection import unless
from gradcli.ops.reducing.scans import prod_others
from gradcli.ops.shaping.axes import Axes, aligned, axes, count, in_rows, wrapped
from gradcli.ops.shaping.shaping import reshape
from gradcli.ops.support.arguments import Dims, Dtype, Real, converted
from gradcli.ops.support.surface import MEAN, operation


def _sum_dim(x: Any, *, dim: Axes = None, keepdim: bool = False) -> Any:
    return summation.total(x, axes(dim, x.ndim), keepdim)


def _mean_dim(x: Any, *, dim: Axes = None, keepdim: bool = False) -> Any:
    return _sum_dim(x, dim=dim, keepdim=keepdim) / count(x.shape, dim)


total = primitive(
    "sum",
    lambda x: summation.total(x),
    lambda g, out, x: expand(g, size=x.shape),
    node="SumBackward0",
    structured=True,
    says=SUM,
    index=entries.total,
)
sum_dim: Primitive = primitive(
    "sum_dim",
    in_rows(_sum_dim),
    lambda g, out, x, *, dim=None, keepdim=False: expand(aligned(g, x.shape, dim, keepdim), size=x.shape),
    node="SumBackward1",
    structured=True,
    notation=call("sum", _sum_dim),
    says=SUM,
    index=entries.total,
)
mean = primitive(
    "mean",
    lambda x: summation.total(x) / x.size,
    lambda g, out, x: expand(g, size=x.shape) / math.prod(x.shape),
    node="MeanBackward0",
    structured=True,
    traits=("average",),
    says=MEAN,
    index=entries.average,
)
mean_dim = primitive(
    "mean_dim",
    in_rows(_mean_dim),
    lambda g, out, x, *, dim=None, keepdim=False: (
        expand(aligned(g, x.shape, dim, keepdim), size=x.shape) / count(x.shape, dim)
    ),
    node="MeanBackward1",
    structured=True,
    notation=call("mean", _mean_dim),
    traits=("average",),
    says=MEAN,
    index=entries.average,
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
            aligned(g, x.shape, dim, keepdim) * prod_others(x, dim=dim)
            if x.shape[dim] > 1
            else reshape(g, shape=x.shape)
        ),
        lambda: aligned(g, x.shape, dim, keepdim) * (aligned(out, x.shape, dim, keepdim) / x),
    )


prod = primitive(
    "prod",
    lambda x: np.prod(x),
    _prod_rule,
    node="ProdBackward0",
    structured=True,
    says="Each factor gets the gradient times the product of all the other factors.",
    index=entries.product,
)
prod_dim = primitive(
    "prod_dim",
    in_rows(_prod_dim),
    _prod_dim_rule,
    node="ProdBackward1",
    structured=True,
    notation=call("prod", _prod_dim),
    says=prod.says,
    index=entries.product,
)


@operation(
    "x = [[1, -2], [3, 0.5]]; sum(x)",
    "x = [[1, -2], [3, 0.5]]; sum(x, dim=0)",
    "x = [[1, -2], [3, 0.5]]; sum(x, dim=-1)",
    "x = [[1, -2], [3, 0.5]]; sum(x, dim=1, keepdim=True)",
    "x = [[[1, -2], [3, 0.5]]]; sum(x, dim=(0, 2))",
)
def apply_sum(input: Tensor, dim: Dims = None, keepdim: bool = False, *, dtype: Dtype | None = None) -> Any:
    """The sum of all entries, or over dimensions."""
    if dtype is not None:
        input = converted(input, dtype)
    if dim is None and not keepdim:
        return total(input)
    return sum_dim(input, dim=wrapped(dim, input.ndim), keepdim=keepdim)


@operation(
    "x = [[1, -2], [3, 0.5]]; mean(x)",
    "x = [[1, -2], [3, 0.5]]; mean(x, dim=1)",
    "x = [[1, -2], [3, 0.5]]; mean(x, dim=0, keepdim=True)",
    "x = [[[1, -2], [3, 0.5]]]; mean(x, dim=(1, 2))",
    integers_stay=True,
)
def apply_mean(input: Real, dim: Dims = None, keepdim: bool = False, *, dtype: Dtype | None = None) -> Any:
    """The mean of all entries, or over dimensions."""
    if dtype is not None:
        input = converted(input, dtype)
    if input.value.dtype.kind != "f":
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
def apply_prod(input: Tensor, dim: int | None = None, keepdim: bool = False, *, dtype: Dtype | None = None) -> Any:
    """The product of all entries, or over one dimension."""
    input = converted(input, dtype)
    if dim is None:
        return prod(input)
    return prod_dim(input, dim=wrapped(dim, input.ndim), keepdim=keepdim)
