"""The module `torch.autograd`, whose larger parts are loaded when a snippet asks for them."""

from __future__ import annotations

from functools import partial
from importlib import import_module
from typing import Any

from gradcli.engine.tensor import Tensor
from gradcli.script.machine import running
from gradcli.script.python.values.attributes import BuiltinType, Namespace
from gradcli.script.torch.autograd import grad_modes
from gradcli.script.torch.autograd.backward import backward, gradient
from gradcli.script.torch.autograd.grad_modes import MODES

ANOMALY: dict[str, Any] = {
    "detect_anomaly": grad_modes.detect_anomaly,
    "set_detect_anomaly": grad_modes.set_detect_anomaly,
}


def variable(data: Any, requires_grad: bool = False, **_: Any) -> Tensor:
    """`torch.autograd.Variable`: a tensor on the same memory."""
    if not isinstance(data, Tensor):
        raise TypeError(f"Variable data has to be a tensor, but got {type(data).__name__}")
    result: Tensor = data.detach()
    result.requires_grad = requires_grad
    if running.machine.timeline is not None:
        running.machine.timeline.copied([data], result, "Variable()")
    return result


VARIABLE = BuiltinType("Variable", Tensor, variable, module="torch.autograd.variable")
AUTOGRAD: dict[str, Any] = {
    **MODES,
    **ANOMALY,
    "backward": backward,
    "grad": gradient,
    "Variable": VARIABLE,
}
SMALL: dict[str, dict[str, Any]] = {
    "torch.autograd.grad_mode": MODES,
    "torch.autograd.anomaly_mode": ANOMALY,
    "torch.autograd.variable": {"Variable": VARIABLE},
}
# The parts that are loaded when they are asked for.
PARTS = {
    "function": "functions",
    "functional": "derivatives",
    "gradcheck": "gradcheck",
    "graph": "graph",
    "forward_ad": "dual",
}
WITHIN = {"Function": "function", "gradcheck": "gradcheck", "gradgradcheck": "gradcheck"}  # names of torch.autograd


def part(name: str) -> Namespace:
    """Return a part of `torch.autograd`."""
    members = import_module(f"gradcli.script.torch.autograd.{PARTS[name]}").MEMBERS
    return Namespace(f"torch.autograd.{name}", without_operations(members) if name == "functional" else members)


def find(name: str) -> Any:
    """Find a part of `torch.autograd`, or a name that is defined in one."""
    if name in WITHIN:
        return part(WITHIN[name]).get(name)
    full_name = f"torch.autograd.{name}"
    return part(name) if name in PARTS else Namespace(full_name, SMALL[full_name]) if full_name in SMALL else None


def without_operations(members: dict[str, Any]) -> dict[str, Any]:
    """Wrap the functions for the timeline, if there is one, so that it leaves out the passes inside of them."""
    timeline = running.machine.timeline
    if timeline is None:
        return members
    return {name: timeline.without_operations(member) for name, member in members.items()}


def namespace(name: str) -> Namespace:
    """Make `torch.autograd`, in which the module `gradcheck` is hidden by the function of this name."""
    return Namespace(name, AUTOGRAD, find, known=[*WITHIN, *PARTS], hidden={"gradcheck": partial(part, "gradcheck")})
