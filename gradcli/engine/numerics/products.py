"""Matrix products whose last digits are those of torch.

A product is a sum, and the order and the fusing of its terms decide the last digit: programs print numbers with all
their digits, and training goes on from them. For matrices that are not large the terms are added here in the
orders of torch's library; the bounds below were read off torch 2.13 on an x86 processor. The rest is left to numpy.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from gradcli.engine.numerics import register_sums

Array = Any  # np.ndarray

SINGLE, DOUBLE = np.dtype(np.float32), np.dtype(np.float64)
LARGE = {SINGLE: 2**16, DOUBLE: 2**12}  # products of two numbers that are held at once
LARGE_FUSED = 2**20  # products of two numbers whose order is known
FUSED_ROWS, FUSED_COLUMNS = 4, 12  # from where on torch multiplies and adds in one rounding
BATCHED = 400  # products of two numbers from where on torch calls its library for each matrix of a batch


def matrix_product(a: Array, b: Array) -> Any:
    """Return `a @ b` of two matrices."""
    return _product(a, b) if _most(a, b) else np.matmul(a, b)


def _most(*operands: Array) -> int:
    """Return how many products of numbers of this kind are added here; 0 if the operands are not of one kind."""
    dtype = operands[0].dtype
    return LARGE.get(dtype, 0) if all(x.dtype is dtype for x in operands) else 0


def added_product(c: Array, a: Array, b: Array) -> Any:
    """Return `c + a @ b`; `c` is the first term of the sum where torch begins with it."""
    if _most(a, b, c):
        several = b.shape[1] > 1 or a.shape[0] == 1 or is_transposed(a)
        if (several and not is_transposed(b)) or b.shape[1] >= FUSED_COLUMNS:
            return _product(a, b, c)
        return c + _product(a, b)
    return c + np.matmul(a, b)


def _product(a: Array, b: Array, start: Array | None = None, offset: int = 0) -> Any:
    """Return the product of two matrices of one kind, added to `start`, so many numbers on in memory."""
    rows, count = a.shape
    columns = b.shape[1]
    work = rows * count * columns
    if work and rows >= FUSED_ROWS and columns >= FUSED_COLUMNS:
        if work <= LARGE_FUSED and a.dtype is SINGLE:
            return register_sums.fused(a, b, start)
        product = np.matmul(a, b)
    elif not work or work > LARGE[a.dtype]:
        product = np.matmul(a, b)
    elif count == 1:
        product = a * b
    elif not is_transposed(b) and (columns > 1 or rows == 1 or is_transposed(a)):
        return register_sums.of_columns(a, b, start, offset)
    elif not is_contiguous(a):
        product = register_sums.transposed(a, b)
    elif columns == 1:
        product = register_sums.of_vector(a, b[:, 0])[:, None]
    elif rows == 1:
        product = register_sums.of_vector(b.T, a[0])[None]
    else:
        product = register_sums.of_rows(a, b)
    return product if start is None else start + product


def is_transposed(x: Array) -> bool:
    """Whether a matrix lies in memory column by column, as the transpose of a single row does too."""
    down, across = x.strides
    if x.shape[1] == 1:
        return across > x.itemsize  # type: ignore[no-any-return]
    return down < across or (x.shape[0] == 1 and down == x.itemsize)  # type: ignore[no-any-return]


def is_contiguous(x: Array) -> bool:
    """Whether the rows of a matrix lie in memory entry by entry."""
    return x.strides[1] == x.itemsize or x.shape[1] == 1  # type: ignore[no-any-return]


def batched_product(a: Array, b: Array) -> Any:
    """Return `a @ b` of two batches of matrices; batches of batches come from rules of decompositions."""
    if not a.ndim == b.ndim == 3:
        return np.matmul(a, b)
    work = a.shape[1] * a.shape[2] * b.shape[2]
    if not 0 < work * len(a) <= _most(a, b):
        return np.matmul(a, b)
    if work >= BATCHED:
        size = a.shape[1] * b.shape[2]
        return np.stack([_product(*each, offset=at * size) for at, each in enumerate(zip(a, b, strict=True))])
    return register_sums.in_order(
        np.multiply(a.transpose(2, 0, 1)[..., None], b.transpose(1, 0, 2)[:, :, None], order="C")
    )


def matrix_vector_product(a: Array, x: Array) -> Any:
    """Return `a @ x` of a matrix and a vector."""
    if 0 < a.size <= _most(a, x):
        if is_transposed(a):
            return register_sums.in_order(np.multiply(a.T, x[:, None], order="C"))
        if is_contiguous(a) and x.strides[0] == x.itemsize:
            return register_sums.of_vector(a, x)
    return np.matmul(a, x)


def dot_product(x: Array, y: Array) -> Any:
    """Return `x @ y` of two vectors."""
    if 0 < x.size <= _most(x, y) and x.strides == y.strides == (x.itemsize,):
        if x.size < register_sums.lanes_of(x):
            return np.add.accumulate(x * y)[-1]
        if not register_sums.misalignment(x) and not register_sums.misalignment(y):
            return register_sums.of_vectors(x, y)
    return np.dot(x, y)


def mixed(down: Array, x: Array, across: Array) -> Any:
    """Return `down @ x @ across`; an entry whose weight is 0 has no part in a result, be it infinite or nan."""
    if np.isfinite(x).all():
        return down @ x @ across
    out = np.zeros((*x.shape[:-2], down.shape[0], across.shape[1]), x.dtype)
    for i, row in enumerate(down):
        rows = np.flatnonzero(row)
        for j, column in enumerate(across.T):
            columns = np.flatnonzero(column)
            out[..., i, j] = row[rows] @ x[..., rows, :][..., columns] @ column[columns]
    return out
