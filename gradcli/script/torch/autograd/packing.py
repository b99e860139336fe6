"""Hooks on saved tensors: `pack` is called when a node saves one, `unpack` when the backward pass reads it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from gradcli.engine.dtypes import type_name
from gradcli.engine.graph import Node
from gradcli.engine.modes import set_grad_enabled
from gradcli.engine.primitive import OUT
from gradcli.engine.recorder import Application, leave, listen, listening
from gradcli.engine.saved import saved
from gradcli.engine.tensor import Tensor
from gradcli.errors import AutogradError

CHANGED = (
    "A saved tensor pack hook is modifying its input in place. Tensors provided as input to pack hook cannot be "
    "modified by in-place operations as this can lead to unexpected side-effects. Please open an issue if you need to "
    "perform in-place operations on the input to a pack hook."
)


class Packed:
    """A saved tensor in the form that `pack` gave it."""

    def __init__(self, packer: Packer, x: Tensor) -> None:
        self.packer = packer
        self.node = x.node
        before = len(x.history or ())
        with set_grad_enabled(False):
            self.content = packer.pack(x)
        if len(x.history or ()) > before:
            raise AutogradError(CHANGED)

    def tensor(self) -> Tensor:
        """Return the result of `unpack`, at the node of the tensor that was saved."""
        found = self.packer.unpack(self.content)
        if not isinstance(found, Tensor):
            raise TypeError(
                f"Output of saved tensor unpack_hook expected to be a Tensor but got result of type {type_name(found)}"
            )
        return found if found.node is self.node else Tensor(found.value, self.node)


class Packer:
    """A pair of hooks, which listens to operations; the latest pair holds."""

    def __init__(self, pack: Callable[[Tensor], Any], unpack: Callable[[Any], Any]) -> None:
        self.pack = pack
        self.unpack = unpack

    def append(self, application: Application) -> None:
        """Pack the tensors that the new node saved, the last operand first, as torch does."""
        node = application.out.node
        if not isinstance(node, Node) or node.inputs is None:  # packed already, by the latest
            return
        held: dict[int, Any] = dict(enumerate(node.inputs))
        for position in sorted(saved(node), reverse=True):
            x = application.out if position == OUT else held[position]
            if isinstance(x, Tensor):
                held[position] = Packed(self, x)
        out, count = node.out, len(node.inputs)

        def read() -> tuple[tuple[Any, ...], Any]:
            found = {position: unpacked(held[position]) for position in sorted(held, reverse=True)}
            return tuple(found[n] for n in range(count)), found[OUT].value if OUT in found else out

        if any(isinstance(x, Packed) for x in held.values()):
            node.with_hooks().packed = read
            node.inputs = node.saved_out = None


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
