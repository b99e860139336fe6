"""Hooks on saved tensors: `pack` is called when a node saves one, `unpack` when the backward pass reads it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from gradcli.engine.dtypes import type_name
from gradcli.engine.graph import Node
from gradcli.engine.modes import set_grad_enabled
from gradcli.engine.primitive import OUT
from gradcli.engine.recorder import Application, leave, listen, listening
from gradcli.engine.saved import check_versions, operands, saved_positions
from gradcli.engine.tensor import Tensor
from gradcli.script.errors import UnsupportedError


class Packed:
    """A saved tensor in the form that `pack` gave it."""

    def __init__(self, packer: Packer, x: Tensor) -> None:
        self.packer = packer
        self.node, self.shape = x.node, x.shape
        with set_grad_enabled(False):
            self.content = packer.pack(x)

    def tensor(self) -> Tensor:
        """Return the result of `unpack`; if it requires grad, as another tensor on its memory with the same node."""
        value = self.packer.unpack(self.content)
        if not isinstance(value, Tensor):
            raise TypeError(
                f"Output of saved tensor unpack_hook expected to be a Tensor but got result of type {type_name(value)}"
            )
        if value.shape != self.shape:
            raise UnsupportedError("an unpack hook that gives a tensor of another shape is not supported here")
        if self.node is None:
            return value
        same = value.detach()
        same.node = self.node
        return same


class Packer:
    """A pair of hooks, which listens to operations; the latest pair holds."""

    packs = True

    def __init__(self, pack: Callable[[Tensor], Any], unpack: Callable[[Any], Any]) -> None:
        self.pack = pack
        self.unpack = unpack

    def append(self, application: Application) -> None:
        """Pack the tensors that the new node saved, in torch's order."""
        node = application.out.node
        if not isinstance(node, Node) or node.inputs is None:  # packed already, by the latest
            return
        packing = Entries(node)
        for position in in_order(node.primitive.inputs, saved_positions(node)):
            x = application.out if position == OUT else packing.held.get(position)
            if isinstance(x, Tensor):
                packing.pack(node, position, Packed(self, x))


def in_order(operands: Iterable[str], positions: Iterable[int]) -> list[int]:
    """Sort positions as torch saves and reads the tensors there: by the names of the operands, the result last."""
    names = dict(enumerate(operands))
    return sorted(positions, key=lambda n: (n == OUT, names.get(n, "~"), n))


class Entries:
    """The tensors that a node saved, some of them packed."""

    def __init__(self, node: Node) -> None:
        assert node.inputs is not None
        self.held: dict[int, Any] = dict(enumerate(node.inputs))
        self.count = len(node.inputs)
        self.out = node.out
        self.operands = node.primitive.inputs

    def pack(self, node: Node, position: int, x: Packed) -> None:
        """Hold a tensor in its packed form; from then on the node reads all of them here."""
        self.held[position] = x
        node.with_hooks().packed = self
        node.inputs = node.saved_out = None

    def __call__(self) -> tuple[tuple[Any, ...], Any]:
        tensors = {position: unpack_value(self.held[position]) for position in in_order(self.operands, self.held)}
        return tuple(tensors[n] for n in range(self.count)), tensors[OUT].value if OUT in tensors else self.out


@contextmanager
def packing(packer: Packer) -> Iterator[None]:
    """Let the hooks hold inside the block."""
    listen(packer)
    try:
        yield
    finally:
        leave(packer)


def pack_value(x: Any) -> Any:
    """Pack a tensor that a function of the snippet saves, if hooks hold; other values pass through."""
    packers = listening(Packer) if isinstance(x, Tensor) else []
    return Packed(packers[0], x) if packers else x


def unpack_value(x: Any) -> Any:
    return x.tensor() if isinstance(x, Packed) else x


SAVED = ("self", "other", "mat1", "mat2", "vec", "tensor", "exponent", "condition", "mask", "index", "input", "weight",
         "bias", "target")  # fmt: skip


def class_name(node: Any) -> str:
    """Return `type(node).__name__`: the name without its C++ namespace."""
    name = str(getattr(node, "_name", "") or node.name())
    return "CppFunction" if name == "torch::autograd::Identity" else name.rpartition("::")[2]


def saved_input(name: str) -> Callable[[Node], Any]:
    """Make the getter of `_saved_self` and the like: an input that the node saved, None where no gradient needs it."""

    def get(node: Node) -> Any:
        if name in node.options:
            return node.options[name]
        names = node.primitive.inputs
        position = names.index(name) if name in names else OUT
        of_rules = node.primitive.saved_for(node.edges)
        if position == OUT or not any(position in positions for positions in of_rules):
            raise absent(node, f"_saved_{name}")
        if position not in saved_positions(node):
            return None
        x = operands(node, True)[0][position]
        check_versions(node, {position})
        return x if isinstance(x, Tensor) else Tensor(np.array(x)[()])

    return get


def saved_result(node: Node) -> Any:
    if not node.primitive.saves_out:
        raise absent(node, "_saved_result")
    result = operands(node, True)[1]
    check_versions(node, {OUT})
    result.history = node.saved_out[0] if node.saved_out is not None else result.history
    return result


def absent(node: Node, name: str) -> UnsupportedError:
    """Return the error for something that torch's node may have saved under this name."""
    return UnsupportedError(f"{class_name(node)}.{name} is not supported here")


SAVED_VALUES: dict[str, Callable[[Node], Any]] = {
    **{f"_saved_{name}": saved_input(name) for name in SAVED},
    "_saved_result": saved_result,
}
