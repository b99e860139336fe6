"""`torch.autograd.forward_ad`: dual numbers, a value and its tangent."""

from __future__ import annotations

from typing import Any, NamedTuple

from gradcli.engine import tangents
from gradcli.engine.graph import rename
from gradcli.engine.modes import mode, switched
from gradcli.engine.recorder import leave, listen, listening
from gradcli.engine.tensor import Tensor, is_floating
from gradcli.ops.shaping.shaping import clone
from gradcli.ops.support.calling import ops
from gradcli.script.errors import UnsupportedError
from gradcli.script.python.text.formatting import REPRESENTATIONS, represent
from gradcli.script.python.values.attributes import BuiltinType, Facade, describe
from gradcli.script.python.values.builtins import TYPES
from gradcli.script.torch.tensor import printing

NO_LEVEL = "Trying to create a dual Tensor for forward AD but no level exists, make sure to enter_dual_level() first."


class UnpackedDualTensor(NamedTuple):
    """A value and its tangent, None for a constant."""

    primal: Tensor
    tangent: Tensor | None


class dual_level(Facade):  # noqa: N801  torch's name
    """Carry tangents through the operations of a `with` block."""

    __module__ = "torch.autograd.forward_ad"

    def __init__(self) -> None:
        self._level = tangents.Level()

    def __enter__(self) -> int:
        if listening(tangents.Level):
            raise RuntimeError("Nested forward mode AD is not supported at the moment")
        listen(self._level)
        printing.print_options().suffixes.append(tangent_text)
        return 0

    def __exit__(self, *_: Any) -> None:
        leave(self._level)
        printing.print_options().suffixes.remove(tangent_text)


def tangent_of(x: Tensor) -> Tensor | None:
    levels = listening(tangents.Level)
    return levels[0].get(x) if levels else None


def untold(level: tangents.Level, tangent: Tensor) -> Tensor:
    """Return a tangent for snippets: where a rule gave it with a graph, torch's nodes are others than ours."""
    if tangent not in level.derived or not (tangent.requires_grad and mode.grad_enabled):
        return tangent
    with switched(tape=None):
        copied: Tensor = clone(tangent)
    printing.UNTOLD.add(copied.node)
    return copied


def tangent_text(x: Tensor) -> str:
    """Return the text of a tangent, which is printed after the value of a dual tensor; empty if there is none."""
    levels = listening(tangents.Level)
    tangent = tangent_of(x)
    if tangent is not None:
        tangent = untold(levels[0], tangent)
    return "" if tangent is None else f"tangent={printing.format_tensor(tangent)}"


def check_dual(tensor: Any, tangent: Any) -> None:
    """Refuse a value and a tangent that do not fit."""
    for name, x in (("primal", tensor), ("tangent", tangent)):
        if not isinstance(x, Tensor):
            raise AttributeError(f"'{type(x).__name__}' object has no attribute 'is_floating_point'")
        if not is_floating(x.value):
            raise ValueError(
                f"Expected {name} to be floating point or complex, but got: {printing.dtype_text(x.dtype)}"
            )
    if tensor.dtype != tangent.dtype:
        raise UnsupportedError("a tangent of another dtype than its tensor is not supported here", help="convert it")
    if tensor.shape != tangent.shape:
        raise RuntimeError(
            "Trying to set a forward gradient that has a different size than that of the original Tensor, this is not "
            f"supported. Tensor is of size {list(tensor.shape)} while the given forward gradient is of size "
            f"{list(tangent.shape)}."
        )


def _alias(x: Tensor) -> Tensor:
    """Return another tensor on the same memory, without a tangent."""
    with switched(tape=None):
        return ops.view(x, x.shape) if x.requires_grad else x.detach()


def make_dual(tensor: Any, tangent: Any, *, level: int | None = None) -> Tensor:
    """Return the tensor with a tangent: another tensor on the same memory."""
    levels = listening(tangents.Level)
    if not levels:
        raise RuntimeError(NO_LEVEL)
    check_dual(tensor, tangent)
    if levels[0].get(tensor) is not None:
        raise RuntimeError(
            "Making a dual Tensor based on a Tensor that already has a forward gradient at the same level 0 is not "
            "supported."
        )
    if levels[0].get(tangent) is not None:
        raise RuntimeError(
            "Setting a forward grad that itself has a forward gradient at the same level0 is not supported."
        )
    return levels[0].separate(_alias(tensor), tangent)


def unpack_dual(tensor: Tensor, *, level: int | None = None) -> UnpackedDualTensor:
    """Return the value without its tangent, and the tangent."""
    for active in listening(tangents.Level)[:1]:
        tangent = active.get(tensor)
        if tangent is not None:
            primal = _alias(tensor)
            rename(primal.node, {"ViewBackward0": "torch::autograd::Identity"})
            return UnpackedDualTensor(active.separate(primal, None), untold(active, tangent))
    return UnpackedDualTensor(tensor, None)


def enter_dual_level() -> int:
    dual_level().__enter__()
    return 0


def exit_dual_level(*, level: int | None = None) -> None:
    if not listening(tangents.Level):
        raise RuntimeError("Dual level must be a positive number.")
    for active in listening(tangents.Level)[:1]:
        leave(active)
        printing.print_options().suffixes.remove(tangent_text)


describe(
    UnpackedDualTensor,
    getters={"primal": lambda pair: pair.primal, "tangent": lambda pair: pair.tangent},
)
TYPES[UnpackedDualTensor] = BuiltinType("UnpackedDualTensor", UnpackedDualTensor, module="torch.autograd.forward_ad")
REPRESENTATIONS[UnpackedDualTensor] = lambda pair: (
    f"UnpackedDualTensor(primal={represent(pair.primal)}, tangent={represent(pair.tangent)})"
)
MEMBERS: dict[str, Any] = {
    "dual_level": dual_level,
    "make_dual": make_dual,
    "unpack_dual": unpack_dual,
    "enter_dual_level": enter_dual_level,
    "exit_dual_level": exit_dual_level,
    "UnpackedDualTensor": TYPES[UnpackedDualTensor],
}
