"""Masks of attention: the positions that each position may attend to."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from gradcli.engine.tensor import Tensor
from gradcli.ops.support.calling import ops
from gradcli.script.torch.tensor.printing import size_text


def summand(mask: Tensor | None, name: str, input: Tensor, other: Tensor | None = None, other_name: str = "") -> Any:
    """Return a mask in the form that is added to scores: minus infinity where a boolean mask is True."""
    if mask is None:
        return None
    if mask.dtype != np.bool_ and mask.dtype.kind != "f":
        raise AssertionError(f"only bool and floating types of {name} are supported")
    if other is not None and other.dtype != mask.dtype:
        warnings.warn(
            f"Support for mismatched {name} and {other_name} is deprecated. Use same type for both instead.",
            UserWarning,
            stacklevel=2,
        )
    if mask.dtype.kind == "f":
        return mask
    return Tensor(np.where(mask.value, -np.inf, 0).astype(input.dtype))


def causal(size: int, dtype: Any = np.float32) -> Any:
    """Return the mask with minus infinity for all later positions."""
    return Tensor(np.triu(np.full((size, size), -np.inf, dtype), 1))


def check_shapes(inputs: list[Any], padding: Any, mask: Any, heads: int) -> None:
    """Raise torch's error for numbers of dimensions that attention does not take."""
    query, key, value = inputs
    if query.ndim not in (2, 3):
        raise AssertionError(
            f"query should be unbatched 2D or batched 3D tensor but received {query.ndim}-D query tensor"
        )
    start = f"For {'batched (3-D)' if query.ndim == 3 else 'unbatched (2-D)'} `query`, expected"
    if {key.ndim, value.ndim} != {query.ndim}:
        found = f"{key.ndim}-D and {value.ndim}-D tensors respectively"
        raise AssertionError(f"{start} `key` and `value` to be {query.ndim}-D but found {found}")
    if padding is not None and padding.ndim != query.ndim - 1:
        wanted, found = f"{query.ndim - 1}-D", f"{padding.ndim}-D tensor instead"
        raise AssertionError(f"{start} `key_padding_mask` to be `None` or {wanted} but found {found}")
    if mask is not None and mask.ndim not in (2, 3):
        raise AssertionError(f"{start} `attn_mask` to be `None`, 2-D or 3-D but found {mask.ndim}-D tensor instead")
    if mask is not None and query.ndim == 2 and mask.ndim == 3:
        wanted_shape = (heads, query.shape[0], key.shape[0])
        if mask.shape != wanted_shape:
            raise AssertionError(f"Expected `attn_mask` shape to be {wanted_shape} but got {size_text(mask.shape)}")


def wider(mask: Any) -> Any:
    """Widen a mask by one position that all may attend to."""
    return None if mask is None else ops.pad(mask, (0, 1))
