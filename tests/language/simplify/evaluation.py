"""The value of a scalar formula with many digits, so that rounding hides no mistake."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any

import mpmath

from gradcli.language.tree import Expression
from tests.fuzz.laws import precise
from tests.fuzz.laws.precise import NotFiniteError

__all__ = ["DIGITS", "LARGEST", "NotFiniteError", "value"]

DIGITS = 60
LARGEST = mpmath.mpf(sys.float_info.max)


def value(tree: Expression, point: Mapping[str, Any], largest: Any = LARGEST, digits: int = DIGITS) -> Any:
    """Return the value of a formula at a point of floats as they are; NotFiniteError where a part of it has none."""
    with mpmath.workdps(digits):
        names = {name: mpmath.mpf(x) for name, x in point.items()}
    return precise.value(tree, names, largest, digits)
