"""The few names of `torch._C` that concern the graph: functions that stop a gradient, and the class of leaves."""

from __future__ import annotations

from typing import Any

from gradcli.engine.graph import AccumulateGrad
from gradcli.engine.tensor import Tensor
from gradcli.script.machine import running
from gradcli.script.python.values.attributes import Facade, Namespace
from gradcli.script.torch.autograd.backward import Passes
from gradcli.script.torch.autograd.dual import Forward, is_forward_enabled
from gradcli.script.torch.autograd.functions import Function, refusing
from gradcli.script.torch.autograd.grad_modes import is_grad_enabled
from gradcli.script.torch.autograd.nodes import named
from gradcli.script.torch.autograd.packing import SAVED_TENSOR


class Undefined(Function):
    """The identity, which gives no gradient back."""

    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        return x

    @staticmethod
    def backward(ctx: Any, g: Any) -> None:
        return None


class UndefinedGrad(Facade):
    """`torch._C._functions.UndefinedGrad`: `UndefinedGrad()(x)` is `x`, and no gradient comes back through it."""

    def __call__(self, x: Tensor) -> Any:
        return Undefined.apply(x)


class DelayedError(Facade):
    """`torch._C._functions.DelayedError`: the tensors that it is called with, whose gradients raise the message."""

    def __init__(self, message: str, count: int) -> None:
        self.message = message.decode() if isinstance(message, bytes) else message

    def __call__(self, *tensors: Any) -> Any:
        results = refusing(tensors, self.message)
        return results[0] if len(results) == 1 else results


def task_number() -> int:
    """Return the number of the backward pass, from 0; -1 outside of one."""
    return running.machine.own(Passes).number - 1


def keeps_graph() -> bool:
    """Tell whether the backward pass that runs keeps the graph; outside of all it is kept."""
    return running.machine.own(Passes).keeps


def set_forward(mode: bool) -> None:
    running.machine.own(Forward).set(mode)


def namespace(name: str) -> Namespace:
    """Make `torch._C`, of which no more than a few names are there."""
    members: dict[str, Any] = {kind.__name__: kind for kind in (UndefinedGrad, DelayedError)}
    saved = Namespace(
        f"{name}._autograd", {"SavedTensor": SAVED_TENSOR, "_get_current_graph_task_keep_graph": keeps_graph}
    )
    functions = Namespace(f"{name}._functions", {**members, "AccumulateGrad": named(AccumulateGrad, "AccumulateGrad")})
    members = {
        "_current_graph_task_id": task_number,
        "_is_fwd_grad_enabled": is_forward_enabled,
        "_set_fwd_grad_enabled": set_forward,
        "is_grad_enabled": is_grad_enabled,
    }
    return Namespace(name, {"_functions": functions, "_autograd": saved, **members})
