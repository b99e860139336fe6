"""Softmax, its logarithm, and attention, finite at any input: the largest entry is subtracted before exponentials."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from gradcli.engine.checks.shapes import broadcast_shapes, check_together, dimension
from gradcli.engine.dtypes import C_NAMES, TYPE_NAMES
from gradcli.engine.numerics import precision, summation
from gradcli.engine.primitive import structured
from gradcli.engine.recorder import with_origin
from gradcli.engine.tensor import Tensor
from gradcli.errors import AutogradError, EvaluationError, ShapeError
from gradcli.ops import formulas as entries
from gradcli.ops.pointwise.arithmetic import add, mul
from gradcli.ops.pointwise.elementwise import exp, mul_number
from gradcli.ops.products.contractions import matmul
from gradcli.ops.reducing.reductions import sum_dim
from gradcli.ops.shaping.shaping import Axes, align_reduced, axes, dims_from_front, in_rows, transpose
from gradcli.ops.support.arguments import Array, Dims, Dtype, Real, to_dtype
from gradcli.ops.support.surface import SOFTMAX, operation, register_printed

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
    traits=("nonnegative", "passing", "ranked", "saturating"),
    says=SOFTMAX,
    index=entries.softmax,
    stacked=("dim",),
)
log_softmax = structured(
    "log_softmax",
    _log_softmax,
    lambda g, out, x, *, dim: g - exp(out) * sum_along(g, dim=dim, keepdim=True),
    traits=("passing", "ranked"),
    says="Each score gets its gradient minus its share of the sum of all gradients.",
    index=entries.log_softmax,
    stacked=("dim",),
)
logsumexp = structured(
    "logsumexp",
    in_rows(_logsumexp),
    lambda g, out, x, *, dim, keepdim=False: (
        align_reduced(g, x.shape, dim, keepdim) * exp(x - align_reduced(out, x.shape, dim, keepdim))
    ),
    says="The gradient is shared by size: each entry gets its softmax share.",
    index=entries.logsumexp,
    stacked=("dim",),
)


def _chosen(dim: int | None, ndim: int) -> int:
    """Return the dimension; without `dim` torch takes 0 for 0, 1 or 3 dimensions, else 1."""
    return dimension(dim if dim is not None else 0 if ndim in (0, 1, 3) else 1, ndim)


@operation("x = [[1, -2], [3, 0.5]]; softmax(x, dim=1)", "x = [1, -2, 3]; softmax(x)", integers_stay=True)
def apply_softmax(input: Real, dim: int | None = None, dtype: Dtype | None = None) -> Any:
    """Positive numbers in the ratio of the exponentials, with sum 1 along a dimension."""
    scores = input if dtype is None else to_dtype(input, dtype)
    return softmax(scores, dim=_chosen(dim, input.ndim))


@operation("x = [[1, -2], [3, 0.5]]; log_softmax(x, dim=0)", "x = [1, -2, 3]; log_softmax(x)", integers_stay=True)
def apply_log_softmax(input: Real, dim: int | None = None, dtype: Dtype | None = None) -> Any:
    """The logarithm of the softmax."""
    scores = input if dtype is None else to_dtype(input, dtype)
    return log_softmax(scores, dim=_chosen(dim, input.ndim))


@operation(
    "x = [[1, -2], [3, 0.5]]; logsumexp(x, 1)",
    "x = [[1, -2], [3, 0.5]]; logsumexp(x, dim=0, keepdim=True)",
    "x = [[1, -2], [3, 0.5]]; logsumexp(x, (0, 1))",
    traits=("reducing",),
)
def apply_logsumexp(input: Real, dim: Dims, keepdim: bool = False) -> Any:
    """The logarithm of the sum of the exponentials, a smooth maximum."""
    return logsumexp(input, dim=dims_from_front(dim, input.ndim), keepdim=keepdim)


soft = softmax.rules[0]
assert soft is not None


def _safe_softmax(x: Array, *, dim: int) -> Any:
    """A softmax that gives zeros where all entries are -inf, and not nan."""
    shares = np.where(np.all(x == -np.inf, axis=dim, keepdims=True), 0, softmax.forward(x, dim=dim))
    return shares.astype(x.dtype)


safe_softmax = structured("safe_softmax", _safe_softmax, soft, says=SOFTMAX, index=softmax.index)
register_printed(safe_softmax, "x = [[1, 2, -1], [0, 1, 3]]; safe_softmax(x, dim=1)")


def _additive(mask: Tensor) -> Tensor:
    """Return the mask as numbers to add to the scores: minus infinity where a boolean mask is False."""
    return Tensor(np.where(mask.value, 0.0, -np.inf)) if mask.dtype == np.bool_ else mask


@operation(
    "Q = [[1, 2], [0.5, 1]]; K = [[2, 1], [1, 0]]; V = [[1, 3], [2, 4]]; scaled_dot_product_attention(Q, K, V)",
    "Q = [[1, 2], [0.5, 1]]; V = [[1, 3], [2, 4]]; scaled_dot_product_attention(Q, Q, V, is_causal=True, scale=0.5)",
    "Q = [[1, 2]]; K = [[2, 1], [1, 0]]; V = [[1, 3], [2, 4]]; "
    "scaled_dot_product_attention(Q, K, V, attn_mask=[[0.5, 1]])",
    method=False,
)
def scaled_dot_product_attention(
    query: Real,
    key: Real,
    value: Real,
    attn_mask: Tensor | None = None,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    scale: float | None = None,
) -> Any:
    """Means of the values, weighted by the softmax of the products of queries and keys."""
    if dropout_p:
        raise EvaluationError("E204", "dropout_p is random, and attention here takes 0", help="leave dropout_p out")
    return masked_attention(query, key, value, attn_mask, is_causal, scale, lambda weights: weights)


def masked_attention(
    query: Real,
    key: Real,
    value: Real,
    attn_mask: Tensor | None,
    is_causal: bool,
    scale: float | None,
    dropped: Callable[[Tensor], Any],
) -> Any:
    """Return the attention; `dropped` is the dropout of its weights."""
    dtypes = [C_NAMES[TYPE_NAMES[x.dtype]] for x in (query, key, value)]
    if len(set(dtypes)) > 1:
        raise AutogradError(
            "Expected query, key, and value to have the same dtype, but got query.dtype: "
            f"{dtypes[0]} key.dtype: {dtypes[1]} and value.dtype: {dtypes[2]} instead."
        )
    ShapeError.when(
        min(x.ndim for x in (query, key, value)) < 2,
        "Expected query, key, and value to all be  at least 2 dimensional, but got query.dim: "
        f"{query.ndim} key.dim: {key.ndim} and value.dim: {value.ndim} instead.",
    )
    if scale is None:
        scale = 1 / math.sqrt(query.shape[-1] or 1)
    root = math.sqrt(scale) if scale >= 0 else math.nan
    queries = mul_number(query, root)
    keys = mul_number(transpose(key, dim0=key.ndim - 2, dim1=key.ndim - 1), root)
    scores = matmul(queries, keys)
    if is_causal:
        if attn_mask is not None:
            raise AutogradError(
                "_scaled_dot_product_attention: Explicit attn_mask should not be set when is_causal=True"
            )
        attn_mask = Tensor(np.tri(*scores.shape[-2:], dtype=bool))
    if attn_mask is not None:
        mask = _additive(attn_mask)
        check_together(scores.value, mask.value)
        ShapeError.when(
            broadcast_shapes(scores.shape, mask.shape) != scores.shape,
            f"attn_mask of shape {list(mask.shape)} is larger than the scores",
        )
        scores = add(scores, mask if mask.requires_grad else with_origin(Tensor(mask.value.astype(scores.dtype)), mask))
    return matmul(dropped(safe_softmax(scores, dim=scores.ndim - 1)), value)


@operation("x = [1, 2]; dropout(x, training=False)*x", "x = [1, 2]; dropout(x, 1)", method=False, only="nn.functional")
def dropout(input: Real, p: float = 0.5, training: bool = True) -> Any:
    """The input itself, without training or with p = 0; zeros with p = 1."""
    AutogradError.when(not 0 <= p <= 1, f"dropout probability has to be between 0 and 1, but got {p}")
    if not training or p == 0:
        return input
    if p == 1:
        return mul(input, Tensor(np.zeros(input.shape, input.dtype)[()]))
    raise EvaluationError("E204", "dropout() is random in training", help="give training=False, or multiply by a mask")
