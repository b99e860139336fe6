"""Whole gradients are added to the `.grad` of leaves."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradcli.engine.broadcast import other_shape
from gradcli.engine.carrier import Carrier as Carrier
from gradcli.engine.memory.layout import is_dense
from gradcli.engine.memory.writing import copy
from gradcli.engine.tensor import Tensor, Value


def accumulate(leaf: Tensor, gradient: Any) -> None:
    """Add to `.grad`, in the same memory as torch does; a first gradient is copied, for it may be an operand, too."""
    if gradient.shape != leaf.shape:
        raise other_shape(gradient, leaf)
    held: Any = leaf._grad
    if held is None:
        leaf._grad = copied(gradient) if isinstance(gradient, Tensor) else Tensor(laid_as(leaf.value, gradient))
    elif isinstance(gradient, Tensor):
        leaf._grad = held + gradient
    else:
        np.add(held.array, gradient, out=held.array)
        held.changed()


def laid_as(value: Value, gradient: Value) -> Value:
    """Copy a gradient, in the order of the entries of its leaf where that is dense, else of rows."""
    if value.flags.c_contiguous or not is_dense(value):
        return gradient.copy()
    laid = np.empty_like(value, dtype=gradient.dtype)
    laid[...] = gradient
    return laid


def copied(gradient: Tensor) -> Tensor:
    """Copy a gradient, with the node that torch gives the copy."""
    return copy(Tensor(gradient.value), gradient) if gradient.requires_grad else Tensor(gradient.value.copy())
