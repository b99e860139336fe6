"""The layout of entries in memory: the order in a result, as in torch's TensorIterator, and what is shared."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

ARRAY = np.ndarray


def is_dense(x: Any) -> bool:
    """Whether the entries fill their memory, in any order of the dimensions."""
    if x.flags.forc:
        return True
    expected = x.itemsize
    for stride, length in sorted((stride, length) for stride, length in zip(x.strides, x.shape, strict=True)):
        if length != 1 and stride != expected:
            return False
        expected *= length
    return True


def overlaps(a: Any, b: Any) -> bool:
    """Whether two dense arrays share memory and are not the same part of it, in the same order."""
    if type(a) is not ARRAY or type(b) is not ARRAY or not a.size or not b.size or owner(a) is not owner(b):
        return False
    if not (is_dense(a) and is_dense(b)):
        return False  # torch finds it too hard to tell
    first, other = a.__array_interface__["data"][0], b.__array_interface__["data"][0]
    if (first, a.nbytes) == (other, b.nbytes):
        return bool(a.strides != b.strides)
    return bool(first < other + b.nbytes and other < first + a.nbytes)


def strided(x: Any, shape: Sequence[int], strides: Sequence[int]) -> Any:
    """Return a writable view of the memory from the first entry on, even where numpy protects it."""
    memory = owner(x)
    start = x.__array_interface__["data"][0] - memory.__array_interface__["data"][0]
    return np.ndarray(shape, x.dtype, memory.ravel("K"), start, strides)


def owner(array: Any) -> Any:
    """Return the array that holds the memory."""
    while isinstance(base := _below(array.base), ARRAY):
        array = base
    return array


def _below(base: Any) -> Any:
    """Return what holds the memory of an array: numpy puts an object of its own between steps and their array."""
    return base if isinstance(base, ARRAY) else getattr(base, "base", None)
