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
from gradcli.engine.saved import saved
from gradcli.engine.tensor import Tensor
from gradcli.errors import AutogradError
from gradcli.script.errors import UnsupportedError
from gradcli.script.python.text.formatting import represent
from gradcli.script.python.values.attributes import BuiltinType, Facade

CHANGED = (
    "A saved tensor pack hook is modifying its input in place. Tensors provided as input to pack hook cannot be "
    "modified by in-place operations as this can lead to unexpected side-effects. Please open an issue if you need to "
    "perform in-place operations on the input to a pack hook."
)


FREED = (
    "Calling register_hooks on a saved tensor after it has been freed. Saved intermediate values of the graph are "
    "freed when you call .backward() or autograd.grad(). Specify retain_graph=True if you need to backward through the "
    "graph a second time or if you need to access saved variables after calling backward."
)
HOOKED = (
    "Calling register_hooks on a saved tensor whose hooks have already been set. Hint: only one pair of hooks is "
    "allowed at a time."
)


FOR_NOTHING = "Calling register_hooks on a saved tensor with value None is forbidden"
NO_FUNCTIONS = (
    "register_hooks(): incompatible function arguments. The following argument types are supported:\n"
    "    1. (self: torch._C._autograd.SavedTensor, arg0: collections.abc.Callable, arg1: collections.abc.Callable) -> "
    "None\n"
)
FORBIDDEN = "Trying to create a SavedTensor object from Python is forbidden."
NOTHING = object()  # stands for a saved None


class Packed:
    """A saved tensor in the form that `pack` gave it."""

    def __init__(self, packer: Packer, x: Tensor) -> None:
        self.packer = packer
        self.node, self.shape = x.node, x.shape
        before = len(x.history or ())
        with set_grad_enabled(False):
            self.content = packer.pack(x)
        if len(x.history or ()) > before:
            raise AutogradError(CHANGED)

    def tensor(self) -> Tensor:
        """Return what `unpack` gave; for a tensor that requires grad, another one on its memory, at the same node."""
        found = self.packer.unpack(self.content)
        if not isinstance(found, Tensor):
            raise TypeError(
                f"Output of saved tensor unpack_hook expected to be a Tensor but got result of type {type_name(found)}"
            )
        if found.shape != self.shape:
            raise UnsupportedError("an unpack hook that gives a tensor of another shape is not supported here")
        if self.node is None:
            return found
        same = found.detach()
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
        for position in in_order(node.primitive.inputs, saved(node)):
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
        found = {position: unpacked(self.held[position]) for position in in_order(self.operands, self.held)}
        return tuple(found[n] for n in range(self.count)), found[OUT].value if OUT in found else self.out


def packed_by(node: Any) -> list[Packed]:
    """Return the saved tensors of a node that are packed."""
    entries = node.hooks.packed if isinstance(node, Node) and node.hooks is not None else None
    return [x for x in entries.held.values() if isinstance(x, Packed)] if isinstance(entries, Entries) else []


class SavedTensor(Facade):
    """One tensor that a node saved, `_raw_saved_self`; it takes a pair of hooks of its own.

    `read` returns it, packed or not, or None when it is freed; `write` takes it back packed.
    """

    def __init__(self, read: Callable[[], Any], write: Callable[[Packed], None], of_result: bool = False) -> None:
        self._read = read
        self._write = write
        self._of_result = of_result

    @property
    def data(self) -> Any:
        """The result of `pack`, or the tensor: detached, where it is the result of the node."""
        x = self._read()
        if isinstance(x, Packed):
            return x.content
        if x is NOTHING:
            return None
        return x.detach() if isinstance(x, Tensor) and self._of_result else x

    @property
    def unpack_hook(self) -> Any:
        x = self._read()
        return x.packer.unpack if isinstance(x, Packed) else None

    def unpack(self) -> Any:
        """Return the tensor, as the hook gives it."""
        x = unpacked(self._read())
        return None if x is NOTHING else x

    def register_hooks(self, *hooks: Any) -> None:
        """Pack the tensor now with the first of two functions, and unpack it with the second when it is read."""
        if len(hooks) != 2 or not all(map(callable, hooks)):
            raise TypeError(f"{NO_FUNCTIONS}\nInvoked with: {', '.join(map(represent, (self, *hooks)))}")
        pack_hook, unpack_hook = hooks
        x = self._read()
        if x is NOTHING:
            raise RuntimeError(FOR_NOTHING)
        if x is None:
            raise RuntimeError(FREED)
        if isinstance(x, Packed):
            raise RuntimeError(HOOKED)
        self._write(Packed(Packer(pack_hook, unpack_hook), x))


def _forbidden(*_: Any) -> None:
    raise RuntimeError(FORBIDDEN)


SavedTensor.__module__ = "torch._C._autograd"
SAVED_TENSOR = BuiltinType("SavedTensor", SavedTensor, _forbidden, module="torch._C._autograd")


def saved_tensor(node: Node, position: int) -> SavedTensor:
    """Return the tensor at a position of a node, or its result, as one that takes hooks."""

    def entries() -> Entries | None:
        if node.inputs is not None:
            return Entries(node)
        packed = node.hooks.packed if node.hooks is not None else None
        return packed if isinstance(packed, Entries) else None

    def read() -> Any:
        found = entries()
        if found is None:
            return None
        x = found.held.get(position)
        if x is None and position == OUT:
            return Tensor(found.out, node)
        return x if isinstance(x, Tensor | Packed) else Tensor(np.array(x)[()])

    def write(x: Packed) -> None:
        found = entries()
        assert found is not None
        found.pack(node, position, x)

    return SavedTensor(read, write, position == OUT)


@contextmanager
def packing(packer: Packer) -> Iterator[None]:
    """Let the hooks hold inside the block."""
    listen(packer)
    try:
        yield
    finally:
        leave(packer)


class Refusal:
    """The message with which a run refuses hooks on saved tensors; None where it takes them."""

    message: str | None = None


def packed(x: Any) -> Any:
    """Pack a tensor that a function of the snippet saves, if hooks hold; other values pass through."""
    packers = listening(Packer) if isinstance(x, Tensor) else []
    return Packed(packers[0], x) if packers else x


def unpacked(x: Any) -> Any:
    return x.tensor() if isinstance(x, Packed) else x
