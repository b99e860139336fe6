"""Softmax and its logarithm, finite at any input: the largest entry is subtracted before the exponential."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from gradcli.engine.checks.shapes import dimension
from gradcli.engine.numerics import precision, summation
from gradcli.engine.primitive import structured
from gradcli.ops import formulas as entries
from gradcli.ops.pointwise.elementwise import exp
from gradcli.ops.reducing.reductions import sum_dim
from gradcli.ops.shaping.axes import Axes, aligned, axes, in_rows, wrapped
from gradcli.ops.support.arguments import Dims, Dtype, Real, converted
from gradcli.ops.support.surface import SOFTMAX, operation

# the sum in numpy's order, as it has always been here, which is three times as fast
sum_along = replace(sum_dim, forward=lambda x, *, dim, keepdim: np.sum(x, axis=axes(dim, x.ndim), keepdims=keepdim))


def _in_order(x: Any) -> Any:
    """Return the array with contiguous entries, as torch's result has."""
    return x if x.ndim < 2 or x.flags.c_contiguous else np.ascontiguousarray(x)


def _softmax(x: Any, *, dim: int) -> Any:
    x, along = _in_order(x), axes(dim, x.ndim)
    powers = precision.exp(x - np.max(x, axis=along, keepdims=True, initial=-np.inf))
    return powers / np.sum(powers, axis=along, keepdims=True)


def _log_softmax(x: Any, *, dim: int) -> Any:
    x, along = _in_order(x), axes(dim, x.ndim)
    shifted = x - np.max(x, axis=along, keepdims=True, initial=-np.inf)
    return shifted - precision.log(np.sum(precision.exp(shifted), axis=along, keepdims=True))


def _logsumexp(x: Any, *, dim: Axes, keepdim: bool = False) -> Any:
    along = axes(dim, x.ndim)
    top = np.max(x, axis=along, keepdims=True, initial=-np.inf)
    top = np.where(np.isfinite(top), top, 0).astype(x.dtype)  # infinity less infinity would be nan
    total = precision.log(summation.total(precision.exp(x - top), along, True)) + top
    return total if keepdim else np.squeeze(total, along)[()]


softmax = structured(
    "softmax",
    _softmax,
    lambda g, out, x, *, dim: out * (g - sum_along(g * out, dim=dim, keepdim=True)),
    says=SOFTMAX,
    index=entries.softmax,
)
log_softmax = structured(
    "log_softmax",
    _log_softmax,
    lambda g, out, x, *, dim: g - exp(out) * sum_along(g, dim=dim, keepdim=True),
    says="Each score gets its gradient minus its share of the sum of all gradients.",
    index=entries.log_softmax,
)
logsumexp = structured(
    "logsumexp",
    in_rows(_logsumexp),
    lambda g, out, x, *, dim, keepdim=False: (
        aligned(g, x.shape, dim, keepdim) * exp(x - aligned(out, x.shape, dim, keepdim))
    ),
    says="The gradient is shared by size: each entry gets its softmax share.",
    index=entries.logsumexp,
)


def _chosen(dim: int | None, ndim: int) -> int:
    """Return the dimension; without `dim` torch takes 0 for 0, 1 or 3 dimensions, else 1."""
    return dimension(dim if dim is not None else 0 if ndim in (0, 1, 3) else 1, ndim)


@operation("x = [[1, -2], [3, 0.5]]; softmax(x, dim=1)", "x = [1, -2, 3]; softmax(x)", integers_stay=True)
def apply_softmax(input: Real, dim: int | None = None, dtype: Dtype | None = None) -> Any:
    """Positive numbers in the ratio of the exponentials, with sum 1 along a dimension."""
    scores = input if dtype is None else converted(input, dtype)
    return softmax(scores, dim=_chosen(dim, input.ndim))


@operation("x = [[1, -2], [3, 0.5]]; log_softmax(x, dim=0)", "x = [1, -2, 3]; log_softmax(x)", integers_stay=True)
def apply_log_softmax(input: Real, dim: int | None = None, dtype: Dtype | None = None) -> Any:
    """The logarithm of the softmax."""
    scores = input if dtype is None else converted(input, dtype)
    return log_softmax(scores, dim=_chosen(dim, input.ndim))


@operation(
    "x = [[1, -2], [3, 0.5]]; logsumexp(x, 1)",
    "x = [[1, -2], [3, 0.5]]; logsumexp(x, dim=0, keepdim=True)",
    "x = [[1, -2], [3, 0.5]]; logsumexp(x, (0, 1))",
)
def apply_logsumexp(input: Real, dim: Dims, keepdim: bool = False) -> Any:
    """The logarithm of the sum of the exponentials, a smooth maximum."""
    return logsumexp(input, dim=wrapped(dim, input.ndim), keepdim=keepdim)
