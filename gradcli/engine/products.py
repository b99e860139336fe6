"""Small matrix products whose last digits are torch's.

A product is a sum, and the order and the fusing of its terms decide the last digit. For small float32 matrices torch's
library multiplies and adds term by term, where numpy's fuses both or adds in lanes; the bounds below were read off
torch 2.13 on an x86 processor. Larger products are left to numpy.
"""

from __future__ import annotations

from typing import Any

import numpy as np

Array = Any  # np.ndarray

SINGLE = np.dtype(np.float32)


def matrix_product(a: Array, b: Array) -> Any:
    """`a @ b` of two matrices."""
    return in_order(terms(a, b)) if is_small(a, b) else np.matmul(a, b)


def added_product(c: Array, a: Array, b: Array) -> Any:
    """`c + a @ b`; where torch starts the sum of the terms with `c`, so does this."""
    several = b.shape[1] > 1 or a.shape[0] == 1 or is_transposed(a)
    if is_small(a, b) and not is_transposed(b) and several and c.dtype is SINGLE:
        first = np.broadcast_to(c, (a.shape[0], b.shape[1]))[:, None]
        return in_order(np.concatenate([first, terms(a, b)], axis=1))
    return c + matrix_product(a, b)


def terms(a: Array, b: Array) -> Array:
    """The terms of each entry of a product, along axis 1."""
    return a[:, :, None] * b


def in_order(x: Array) -> Array:
    """The sums along axis 1, strictly from the first term to the last."""
    return np.add.accumulate(x, axis=1)[:, -1]


def is_small(a: Array, b: Array) -> bool:
    if a.dtype is not SINGLE or b.dtype is not SINGLE:
        return False
    rows, count = a.shape
    return term_by_term(rows, count, b.shape[1], transposed=is_transposed(b))


def is_transposed(b: Array) -> bool:
    return bool(b.flags.f_contiguous and not b.flags.c_contiguous)


def matrix_vector_product(a: Array, x: Array) -> Any:
    """`a @ x` of a matrix and a vector."""
    if a.dtype is SINGLE and x.dtype is SINGLE and 0 < a.shape[1] <= 32:
        rows, count = a.shape
        if count <= 4 or (rows < 4 and count <= 10) or is_transposed(a):
            return in_order(a * x)
    return np.matmul(a, x)


def dot_product(x: Array, y: Array) -> Any:
    """`x @ y` of two vectors."""
    if x.dtype is SINGLE and y.dtype is SINGLE and 0 < x.size <= 3:
        return np.add.accumulate(x * y)[-1]
    return np.dot(x, y)


def term_by_term(rows: int, count: int, columns: int, *, transposed: bool) -> bool:
    """Whether torch adds the terms of such a product one after the other; `transposed` is the second matrix."""
    few_rows = rows < 4
    if not 0 < count <= 32 or not rows or not columns or (not few_rows and columns >= 12):
        return False
    if count <= 3 or (rows == 1 and not transposed):
        return True
    if count <= 7:
        fits = columns > 1 or few_rows or count <= 4
        return fits and (columns <= 3 or not transposed)
    return not transposed and columns in (2, 3, 4, 8)
