"""Sums in torch's order, so that their last digits are those of torch.

Floating point addition depends on its order. On the CPU torch adds a contiguous row in lanes of 32 bytes, four lanes at
a time, and columns one below the other; long runs are added in blocks, and those in blocks again (cascade summation).
This is that order, over whole arrays: ATen's SumKernel, as it runs below the size from which it uses several threads.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np

from gradcli.engine.modes import mode

THREADED = 32768  # entries from which torch shares a sum among threads
LANE_BYTES = 32
TOGETHER = 4  # lanes or rows that are added side by side
LEVELS = 4  # of blocks within blocks
BLOCK = 16  # terms of the smallest block

Array = Any  # np.ndarray
Shape = tuple[int, ...]
Axes = int | tuple[int, ...] | None


def total(x: Array, axis: Axes = None, keepdims: bool = False) -> Any:
    """Return the sum over axes (default: all), in the dtype of `x` for floats, in int64 for integers and booleans."""
    stacked = mode.stacked
    point = x[0] if stacked else x
    is_ordered = np.ndim(point) and 2 < point.size <= THREADED and x.dtype.kind == "f" and x.dtype.itemsize >= 4
    if not (is_ordered and point.flags.c_contiguous):
        return np.sum(x, axis=axis, keepdims=keepdims)
    add, blocks, shape = plan(x.shape, axis, keepdims, int(stacked))
    if add is None:
        return np.sum(x, axis=axis, keepdims=keepdims)
    sums = add(x.reshape(blocks)).reshape(shape)
    return sums.copy() if shape else sums[()]  # not a part of the memory of all steps


@lru_cache(1024)
def plan(
    shape: Shape, axis: Axes, keepdims: bool, first: int = 0
) -> tuple[Callable[[Array], Array] | None, Shape, Shape]:
    """Return the order for an array of this shape, the shape that it is added in, and that of the result.

    The order is that of the dimensions from the first on; those before it, or 1, stand in front of the blocks.
    """
    summed = _axes(axis, len(shape))
    blocks = merge_dimensions(shape[first:], tuple(dim - first for dim in summed))
    result = tuple(1 if dim in summed else size for dim, size in enumerate(shape) if keepdims or dim not in summed)
    sizes = (*(shape[:first] or (1,)), *(size for size, _ in blocks))
    return ORDERS.get(tuple(is_summed for _, is_summed in blocks)), sizes, result


def merge_dimensions(shape: tuple[int, ...], summed: tuple[int, ...]) -> list[tuple[int, bool]]:
    """Merge neighbouring dimensions that are summed, or kept, together: the size of each, and whether it is summed."""
    blocks: list[tuple[int, bool]] = []
    for dim, size in enumerate(shape):
        is_summed = dim in summed
        if size == 1:
            continue
        if blocks and blocks[-1][1] is is_summed:
            blocks[-1] = (blocks[-1][0] * size, is_summed)
        else:
            blocks.append((size, is_summed))
    return blocks


def of_losses(losses: Array) -> Any:
    """Return the sum of the losses of a batch in the order of torch's nll_loss: blocks of 16, the first loss last."""
    flat = np.asarray(losses).reshape(-1)
    if not 2 < flat.size <= BLOCK * BLOCK:
        return np.sum(losses)
    rest = flat[None, 1:, None]
    blocks = rest.shape[1] // BLOCK
    inner = one_by_one(rest[:, : blocks * BLOCK].reshape(blocks, BLOCK, 1)).reshape(1, blocks, 1)
    return (one_by_one(rest[:, blocks * BLOCK :]) + one_by_one(inner))[0, 0] + flat[0]


def _axes(axis: Axes, ndim: int) -> tuple[int, ...]:
    if axis is None:
        return tuple(range(ndim))
    return tuple(sorted(dim % ndim for dim in (axis if isinstance(axis, tuple) else (axis,)))) if ndim else ()


def rows(x: Array) -> Array:
    """Return the sum of each row of a matrix."""
    lanes = LANE_BYTES // x.dtype.itemsize
    count, size = x.shape
    if size < lanes:
        return run(x[:, :, None])[:, 0]
    end = size // lanes * lanes
    partial = run(x[:, :end].reshape(count, end // lanes, lanes))
    sums = np.zeros((count, 1), x.dtype)
    for column in range(end, size):
        sums = sums + x[:, column : column + 1]
    return np.add.accumulate(np.concatenate([sums, partial], axis=1), axis=1)[:, -1]


def columns(x: Array) -> Array:
    """Return the sum of each column of several matrices, (matrices, terms, columns)."""
    lanes = LANE_BYTES // x.dtype.itemsize
    side = TOGETHER * (lanes if x.shape[2] >= lanes else 1)
    end = x.shape[2] // side * side
    if not end:
        return run(x)
    return np.concatenate([cascade(x[:, :, :end]), run(x[:, :, end:])], axis=1)


def run(x: Array) -> Array:
    """Sum along axis 1 of (rows, terms, lanes): every fourth term together, then the four."""
    count, terms, lanes = x.shape
    if terms < TOGETHER:
        return np.add.reduce(x, axis=1, initial=0)
    end = terms // TOGETHER * TOGETHER
    partial = cascade(x[:, :end].reshape(count, end // TOGETHER, TOGETHER * lanes)).reshape(count, TOGETHER, lanes)
    sums = partial[:, 0]
    for term in range(end, terms):
        sums = sums + x[:, term]
    for position in range(1, TOGETHER):
        sums = sums + partial[:, position]
    return sums


def cascade(x: Array) -> Array:
    """Sum along axis 1 of (rows, terms, lanes), one after the other, in blocks of blocks."""
    count, terms, lanes = x.shape
    if terms < BLOCK:
        return one_by_one(x)
    step = max(BLOCK, 1 << (max(terms, 1) - 1).bit_length() // LEVELS)
    sums = np.zeros((count, lanes), x.dtype)
    level = x
    for depth in range(LEVELS):
        blocks = level.shape[1] // step if depth < LEVELS - 1 else 0
        sums = sums + one_by_one(level[:, blocks * step :])
        if not blocks:
            break
        level = one_by_one(level[:, : blocks * step].reshape(count * blocks, step, lanes)).reshape(count, blocks, lanes)
    return sums


def one_by_one(x: Array) -> Array:
    """Sum along axis 1 of (rows, terms, lanes), strictly in order."""
    if x.shape[1] == 1:
        return x[:, 0]
    if x.shape[2] > 1 or not x.shape[1]:  # numpy adds a single lane pairwise
        return np.add.reduce(x, axis=1)
    return np.add.accumulate(x, axis=1)[:, -1]


def of_rows(x: Array) -> Array:
    return rows(x.reshape(-1, x.shape[-1]))


def of_columns(x: Array) -> Array:
    return columns(x.reshape(-1, *x.shape[-2:]))


# How the blocks of dimensions of each point are added, by which of them are summed; torch's own order in other cases
# is not known.
ORDERS: dict[tuple[bool, ...], Callable[[Array], Array]] = {
    (True,): rows,
    (False, True): of_rows,
    (True, False): of_columns,
    (False, True, False): of_columns,
    (True, False, True): lambda x: one_by_one(of_rows(x).reshape(x.shape[:-1])),
}
