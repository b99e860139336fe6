"""Numbers at equal distances, rounded as torch's kernels for `arange`, `linspace` and `logspace` do."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gradcli.engine.numerics.fusing import fused

LANE_BYTES = 32  # of a processor with AVX2: torch fills whole pairs of such lanes, then single numbers

Array = np.ndarray[Any, Any]


def check_step(first: float, last: float, step: float) -> None:
    """Raise RuntimeError for a step of zero, or one that leads away from the last number."""
    if step == 0:
        raise RuntimeError("step must be nonzero")
    if (last - first) / step < 0:
        raise RuntimeError("upper bound and lower bound inconsistent with step sign")


def counted(first: float, step: float, count: int, dtype: np.dtype[Any]) -> Array:
    """Return `first + step*i`, in float64, except that the first of every lane is rounded before the others follow."""
    lane = LANE_BYTES // dtype.itemsize
    position = np.arange(count, dtype=np.float64)
    singly = fused(position, step, first).astype(dtype)
    whole = count // (2 * lane) * 2 * lane
    starts = singly[:whole:lane, None].astype(np.float64)
    lanes = fused(np.tile(np.arange(lane, dtype=np.float64), (len(starts), 1)), step, starts)
    return np.concatenate([lanes.reshape(-1).astype(dtype), singly[whole:]])


def spaced(first: Any, last: Any, steps: int, add: Callable[[Array, Any, Any], Array] = fused) -> Array:
    """Return numbers from the first to the last, counted from the nearer end so that both are exact."""
    if steps == 1:
        return np.array([first])
    step = (last - first) / type(first)(max(steps - 1, 1))
    position = np.arange(steps).astype(first.dtype)
    from_end = type(first)(steps - 1) - position
    numbers: Array = np.where(position < steps // 2, add(position, step, first), add(from_end, -step, last))
    return numbers


def powers(base: float, first: float, last: float, steps: int) -> Array:
    """Return powers of the base with exponents at equal distances, in float64, each product and sum rounded."""
    exponents = spaced(np.float64(first), np.float64(last), steps, lambda a, b, c: a * b + c)
    return np.array([np.float64(base) ** x for x in exponents])  # as C has it; numpy's of arrays is less exact
