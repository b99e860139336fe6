"""`F.scaled_dot_product_attention`: attention whose weights may be dropped at random."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradcli.engine.tensor import Tensor
from gradcli.ops.nn.attention import attended
from gradcli.ops.support.covering import as_node
from gradcli.script.torch.nn.functional.arguments import check_tensor
from gradcli.script.torch.nn.functional.noise import dropout


def scaled_dot_product_attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attn_mask: Tensor | None = None,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    scale: float | None = None,
    enable_gqa: bool = False,
) -> Any:
    """Return means of the values, weighted by the softmax of the products of queries and keys."""
    for position, (name, x) in enumerate((("query", query), ("key", key), ("value", value)), 1):
        check_tensor("scaled_dot_product_attention", x, name, position)
    found = attended(query, key, value, attn_mask, is_causal, scale, lambda x: dropout(x, dropout_p))
    fused = query.ndim == 4 and not dropout_p and not (attn_mask is not None and attn_mask.requires_grad)
    if not fused:
        return found
    laid_out = np.empty_like(query.value, shape=found.shape)  # in the order that the queries have in memory
    laid_out[...] = found.value
    found.value = laid_out
    return as_node(found, "ScaledDotProductFlashAttentionForCpuBackward0")
