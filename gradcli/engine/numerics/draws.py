"""Numbers that look random and are the same each time, without `numpy.random`, whose import takes longer.

They are those of SplitMix64: G. Steele, D. Lea, C. Flood, "Fast splittable pseudorandom number generators", 2014.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

STEP, FIRST, SECOND = (np.uint64(number) for number in (0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB))


class Draws:
    """A sequence of numbers, of which each call takes the next ones."""

    def __init__(self) -> None:
        self.count = 0

    def uniform(self, low: float, high: float, shape: tuple[int, ...]) -> Any:
        """Return numbers between two bounds, the lower one included."""
        size = math.prod(shape)
        mixed = np.arange(self.count + 1, self.count + size + 1, dtype=np.uint64) * STEP
        self.count += size
        mixed = (mixed ^ (mixed >> np.uint64(30))) * FIRST
        mixed = (mixed ^ (mixed >> np.uint64(27))) * SECOND
        mixed ^= mixed >> np.uint64(31)
        return low + (high - low) * ((mixed >> np.uint64(11)) * 2.0**-53).reshape(shape)

    def signs(self, shape: tuple[int, ...]) -> Any:
        """Return numbers that are 1 or -1."""
        return np.where(self.uniform(0, 1, shape) < 0.5, -1.0, 1.0)
