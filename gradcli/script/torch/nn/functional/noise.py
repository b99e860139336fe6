"""`torch.nn.functional`: dropout and rrelu, which multiply their input by noise while a network trains; attention."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np

from gradcli.engine.dtypes import TYPE_NAMES
from gradcli.engine.memory.in_place import change
from gradcli.engine.primitive import Primitive
from gradcli.engine.symbolic.notation import call
from gradcli.engine.tensor import Tensor, is_floating
from gradcli.errors import AutogradError
from gradcli.ops.nn.attention import attended
from gradcli.ops.support.calling import ops
from gradcli.ops.support.covering import as_node
from gradcli.script.machine import running
from gradcli.script.torch.nn.functional.arguments import check_tensor
from gradcli.script.torch.random.generator import in_memory_order

ALPHA = 1.7580993408473766  # what SELU goes to on the far left: Klambauer et al. 2017


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


def _of_channels(spatial: int) -> Any:
    """Return the dropout of whole channels of inputs with so many dimensions behind the channels."""
    name = f"dropout{spatial}d"

    def drop(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Any:
        """Drop whole channels."""
        check_tensor("feature_dropout", input)
        ndim, dimensions = input.ndim, f"{spatial + 1}D or {spatial + 2}D"
        if spatial == 1 and ndim not in (2, 3):
            raise AutogradError(
                f"dropout1d: Expected 2D or 3D input, but received a {ndim}D input. Note that dropout1d exists to "
                "provide channel-wise dropout on inputs with 1 spatial dimension, a channel dimension, and an optional "
                "batch dimension (i.e. 2D or 3D inputs)."
            )
        if ndim not in (spatial + 1, spatial + 2):
            warnings.warn(
                f"{name}: Received a {ndim}-D input to {name}, which is deprecated and will result in an error in a "
                "future release. To retain the behavior and silence this warning, please use dropout instead. Note "
                f"that {name} exists to provide channel-wise dropout on inputs with {spatial} spatial dimensions, a "
                f"channel dimension, and an optional batch dimension (i.e. {dimensions} inputs).",
                UserWarning,
                stacklevel=2,
            )
        if spatial == 2 and ndim == 3:
            warnings.warn(
                "dropout2d: Received a 3D input to dropout2d and assuming that channel-wise 1D dropout behavior is "
                "desired - input is interpreted as shape (N, C, L), where C is the channel dim. This behavior will "
                "change in a future release to interpret the input as one without a batch dimension, i.e. shape (C, H, "
                "W). To maintain the 1D channel-wise dropout behavior, please switch to using dropout1d instead.",
                UserWarning,
                stacklevel=2,
            )
        if ndim < 2:
            raise AutogradError("Feature dropout requires at least 2 dimensions in the input")
        is_single = spatial != 2 and ndim == spatial + 1 and not inplace
        rows = ops.unsqueeze(input, 0) if is_single else input
        noise = _drawn("feature_dropout", rows, p, training, (*rows.shape[:2], *[1] * (rows.ndim - 2)))
        if noise is None:
            return input
        dropped = _multiplied(rows, noise, p, inplace)
        return ops.squeeze(dropped, 0) if is_single else dropped

    drop.__name__ = drop.__qualname__ = name
    drop.__module__ = "torch.nn.functional"
    return drop


dropout1d, dropout2d, dropout3d = map(_of_channels, (1, 2, 3))


def alpha_dropout(input: Tensor, p: float = 0.5, training: bool = False, inplace: bool = False) -> Any:
    """Set entries to the lower limit of SELU with probability `p`, then move all to mean 0 and variance 1."""
    noise = _drawn("alpha_dropout", input, p, training)
    if noise is None or p == 1:
        return input if noise is None else _multiplied(input, noise, p, inplace)
    number, factor = input.dtype.type, 1.0 / math.sqrt((ALPHA * ALPHA * p + 1) * (1 - p))
    shift = Tensor((noise - number(1)) * number(ALPHA * factor) + number(ALPHA * factor * p))
    factors = Tensor(noise * number(factor))
    if inplace:
        return change(change(input, ops.mul, factors), ops.add, shift)
    return ops.add(ops.mul(input, factors), shift)


sloped = Primitive(
    "rrelu",
    lambda x, slopes: x * slopes,
    (lambda g, out, x, slopes: g * slopes, None),
    "RreluWithNoiseBackward0",
    call("rrelu", lambda x, slopes: x * slopes),
    saves=(0,),
    traits=("kept",),
    node_in_place="RreluWithNoiseBackward1",
)


def rrelu(
    input: Tensor, lower: float = 1.0 / 8, upper: float = 1.0 / 3, training: bool = False, inplace: bool = False
) -> Any:
    """Apply a leaky relu whose slope is drawn for each entry that is not positive; without training it is the mean."""
    check_tensor("rrelu", input)
    if lower > upper:
        raise RuntimeError("Lower bound should be less than or equal to the upper bound")
    slopes = np.ones(input.shape, input.dtype)
    low = input.value <= 0 if training else ~(input.value > 0)  # nan is low only for the mean
    if training:
        slopes[low] = running.machine.generator.uniform((int(np.sum(low)),), np.dtype(np.float64), lower, upper)
    else:
        slopes[low] = (lower + upper) / 2
    return change(input, sloped, Tensor(slopes)) if inplace else sloped(input, Tensor(slopes))


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
    laid_out = np.empty_like(query.value, shape=attention.shape)  # in the order that the queries have in memory
    laid_out[...] = attention.value
    attention.value = laid_out
    return as_node(attention, "ScaledDotProductFlashAttentionForCpuBackward0")
