"""`torch.autograd.forward_ad`: dual numbers, a value and its tangent."""

from __future__ import annotations

from typing import Any, NamedTuple

from gradcli.engine import tangents
from gradcli.engine.modes import mode, refuse_examples, switched
from gradcli.engine.recorder import leave, listen, listening
from gradcli.engine.tensor import Tensor, is_floating
from gradcli.ops.support.calling import ops
from gradcli.ops.support.constant_nodes import pass_through
from gradcli.script.errors import UnsupportedError
from gradcli.script.python.members.tables import describe
from gradcli.script.python.text.formatting import REPRESENTATIONS, with_fields
from gradcli.script.python.values.attributes import BuiltinType, Facade
from gradcli.script.python.values.builtins import TYPES
from gradcli.script.torch.tensor import printing

NO_LEVEL = "Trying to create a dual Tensor for forward AD but no level exists, make sure to enter_dual_level() first."


class UnpackedDualTensor(NamedTuple):
    """A value and its tangent, None for a constant."""

    primal: Tensor
    tangent: Tensor | None


def levels() -> list[tangents.Level]:
    """Return the levels that are open, the latest first."""
    return listening(tangents.Level)


class dual_level(Facade):  # noqa: N801  torch's name
    """Carry tangents through the operations of a `with` block."""

    __module__ = "torch.autograd.forward_ad"

    def __init__(self) -> None:
        self._level = tangents.Level()

    def __enter__(self) -> int:
        if levels():
            raise RuntimeError("Nested forward mode AD is not supported at the moment")
        listen(self._level)
        printing.print_options().suffixes.append(tangent_text)
        return 0

    def __exit__(self, *_: Any) -> None:
        _leave(self._level)


def _leave(level: tangents.Level) -> None:
    leave(level)
    printing.print_options().suffixes.remove(tangent_text)


def tangent_text(x: Tensor) -> str:
    """Return the text of a tangent, which is printed after the value of a dual tensor; empty if there is none."""
    tangent = next((level.get(x) for level in levels()), None)
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


primal = pass_through("primal", "torch::autograd::Identity", view=True)


def _alias(x: Tensor) -> Tensor:
    """Return another tensor on the same memory, without a tangent."""
    with switched(tape=None):
        alias: Tensor = ops.view(x, x.shape) if x.requires_grad else x.detach()
    return alias


def make_dual(tensor: Any, tangent: Any, *, level: int | None = None) -> Tensor:
    """Return the tensor with a tangent: another tensor on the same memory."""
    if not levels():
        raise RuntimeError(NO_LEVEL)
    check_dual(tensor, tangent)
    refuse_examples("dual", tensor, tangent)
    newest = levels()[0]
    if newest.get(tensor) is not None or newest.get(tangent) is not None:
        raise RuntimeError("a dual Tensor of a Tensor that already has a forward gradient is not supported")
    return newest.mark_dual(_alias(tensor), None if mode.inference else tangent)


def unpack_dual(tensor: Tensor, *, level: int | None = None) -> UnpackedDualTensor:
    """Return another tensor on the same memory, without a tangent, and the tangent; outside of a level the tensor."""
    for active in levels()[:1]:
        with switched(tape=None):
            alias = primal(tensor)
        return UnpackedDualTensor(active.mark_dual(alias, None), active.get(tensor))
    return UnpackedDualTensor(tensor, None)


def exit_dual_level(*, level: int | None = None) -> None:
    if not levels():
        raise RuntimeError("Dual level must be a positive number.")
    _leave(levels()[0])


describe(
    UnpackedDualTensor,
    getters={"primal": lambda pair: pair.primal, "tangent": lambda pair: pair.tangent},
)
TYPES[UnpackedDualTensor] = BuiltinType("UnpackedDualTensor", UnpackedDualTensor, module="torch.autograd.forward_ad")
REPRESENTATIONS[UnpackedDualTensor] = lambda pair: with_fields("UnpackedDualTensor", pair._asdict().items())
MEMBERS: dict[str, Any] = {
    "dual_level": dual_level,
    "make_dual": make_dual,
    "unpack_dual": unpack_dual,
    "exit_dual_level": exit_dual_level,
    "UnpackedDualTensor": TYPES[UnpackedDualTensor],
}
