"""`torch.rsub` and `torch.fill`, with a number or a tensor."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradcli.engine.primitive import Primitive
from gradcli.engine.symbolic.notation import call
from gradcli.engine.tensor import Tensor
from gradcli.ops.reducing.reductions import total
from gradcli.ops.support.calling import ops
from gradcli.ops.support.forgetting import forgotten, nothing
from gradcli.script.torch.operations.overloads import refusal


def rsub(input: Tensor, other: Any, *, alpha: float = 1) -> Any:
    """Return `other - alpha*input`."""
    if not isinstance(input, Tensor):
        single = "rsub(): argument 'input' (position 1) must be Tensor, not int"
        raise TypeError(refusal("rsub", (input, other), {}, single, method=False))
    if isinstance(other, Tensor):
        return _reversed(input, other, **({} if alpha == 1 else {"alpha": alpha}))
    if alpha == 1:
        return ops.sub(other, input)
    return ops.sub(other, ops.mul(input, alpha))


def _less(x: Any, other: Any, *, alpha: float = 1) -> Any:
    return other - x * alpha if alpha != 1 else other - x


_reversed = Primitive(
    "rsub_tensor",
    _less,
    (
        lambda g, out, x, other, *, alpha=1: -g * alpha if alpha != 1 else -g,
        lambda g, out, x, other, *, alpha=1: g,
    ),
    "RsubBackward0",
    call("rsub", _less),
)


def fill(input: Tensor, value: Any) -> Any:
    """Return a tensor of the same shape with one number everywhere."""
    if not isinstance(value, Tensor):
        return forgotten("FillBackward0", np.full_like(input.value, value)[()], input)
    if value.ndim:
        raise RuntimeError(f"fill only supports 0-dimension value tensor but got tensor with {value.ndim} dimensions.")
    return _filled(input, value)


def _fill(x: Any, value: Any) -> Any:
    return np.full_like(x, value)[()]


_filled = Primitive(
    "fill",
    _fill,
    (lambda g, out, x, value: nothing(x), lambda g, out, x, value: total(g)),
    "FillBackward1",
    call("fill", _fill),
    structured=True,
)
