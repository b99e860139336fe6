"""Why numpy could not compute, in torch's words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gradcli.engine.shapes import broadcastable, mismatch
from gradcli.errors import AutogradError

OPERATORS = {"neg": "Negation", "sub": "Subtraction", "sub_scaled": "Subtraction", "rsub": "Subtraction"}


def refusal(name: str, values: Sequence[Any], structured: bool, error: Exception) -> Exception:
    """The error to raise for a primitive that failed: the same one, unless the values explain it."""
    types = [getattr(value, "dtype", None) for value in values]
    if name in OPERATORS and np.bool_ in types:
        return AutogradError(
            f"{OPERATORS[name]}, the `-` operator, on a bool tensor is not supported.",
            help="logical_not() inverts a mask",
        )
    if name.startswith("pow") and isinstance(error, ValueError) and "negative integer powers" in str(error):
        return AutogradError(
            "Integers to negative integer powers are not allowed.", help="give the base or the exponent as a float"
        )
    if isinstance(error, ValueError) and not structured and not broadcastable(values):
        return mismatch(values)
    return error
