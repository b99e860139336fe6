"""What a tensor owns: attributes and hooks that a snippet puts on it, and its data."""

from __future__ import annotations

import warnings
from collections import OrderedDict
from typing import Any

from gradcli.engine.graph import AccumulateGrad
from gradcli.engine.modes import tick
from gradcli.engine.saved import keep_former_shape
from gradcli.engine.tangents import keep_tangents
from gradcli.engine.tensor import Tensor, is_floating
from gradcli.errors import AutogradError
from gradcli.script.errors import UnsupportedError
from gradcli.script.torch.autograd.grad_modes import check_required
from gradcli.script.torch.operations.readers import kind_name

UNUSED = " hooks"  # under this name are the hooks of a tensor outside of the graph


def backward_hooks(x: Tensor) -> Any:
    """`x._backward_hooks`; of a tensor outside of the graph the dict that it was given."""
    if x.node is None:
        return own_attributes(x).get(UNUSED)
    return (x.node.hooks.tensor or None) if x.node.hooks is not None else None


def accumulated_hooks(x: Tensor) -> Any:
    """`x._post_accumulate_grad_hooks`: None until the first of them is registered."""
    hooks = x.node.hooks if isinstance(x.node, AccumulateGrad) else None
    return None if hooks is None else hooks.accumulated


def set_accumulated_hooks(x: Tensor, hooks: Any) -> None:
    raise UnsupportedError(
        "setting Tensor._post_accumulate_grad_hooks is not supported here",
        help="use x.register_post_accumulate_grad_hook(hook)",
    )


def set_backward_hooks(x: Tensor, hooks: Any) -> None:
    """Take a dict of hooks, which may be put into it later; of a result none, whose node has its own."""
    odd = hooks is not None and (not x.is_leaf or not isinstance(hooks, dict) or (hooks and type(hooks) is dict))
    if odd:
        raise UnsupportedError("setting Tensor._backward_hooks is not supported here", help="use x.register_hook(hook)")
    if x.node is None:
        own_attributes(x)[UNUSED] = hooks
    else:
        x.node.with_hooks().tensor = OrderedDict() if hooks is None else hooks


def volatile(x: Tensor) -> bool:
    """`x.volatile`, of which there is no more than a warning."""
    warnings.warn("volatile was removed (Variable.volatile is always False)", UserWarning, stacklevel=2)
    return False


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
    if x.shape != value.shape:
        keep_former_shape(x, x.value, next(tick))
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
