"""What may be the `.grad` of a tensor: its shape, and its dtype unless another was set (`Tensor.grad_dtype`)."""

from __future__ import annotations

from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from gradcli.engine.dtypes import C_NAMES, TYPE_NAMES
from gradcli.errors import AutogradError

NON_LEAF_GRAD = (
    "The .grad attribute of a Tensor that is not a leaf Tensor is being accessed. Its .grad attribute won't be "
    "populated during autograd.backward(). If you indeed want the .grad field to be populated for a non-leaf Tensor, "
    "use .retain_grad() on the non-leaf Tensor. If you access the non-leaf Tensor by mistake, make sure you access the "
    "leaf Tensor instead. See github.com/pytorch/pytorch/pull/30531 for more information."
)
# The dtypes that were set for the gradients of tensors; None lets them be as they come.
chosen: WeakKeyDictionary[Any, np.dtype[Any] | None] = WeakKeyDictionary()


def wanted(x: Any, given: np.dtype[Any]) -> np.dtype[Any]:
    """Return the dtype that a gradient of a tensor takes which has the dtype `given`."""
    return chosen.get(x, x.dtype) or given


def check_gradient(x: Any, gradient: Any) -> None:
    """Refuse to assign as `.grad` of a tensor one that differs in shape or dtype."""
    if gradient.shape != x.shape:
        raise AutogradError(
            f"attempting to assign a gradient of size '{list(gradient.shape)}' to a tensor of size "
            f"'{list(x.shape)}'. Please ensure that the gradient and the tensor are the same size",
            code="E301",
        )
    dtype = wanted(x, gradient.dtype)
    if gradient.dtype != dtype:
        raise AutogradError(
            f"attempting to assign a gradient with dtype '{C_NAMES[TYPE_NAMES[gradient.dtype]]}' to a tensor with "
            f"grad_dtype '{TYPE_NAMES[dtype]}'. The gradient must match the tensor's grad_dtype (defaults to "
            "the tensor's dtype). You can set the tensor's grad_dtype attribute with a specific dtype, or None to "
            "allow any dtype. Set grad_dtype with caution. Diverging the dtypes of a tensor and its gradient may break "
            "downstream systems that assume they match.",
            code="E301",
        )


def choose(x: Any, dtype: np.dtype[Any] | None) -> None:
    """Set the dtype of the gradients of a tensor. AutogradError if it has one of another dtype."""
    held = x._grad
    if held is not None and dtype is not None and held.dtype != dtype:
        raise AutogradError(
            f"Cannot set grad_dtype to '{TYPE_NAMES[dtype]}' because there is already a gradient with dtype "
            f"'{C_NAMES[TYPE_NAMES[held.dtype]]}'. Please clear the gradient (.grad = None) before changing "
            "grad_dtype, or ensure the new grad_dtype matches the existing gradient's dtype."
        )
    chosen[x] = dtype
