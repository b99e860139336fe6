"""Values of which the shape is known and nothing else: torch did not keep them, or they are too large to be shown."""

from __future__ import annotations

from typing import Any

import numpy as np


class Unkept(np.ndarray[Any, np.dtype[Any]]):
    """An array without numbers; whoever computes with it has nan."""


def unkept(shape: tuple[int, ...]) -> Unkept:
    """Return the value that stands for an array of this shape; it takes no memory."""
    return np.broadcast_to(np.nan, shape).view(Unkept)
