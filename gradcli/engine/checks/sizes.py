"""The largest result of one operation: more is a slip, and not worth a machine out of memory."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from gradcli.engine.checks.shapes import broadcast_shapes
from gradcli.engine.modes import mode
from gradcli.errors import EvaluationError


def check_size(shape: tuple[int, ...]) -> None:
    """Refuse a result of absurd size before memory is taken; a dimension of 0 excuses no other."""
    if (size := math.prod(length or 1 for length in shape)) > mode.largest:
        raise too_large(f"a result of shape {shape} has {size:,} entries")


def check_broadcast(values: Sequence[Any]) -> None:
    """Refuse arrays that broadcast to absurd size; others that do not broadcast are left to their operation."""
    most = 1
    for value in values:
        if type(value) is np.ndarray:
            most *= value.size
    if most > mode.largest:
        shapes = [np.shape(value) for value in values]
        if any(shape != shapes[0] for shape in shapes):
            try:
                shape = broadcast_shapes(*shapes)
            except ValueError:
                return
            check_size(shape)


def too_large(what: str) -> EvaluationError:
    return EvaluationError(
        "E210",
        f"{what}, and {mode.largest:,} are the limit",
        label="too large",
        help="try it at a smaller size: the rules stay the same",
    )
