"""`torch.autograd._functions`, and other names with an underscore that torch has for its own use."""

from __future__ import annotations

from math import prod
from typing import Any

from gradcli.engine.tensor import Tensor
from gradcli.script.machine import running
from gradcli.script.torch.autograd.functions import Function
from gradcli.script.torch.tensor.dtypes import Size


class Resize(Function):
    """Arranges the entries in another shape."""

    @staticmethod
    def forward(ctx: Any, x: Any, sizes: tuple[int, ...]) -> Any:
        if prod(x.shape) != prod(sizes):
            raise RuntimeError(
                f"requested resize to {'x'.join(map(str, sizes))} ({prod(sizes)} elements in total), but the given "
                f"tensor has a size of {'x'.join(map(str, x.shape))} ({prod(x.shape)} elements). autograd's resize can "
                "only change the shape of a given tensor, while preserving the number of elements. "
            )
        ctx._own["sizes"] = x.shape
        return Tensor(x.value.reshape(sizes))

    @staticmethod
    def backward(ctx: Any, g: Any) -> Any:
        return g.reshape(ctx._own["sizes"]), None


def calculate_shape(output: Any, grad: Tensor, is_grads_batched: bool) -> tuple[Any, Any]:
    """Return the shapes of an output and its gradient, of a batch of these that of one."""
    return Size(output.shape), Size(grad.shape[is_grads_batched:])


class Cached:
    """The tensors that a snippet keeps in torch's list of them."""

    def __init__(self) -> None:
        self.enabled = False
        self.tensors: list[Tensor] = []

    def switch(self, enabled: bool) -> None:
        self.enabled = enabled

    def add(self, x: Tensor) -> None:
        self.tensors = [*(one for one in self.tensors if one is not x), x]

    def remove(self, x: Tensor) -> None:
        self.tensors = [one for one in self.tensors if one is not x]

    def has(self, x: Tensor) -> bool:
        return self.enabled and any(one is x for one in self.tensors)


def of_cache() -> dict[str, Any]:
    """The functions of `torch._C` for the list."""
    cached = running.machine.own(Cached)
    return {
        "_set_cached_tensors_enabled": cached.switch,
        "_add_cached_tensor": cached.add,
        "_remove_cached_tensor": cached.remove,
        "_is_cached_tensor": cached.has,
    }


MEMBERS: dict[str, Any] = {"Resize": Resize}
