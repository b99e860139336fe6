"""`x.grad_dtype`, and how many hold a tensor in torch (`x._use_count()`)."""

from __future__ import annotations

import gc
from sys import getrefcount
from typing import Any

from gradcli.engine.checks.gradients import choose, chosen
from gradcli.engine.graph import AccumulateGrad, Node
from gradcli.engine.memory import lifetimes
from gradcli.engine.memory.views import View
from gradcli.engine.tensor import Tensor
from gradcli.script.errors import UnsupportedError
from gradcli.script.machine import running
from gradcli.script.torch.autograd.context import Context
from gradcli.script.torch.operations.readers import kind_name
from gradcli.script.torch.tensor.dtypes import BY_NUMPY, DType

NOT_USED = 2  # references to the node of a tensor that no graph is built on: its own, and that of the count


def grad_dtype(x: Tensor) -> DType | None:
    """`x.grad_dtype`: None where the gradients of a leaf are as they come."""
    if not x.is_leaf:
        raise RuntimeError("grad_dtype can only be accessed on leaf tensors.")
    dtype = chosen.get(x, x.dtype)
    return None if dtype is None else BY_NUMPY[dtype]


def set_grad_dtype(x: Tensor, dtype: Any) -> None:
    if not x.is_leaf:
        raise RuntimeError("grad_dtype can only be set on leaf tensors.")
    if not isinstance(dtype, DType | None):
        raise RuntimeError(f"grad_dtype must be a torch.dtype or None, but got {kind_name(dtype)}")
    choose(x, None if dtype is None else dtype.numpy)


def is_used(x: Tensor) -> bool:
    """Tell whether a graph is built on a tensor."""
    return x.node is not None and getrefcount(x.node) > NOT_USED


def use_count(x: Tensor) -> int:
    """Count the Python object, the end of the edges of a leaf, and each view, gradient and saved operand that it is."""
    if running.machine.timeline is not None:
        raise UnsupportedError("counting what holds a tensor is not supported here", help="run it without explanation")
    lifetimes.drop()
    count = 1 + (isinstance(x.node, AccumulateGrad) and is_used(x))
    for holder in gc.get_objects():
        if isinstance(holder, Node):
            count += sum(held is x for held in holder.inputs or ())
        elif isinstance(holder, Context):
            count += sum(held is x for held in vars(holder)["_saved"]) if not holder._freed else 0
        elif isinstance(holder, Tensor):
            count += holder._grad is x
            count += type(holder) is View and holder.base is x
    return count
