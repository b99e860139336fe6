"""`torch.autograd.graph`: hooks on saved tensors, and the class of nodes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gradcli.engine.graph import AccumulateGrad, Node
from gradcli.engine.recorder import leave, listen
from gradcli.engine.tensor import Tensor
from gradcli.script.python.values.attributes import BuiltinType, Facade
from gradcli.script.torch.autograd.functions import Context
from gradcli.script.torch.autograd.saved_tensors import Packer


class saved_tensors_hooks(Facade):  # noqa: N801  torch's name
    """`with saved_tensors_hooks(pack, unpack):`."""

    __parent__ = True

    def __init__(self, pack_hook: Callable[[Tensor], Any], unpack_hook: Callable[[Any], Any]) -> None:
        self._packer = Packer(pack_hook, unpack_hook)

    def __enter__(self) -> None:
        listen(self._packer)

    def __exit__(self, *_: Any) -> None:
        leave(self._packer)


MEMBERS: dict[str, Any] = {
    "Node": BuiltinType("Node", (Node, AccumulateGrad, Context), module="torch.autograd.graph"),
    "saved_tensors_hooks": saved_tensors_hooks,
}
saved_tensors_hooks.__module__ = "torch.autograd.graph"
