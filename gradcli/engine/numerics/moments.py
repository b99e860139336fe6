"""Mean and variance of rows in the order of torch's layer norm: one pass (Welford 1962), in lanes of eight entries.

The parts of the lanes are put together one after the other (Chan et al. 1979); where torch multiplies and adds in one
rounding, so does this.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from gradcli.engine.numerics.precision import SINGLE

Array = Any  # np.ndarray

LANES = 8
LONGEST = 16 * LANES  # longer rows are split into parts again
ONE = np.float32(1)


def of_rows(x: Array) -> tuple[Array, Array]:
    """Return the mean and the variance (over all entries, not one less) of each row of a matrix, as columns."""
    count = x.shape[1]
    if x.dtype is not SINGLE or count > LONGEST:
        mean = np.mean(x, axis=1, keepdims=True)
        centred = x - mean
        return mean, np.mean(centred * centred, axis=1, keepdims=True)
    groups = count // LANES
    means, spreads = (np.zeros((len(x), LANES), SINGLE) for _ in range(2))
    for group in range(groups):
        entries = x[:, group * LANES : (group + 1) * LANES]
        away = entries - means
        means = _fused(away, ONE / np.float32(group + 1), means)
        spreads = _fused(away, entries - means, spreads)
    mean, spread = (np.zeros(len(x), SINGLE) for _ in range(2))
    seen = 0
    for entry in x[:, groups * LANES :].T:
        seen += 1
        away = entry - mean
        mean = mean + away / np.float32(seen)
        spread = spread + away * (entry - mean)
    for lane in range(LANES if groups else 0):
        part = np.float32(groups) / np.float32(seen + groups)
        away = means[:, lane] - mean
        mean = _fused(part, away, mean)
        spread = spread + _fused(away * away * part, np.float32(seen), spreads[:, lane])
        seen += groups
    return mean[:, None], (spread / np.float32(count))[:, None]


def _fused(a: Array, b: Any, c: Array) -> Array:
    """Return `a*b + c` with one rounding."""
    return (np.multiply(a, b, dtype=np.float64) + c).astype(SINGLE)
