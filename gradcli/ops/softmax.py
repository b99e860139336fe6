"""Softmax and its logarithm, finite at any input: the largest entry is taken away before the exponential."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradcli.engine.primitive import primitive
from gradcli.ops.arguments import Dims, Dtype, Real
from gradcli.ops.arithmetic import neg
from gradcli.ops.axes import Axes, aligned, axes, wrapped
from gradcli.ops.dtypes import converted
from gradcli.ops.elementwise import exp
from gradcli.ops.reductions import sum_dim
from gradcli.ops.surface import operation


def _softmax(x: Any, *, dim: int) -> Any:
    along = axes(dim, x.ndim)
    powers = np.exp(x - np.max(x, axis=along, keepdims=True, initial=-np.inf))
    return powers / np.sum(powers, axis=along, keepdims=True)


def _log_softmax(x: Any, *, dim: int) -> Any:
    along = axes(dim, x.ndim)
    shifted = x - np.max(x, axis=along, keepdims=True, initial=-np.inf)
    return shifted - np.log(np.sum(np.exp(shifted), axis=along, keepdims=True))


def _logsumexp(x: Any, *, dim: Axes, keepdim: bool = False) -> Any:
    along = axes(dim, x.ndim)
    top = np.max(x, axis=along, keepdims=True, initial=-np.inf)
    top = np.where(np.isfinite(top), top, 0).astype(x.dtype)  # infinity less infinity would be nan
    total = np.log(np.sum(np.exp(x - top), axis=along, keepdims=True)) + top
    return total if keepdim else np.squeeze(total, along)[()]


softmax = primitive(
    "softmax",
    _softmax,
    lambda g, out, x, *, dim: out * (g - sum_dim(g * out, dim=dim, keepdim=True)),
    structured=True,
)
log_softmax = primitive(
    "log_softmax",
    _log_softmax,
    lambda g, out, x, *, dim: g - exp(out) * sum_dim(g, dim=dim, keepdim=True),
    structured=True,
)
logsumexp = primitive(
    "logsumexp",
    _logsumexp,
    lambda g, out, x, *, dim, keepdim=False: (
        aligned(g, x.shape, dim, keepdim) * exp(x - aligned(out, x.shape, dim, keepdim))
    ),
    structured=True,
)


def _chosen(dim: int | None, ndim: int) -> Axes:
    """Without `dim` torch takes the rows of a matrix."""
    return wrapped(dim if dim is not None else 0 if ndim in (0, 1, 3) else 1, ndim)


@operation("x = [[1, -2], [3, 0.5]]; softmax(x, dim=1)", "x = [1, -2, 3]; softmax(x)")
def softmax_(input: Real, dim: int | None = None, dtype: Dtype | None = None) -> Any:
    """Positive numbers in the ratio of the exponentials, with sum 1 along a dimension."""
    return softmax(converted(input, dtype), dim=_chosen(dim, input.ndim))


@operation("x = [[1, -2], [3, 0.5]]; log_softmax(x, dim=0)", "x = [1, -2, 3]; log_softmax(x)")
def log_softmax_(input: Real, dim: int | None = None, dtype: Dtype | None = None) -> Any:
    """The logarithm of the softmax."""
    return log_softmax(converted(input, dtype), dim=_chosen(dim, input.ndim))


@operation("x = [[1, -2], [3, 0.5]]; softmin(x, dim=1)", method=False)
def softmin(input: Real, dim: int | None = None, dtype: Dtype | None = None) -> Any:
    """The softmax of the negative."""
    return softmax(converted(neg(input), dtype), dim=_chosen(dim, input.ndim))


@operation(
    "x = [[1, -2], [3, 0.5]]; logsumexp(x, 1)",
    "x = [[1, -2], [3, 0.5]]; logsumexp(x, dim=0, keepdim=True)",
    "x = [[1, -2], [3, 0.5]]; logsumexp(x, (0, 1))",
)
def logsumexp_(input: Real, dim: Dims, keepdim: bool = False) -> Any:
    """The logarithm of the sum of the exponentials, a smooth maximum."""
    return logsumexp(input, dim=wrapped(dim, input.ndim), keepdim=keepdim)
