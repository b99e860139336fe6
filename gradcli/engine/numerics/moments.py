"""Mean and variance of rows in the order of torch's layer norm: one pass (Welford 1962), in lanes of eight entries.

The parts of the lanes are put together one after the other (Chan et al. 1979); where torch multiplies and adds in one
rounding, so does this, and in the gradients of a layer norm too. The columns of a batch are added up row by row.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from gradcli.engine.numerics.fusing import fused
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
        means = fused(away, ONE / np.float32(group + 1), means)
        spreads = fused(away, entries - means, spreads)
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
        mean = fused(away, part, mean)
        spread = spread + fused(away * away * part, np.float32(seen), spreads[:, lane])
        seen += groups
    return mean[:, None], (spread / np.float32(count))[:, None]


def are_columns(*values: Array) -> bool:
    """Tell whether these are matrices whose columns are normalized here."""
    return all(type(x) is np.ndarray and x.ndim == 2 and x.dtype is SINGLE for x in values) and values[0].size > 0


def of_columns(x: Array) -> tuple[Array, Array]:
    """Return the mean and the variance (over all entries) of each column of a matrix, as rows."""
    count = np.float32(len(x))
    mean = np.add.accumulate(x, axis=0)[-1:] / count
    away = x - mean
    return mean, _added(away, away) / count


def to_columns(g: Array, x: Array, weight: Any, eps: float) -> tuple[Array, Array, Array]:
    """Return the gradients of a batch that was normalized by columns, of its weight, and of its bias."""
    mean, spread = of_columns(x)
    away, count = x - mean, np.float32(len(x))
    scale = (1 / np.sqrt(spread.astype(np.float64) + eps)).astype(SINGLE)
    along, total = _added(away, g), np.add.accumulate(g, axis=0)[-1:]
    slope, level = along * scale * scale / count, total / count
    rest = g - level
    whole = x.shape[1] // LANES * LANES
    left = np.concatenate(
        [fused(-away[:, :whole], slope[:, :whole], rest[:, :whole]), (rest - away * slope)[:, whole:]], 1
    )
    return left * scale * weight, (along * scale)[0], total[0]


def _added(a: Array, b: Array) -> Array:
    """Return the sums of the products in each column: one row after the other, each multiplied and added at once."""
    total = np.zeros((1, a.shape[1]), SINGLE)
    for one, other in zip(a, b, strict=True):
        total = fused(one[None], other, total)
    return total


def is_known(g: Array, x: Array, size: int) -> bool:
    """Tell whether the gradients of rows of this length are computed here."""
    return type(g) is type(x) is np.ndarray and g.dtype is x.dtype is SINGLE and 0 < size <= LONGEST


def to_input(g: Array, x: Array, weight: Any, eps: float) -> Array:
    """Return the gradient of the rows that were normalized, from that of the result, in torch's few steps."""
    mean, spread = of_rows(x)
    a, share = ONE / np.sqrt(spread + np.float32(eps)), ONE / np.float32(x.shape[1])
    along = _summed(g, x) if isinstance(weight, int) else _summed(g * x, weight)
    total = _summed(g, weight)
    b = fused(total, mean, -along) * a * a * a * share
    c = fused(-b, mean, -(total * a * share))
    found: Array = fused(b, x, a * g * weight) + c
    return found


def to_weight(g: Array, x: Array, eps: float) -> Array:
    """Return the gradient of the weight: row by row."""
    mean, spread = of_rows(x)
    a = ONE / np.sqrt(spread + np.float32(eps))
    total = np.zeros(x.shape[1], SINGLE)
    for row, entries in zip(g, fused(a, x, -a * mean), strict=True):
        total = fused(row, entries, total)
    return total


def _summed(a: Array, b: Any) -> Array:
    """Return the sums of the products in each row, in lanes; what is left is multiplied and added at once."""
    b = np.broadcast_to(np.asarray(b, SINGLE), a.shape)
    products, count = a * b, a.shape[1]
    if count < LANES:
        return np.add.accumulate(products, axis=1)[:, -1:]
    lanes, whole = products[:, :LANES].copy(), count // LANES * LANES
    for start in range(LANES, whole, LANES):
        lanes += products[:, start : start + LANES]
    if whole < count:
        lanes[:, : count - whole] = fused(a[:, whole:], b[:, whole:], lanes[:, : count - whole])
    while lanes.shape[1] > 1:
        half = lanes.shape[1] // 2
        lanes = lanes[:, :half] + lanes[:, half:]
    return lanes
