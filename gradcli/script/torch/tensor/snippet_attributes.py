"""What a snippet puts on a tensor: attributes, data, and the flag that it requires grad."""

from __future__ import annotations

from typing import Any

from gradcli.engine.tangents import keep_tangents
from gradcli.engine.tensor import Tensor, is_floating
from gradcli.errors import AutogradError
from gradcli.script.torch.autograd.grad_modes import check_required
from gradcli.script.torch.operations.readers import kind_name


def own_attributes(x: Tensor) -> dict[str, Any]:
    """Return the attributes that the snippet has put on a tensor."""
    if not hasattr(x, "own"):
        x.own = {}
    return x.own


def valid(x: Tensor) -> Tensor:
    """Return the tensor. AutogradError if it is a view whose node is not known any more."""
    x.check_valid()
    return x


def set_data(x: Tensor, value: Any) -> None:
    if not isinstance(value, Tensor):
        raise TypeError(f"Variable data has to be a tensor, but got {kind_name(value)}")
    x.data = value


def set_requires_grad(x: Tensor, value: Any) -> None:
    if not isinstance(value, bool):
        raise RuntimeError("requires_grad must be a bool")
    if value and not x.is_leaf:
        raise AutogradError("you can only change requires_grad flags of leaf variables.")
    if value and not is_floating(x.value):
        raise AutogradError("only Tensors of floating point and complex dtype can require gradients")
    check_required(x, value)
    keep_tangents(x, lambda: x.requires_grad_(value))
