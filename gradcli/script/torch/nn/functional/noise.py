"""`torch.nn.functional`: dropout, which multiplies its input by noise while a network trains; attention."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradcli.engine.dtypes import TYPE_NAMES
from gradcli.engine.memory.in_place import change
from gradcli.engine.tensor import Tensor, is_floating
from gradcli.ops.nn.softmax import attended
from gradcli.ops.support.calling import ops
from gradcli.ops.support.constant_nodes import as_node
from gradcli.script.errors import UnsupportedError
from gradcli.script.machine import running
from gradcli.script.torch.nn.functional.module import check_tensor
from gradcli.script.torch.random.generator import in_memory_order


def check_chance(p: float) -> None:
    if p < 0 or p > 1:
        raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")


def _drawn(name: str, input: Tensor, p: float, training: bool, shape: tuple[int, ...] | None = None) -> Any:
    """Return which entries are kept, in an array that broadcasts; None if all are."""
    check_tensor(name, input)
    check_chance(p)
    if p == 0 or not training or not input.value.size:
        return None
    if not is_floating(input.value):
        raise RuntimeError(f"result type Float can't be cast to the desired output type {TYPE_NAMES[input.dtype]}")
    if running.machine.timeline is not None:
        running.machine.timeline.dropped(input, p)
    if p == 1:
        return np.zeros(shape or input.shape, input.dtype)
    generator = running.machine.generator
    array = input.array if shape is None else np.empty(shape)
    return in_memory_order(array, lambda size: generator.bernoulli(1 - p, size)).astype(input.dtype)


def _multiplied(input: Tensor, noise: Any, p: float, inplace: bool) -> Any:
    factors = Tensor(noise / input.dtype.type(1 - p) if p < 1 else noise)
    return change(input, ops.mul, factors) if inplace else ops.mul(input, factors)


def dropout(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Any:
    """Set each entry to 0 with probability `p`, and divide the others by `1 - p`."""
    noise = _drawn("dropout", input, p, training)
    return input if noise is None else _multiplied(input, noise, p, inplace)


def dropout2d(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Any:
    """Set whole channels to 0 with probability `p`, of each example; divide the others by `1 - p`."""
    check_tensor("feature_dropout", input)
    if input.ndim not in (3, 4):
        raise UnsupportedError("dropout2d of anything but images is not supported here", help="write dropout")
    noise = _drawn("feature_dropout", input, p, training, (*input.shape[:2], *[1] * (input.ndim - 2)))
    return input if noise is None else _multiplied(input, noise, p, inplace)


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
    attention = attended(query, key, value, attn_mask, is_causal, scale, lambda x: dropout(x, dropout_p))
    if query.ndim != 4 or dropout_p or (attn_mask is not None and attn_mask.requires_grad):
        return attention
    return as_node(attention, "ScaledDotProductFlashAttentionForCpuBackward0")
