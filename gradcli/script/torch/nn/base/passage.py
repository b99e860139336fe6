"""The way of several tensors into a module that has backward hooks: one node, where all gradients come together."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from gradcli.engine.tensor import Tensor
from gradcli.script.torch.autograd.functions import Function

Arrived = Callable[[Sequence[Any]], Sequence[Any]]


class BackwardHookFunction(Function):
    """The tensors themselves; their gradients are those that the hooks make of them."""

    @staticmethod
    def forward(ctx: Any, arrived: Arrived, *tensors: Tensor) -> Any:
        ctx.arrived = arrived
        return tuple(x.view(x.shape) for x in tensors)

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        return None, *ctx.arrived(gradients)


def together(arrived: Arrived, tensors: Sequence[Tensor]) -> Sequence[Tensor]:
    """Pass the tensors on; `arrived` gets the gradients of all, and returns the ones that flow on."""
    passed: Sequence[Tensor] = BackwardHookFunction.apply(arrived, *tensors)
    return passed
