"""The reasons for which numpy could not compute, in torch's words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gradcli.engine.checks.shapes import broadcastable, mismatch
from gradcli.engine.modes import mode
from gradcli.engine.primitive import Primitive
from gradcli.engine.tensor import Tensor
from gradcli.errors import AutogradError

INVERT = "If you are trying to invert a mask, use the `~` or `logical_not()` operator instead."


def refusal(primitive: Primitive, values: Sequence[Any], error: Exception) -> Exception:
    """Return the error to raise for a primitive that failed: the same one, unless the values explain it."""
    if primitive.name == "neg" and values[0].dtype == np.bool_:
        return AutogradError(f"Negation, the `-` operator, on a bool tensor is not supported. {INVERT}")
    if "difference" in primitive.traits:
        check_difference(values)
    if primitive.name.startswith("pow") and isinstance(error, ValueError) and "negative integer powers" in str(error):
        return AutogradError(
            "Integers to negative integer powers are not allowed.", help="give the base or the exponent as a float"
        )
    if isinstance(error, ValueError) and not primitive.structured and not broadcastable(values):
        return mismatch(values)
    return error


def check_difference(values: Sequence[Any]) -> None:
    """Refuse to subtract booleans, where numpy would take them for numbers."""
    booleans = [isinstance(value, bool) or getattr(value, "dtype", None) == np.bool_ for value in values]
    if not any(booleans):
        return
    how = "with two bool tensors" if all(booleans) else "with a bool tensor"
    advice = "Use the `^` or `logical_xor()` operator instead." if all(booleans) else INVERT
    raise AutogradError(f"Subtraction, the `-` operator, {how} is not supported. {advice}")


def check_constant(function: str, argument: str, value: Tensor) -> None:
    """Refuse a tensor that requires a gradient where torch gives that argument none."""
    AutogradError.when(
        value.requires_grad and mode.grad_enabled,
        f"The function '{function}' is not differentiable with respect to argument '{argument}'. This input cannot "
        "have requires_grad True.",
        help=f"write the numbers of {argument} in the call, or detach it",
    )
