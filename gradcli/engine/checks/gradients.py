"""The shape and the dtype that a gradient must have."""

from __future__ import annotations

from typing import Any

from gradcli.engine.dtypes import C_NAMES, TYPE_NAMES
from gradcli.errors import AutogradError


def check_gradient(value: Any, gradient: Any) -> None:
    """Refuse to assign as `.grad` of a tensor with this value a gradient that differs in shape or dtype."""
    if gradient.shape != value.shape:
        raise AutogradError(
            f"attempting to assign a gradient of size '{list(gradient.shape)}' to a tensor of size "
            f"'{list(value.shape)}'. Please ensure that the gradient and the tensor are the same size",
            code="E301",
        )
    if gradient.dtype != value.dtype:
        raise AutogradError(
            f"attempting to assign a gradient with dtype '{C_NAMES[TYPE_NAMES[gradient.dtype]]}' to a tensor with "
            f"grad_dtype '{TYPE_NAMES[value.dtype]}'. The gradient must match the tensor's grad_dtype (defaults to "
            "the tensor's dtype). You can set the tensor's grad_dtype attribute with a specific dtype, or None to "
            "allow any dtype. Set grad_dtype with caution. Diverging the dtypes of a tensor and its gradient may break "
            "downstream systems that assume they match.",
            code="E301",
        )
