"""Inference mode: tensors that are made inside have no version, and no graph may save them."""

from __future__ import annotations

from typing import Any

from gradcli.engine.graph import Node, Unversioned
from gradcli.engine.modes import mode
from gradcli.engine.recorder import Application, leave, listen
from gradcli.engine.saved import saved
from gradcli.engine.tensor import Tensor
from gradcli.errors import AutogradError

NOT_SAVED = (
    "Inference tensors cannot be saved for backward. Please do not use Tensors created in inference mode in "
    "computation tracked by autograd. To work around this, you can make a clone to get a normal tensor and use it in "
    "autograd, or use `torch.no_grad()` instead of `torch.inference_mode()`."
)


class Marks:
    """Listens to operations: marks their results in inference mode, and refuses to save such tensors outside of it."""

    def append(self, application: Application) -> None:
        out = application.out
        if mode.inference:
            mark(out)
        elif isinstance(out.node, Node) and any(map(is_inference, application.inputs)):
            positions = saved(out.node)
            if any(is_inference(x) and position in positions for position, x in enumerate(application.inputs)):
                raise AutogradError(NOT_SAVED, code="E304", help="use it under no_grad(), or clone() it")


marks = Marks()


def mark(x: Tensor) -> None:
    """Make an inference tensor of a result, unless it is a view."""
    if x.base is None and not x.history:
        x.history = Unversioned()


def is_inference(x: Any) -> bool:
    return isinstance(x, Tensor) and isinstance(x.history, Unversioned)


def check_required(x: Tensor, required: bool) -> None:
    """Raise AutogradError if an inference tensor is to require grad outside of the mode."""
    if required and is_inference(x) and not mode.inference:
        raise AutogradError("Setting requires_grad=True on inference tensor outside InferenceMode is not allowed.")


def switch(enabled: bool) -> bool:
    """Set inference mode, and return it as it was; from the first time on, operations are listened to."""
    before, mode.inference = mode.inference, enabled
    if enabled:
        leave(marks)
        listen(marks)
    return before
