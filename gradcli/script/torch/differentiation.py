"""The module `torch.autograd`, and `torch.func`."""

from __future__ import annotations

from typing import Any

from gradcli.engine.modes import mode
from gradcli.engine.tensor import Tensor
from gradcli.script.python.attributes import Namespace
from gradcli.script.torch import autograd, derivatives, transforms
from gradcli.script.torch.functions import Context, Function, once_differentiable
from gradcli.script.torch.gradcheck import gradcheck, gradgradcheck

MODES: dict[str, Any] = {
    "no_grad": autograd.switched(False),
    "enable_grad": autograd.switched(True),
    "inference_mode": autograd.switched(False),
    "set_grad_enabled": autograd.SetGradEnabled,
}


def variable(data: Any, requires_grad: bool = False, **_: Any) -> Tensor:
    """`torch.autograd.Variable`: long since a tensor, on the same memory."""
    if not isinstance(data, Tensor):
        raise TypeError(f"Variable data has to be a tensor, but got {type(data).__name__}")
    made: Tensor = data.detach()
    made.requires_grad = requires_grad
    return made


AUTOGRAD: dict[str, Any] = {
    **MODES,
    "backward": autograd.backward,
    "grad": autograd.gradient,
    "Function": Function,
    "Variable": variable,
    "gradcheck": gradcheck,
    "gradgradcheck": gradgradcheck,
    "detect_anomaly": autograd.DetectAnomaly,
    "set_detect_anomaly": autograd.SetDetectAnomaly,
}
SMALL: dict[str, dict[str, Any]] = {
    "torch.autograd.grad_mode": MODES,
    "torch.autograd.function": {
        "Function": Function,
        "FunctionCtx": Context,
        "once_differentiable": once_differentiable,
    },
    "torch.autograd.functional": derivatives.MEMBERS,
    "torch.autograd.gradcheck": {"gradcheck": gradcheck, "gradgradcheck": gradgradcheck},
    "torch.autograd.anomaly_mode": {
        "detect_anomaly": autograd.DetectAnomaly,
        "set_detect_anomaly": autograd.SetDetectAnomaly,
    },
    "torch.autograd.variable": {"Variable": variable},
}


def namespace(name: str) -> Namespace:
    """`torch.autograd`, one of its parts, or `torch.func`."""
    if name == "torch.func":
        return Namespace(name, transforms.MEMBERS)
    if name in SMALL:
        return Namespace(name, SMALL[name])
    parts = {part.rpartition(".")[2]: namespace(part) for part in SMALL}
    return Namespace(name, {**parts, **AUTOGRAD, "is_grad_enabled": lambda: mode.grad_enabled})
