"""Attention, and dropout where it is not random."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from gradcli.engine.checks.shapes import broadcast_shapes, check_together
from gradcli.engine.dtypes import C_NAMES, TYPE_NAMES
from gradcli.engine.primitive import structured
from gradcli.engine.recorder import with_origin
from gradcli.engine.tensor import Tensor
from gradcli.errors import AutogradError, EvaluationError, ShapeError
from gradcli.ops.nn.softmax import softmax
from gradcli.ops.pointwise.arithmetic import add, mul
from gradcli.ops.pointwise.scalars import mul_number
from gradcli.ops.products.contractions import matmul
from gradcli.ops.shaping.shaping import transpose
from gradcli.ops.support.arguments import Array, Real
from gradcli.ops.support.surface import SOFTMAX, operation, printed

soft = softmax.rules[0]
assert soft is not None


def _safe_softmax(x: Array, *, dim: int) -> Any:
    """A softmax that gives zeros where all entries are -inf, and not nan."""
    found = np.where(np.all(x == -np.inf, axis=dim, keepdims=True), 0, softmax.forward(x, dim=dim))
    return found.astype(x.dtype)


safe_softmax = structured("safe_softmax", _safe_softmax, soft, says=SOFTMAX, index=softmax.index)
printed(safe_softmax, "x = [[1, 2, -1], [0, 1, 3]]; safe_softmax(x, dim=1)")


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
    return attended(query, key, value, attn_mask, is_causal, scale, lambda weights: weights)


def attended(
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
