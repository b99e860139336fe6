"""`torch.autograd.graph`: hooks on saved tensors, and the class of nodes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gradcli.engine.graph import AccumulateGrad, Node
from gradcli.engine.recorder import leave, listen, listening
from gradcli.engine.tensor import Tensor
from gradcli.script.machine import running
from gradcli.script.python.values.attributes import BuiltinType, Facade
from gradcli.script.torch.autograd.context import Context
from gradcli.script.torch.autograd.grad_modes import Switch
from gradcli.script.torch.autograd.saved import packing


class saved_tensors_hooks(Facade):  # noqa: N801  torch's name
    """`with saved_tensors_hooks(pack, unpack):`."""

    __parent__ = True

    def __init__(self, pack_hook: Callable[[Tensor], Any], unpack_hook: Callable[[Any], Any]) -> None:
        self._packer = packing.Packer(pack_hook, unpack_hook)

    def __enter__(self) -> None:
        message = running.machine.own(packing.Refusal).message
        if message is not None:
            raise RuntimeError(message)
        listen(self._packer)

    def __exit__(self, *_: Any) -> None:
        leave(self._packer)


class disable_saved_tensors_hooks(Switch):  # noqa: N801  torch's name
    """Refuse hooks on saved tensors with a message."""

    def __init__(self, error_message: str) -> None:
        self._wanted = error_message

    def __enter__(self) -> None:
        if listening(packing.Packer):
            raise RuntimeError(self._wanted)
        super().__enter__()

    def _set(self, state: str | None) -> str | None:
        refusal = running.machine.own(packing.Refusal)
        before, refusal.message = refusal.message, state
        return before


MEMBERS: dict[str, Any] = {
    "Node": BuiltinType("Node", (Node, AccumulateGrad, Context), module="torch.autograd.graph"),
    "saved_tensors_hooks": saved_tensors_hooks,
    "disable_saved_tensors_hooks": disable_saved_tensors_hooks,
}
for kind in (saved_tensors_hooks, disable_saved_tensors_hooks):
    kind.__module__ = "torch.autograd.graph"
