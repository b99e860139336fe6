"""What may be the `.grad` of a tensor: of its shape and dtype."""

from __future__ import annotations

from typing import Any

from gradcli.engine.dtypes import C_NAMES, TYPE_NAMES
from gradcli.errors import ShapeError

NON_LEAF_GRAD = (
    "The .grad attribute of a Tensor that is not a leaf Tensor is being accessed. Its .grad attribute won't be "
    "populated during autograd.backward(). If you indeed want the .grad field to be populated for a non-leaf Tensor, "
    "use .retain_grad() on the non-leaf Tensor. If you access the non-leaf Tensor by mistake, make sure you access the "
    "leaf Tensor instead. See github.com/pytorch/pytorch/pull/30531 for more information."
)


def check_gradient(x: Any, gradient: Any) -> None:
    """Refuse to assign as `.grad` of a tensor one that differs in shape or dtype."""
    ShapeError.when(
        gradient.shape != x.shape,
        f"attempting to assign a gradient of size '{list(gradient.shape)}' to a tensor of size "
        f"'{list(x.shape)}'. Please ensure that the gradient and the tensor are the same size",
    )
    if gradient.dtype != x.dtype:
        raise ShapeError(
            f"attempting to assign a gradient with dtype '{C_NAMES[TYPE_NAMES[gradient.dtype]]}' to a tensor with "
            f"grad_dtype '{TYPE_NAMES[x.dtype]}'. The gradient must match the tensor's grad_dtype (defaults to "
            "the tensor's dtype). You can set the tensor's grad_dtype attribute with a specific dtype, or None to "
            "allow any dtype. Set grad_dtype with caution. Diverging the dtypes of a tensor and its gradient may break "
            "downstream systems that assume they match."
        )
