"""Attributes and a dict of hooks that a snippet puts on a tensor; and `volatile`, which none has."""

from __future__ import annotations

import warnings
from collections import OrderedDict
from typing import Any

from gradcli.engine.graph import AccumulateGrad
from gradcli.engine.tensor import Tensor
from gradcli.script.errors import UnsupportedError

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
