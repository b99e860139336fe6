"""The positions of entries along a dimension, by their order; of equal entries the first comes first."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradcli.ops.support.arguments import Array


def ordered(x: Any, *, dim: int, descending: bool = False) -> Any:
    """The indices that sort, equal entries in their order; nan counts as the largest."""
    if not np.ndim(x):
        return np.int64(0)
    if not descending:
        return np.argsort(x, axis=dim, kind="stable")
    backwards = np.argsort(np.flip(x, dim), axis=dim, kind="stable")
    return np.flip(x.shape[dim] - 1 - backwards, dim).copy()


def top(x: Array, *, k: int, dim: int, largest: bool = True, sorted: bool = True) -> Any:
    """The indices of the `k` largest or smallest entries, equal ones in their order."""
    return np.take(ordered(x, dim=dim, descending=largest), np.arange(k), dim) if np.ndim(x) else np.int64(0)


def kth(x: Array, *, k: int, dim: int, keepdim: bool = False) -> Any:
    """The index of the `k`-th entry, equal ones in their order."""
    return np.take(ordered(x, dim=dim), [k - 1] if keepdim else k - 1, dim) if np.ndim(x) else np.int64(0)


def middle(x: Array, *, dim: int, keepdim: bool = False) -> Any:
    """The index of the median, the lower of two; of a nan where there is one."""
    if not np.ndim(x):
        return np.int64(0)
    middle = kth(x, k=(x.shape[dim] + 1) // 2, dim=dim, keepdim=keepdim)
    missing = np.isnan(x)
    return np.where(np.any(missing, dim, keepdims=keepdim), np.argmax(missing, dim, keepdims=keepdim), middle)[()]


def _last_most_frequent(row: Array) -> int:
    """The last place of the most frequent entry of a row."""
    values, counts = np.unique(row, return_counts=True, equal_nan=False)
    places = np.flatnonzero(row == values[np.argmax(counts)])
    return int(places[-1]) if places.size else 0


def most_frequent(x: Array, *, dim: int, keepdim: bool = False) -> Any:
    """The index of one of the most frequent entries; of equally frequent ones the smallest."""
    if not np.ndim(x):
        return np.int64(0)
    empty = np.zeros(x.shape[:dim] + x.shape[dim + 1 :], np.int64)
    found = np.apply_along_axis(_last_most_frequent, dim, x) if empty.size else empty
    return (np.expand_dims(found, dim) if keepdim else found)[()]


def _best_so_far(best: np.ufunc, x: Array, dim: int) -> Any:
    """Return the index of the best entry so far; of equal entries, and of several nan, the last."""
    if not np.ndim(x):
        return np.int64(0)
    places = np.arange(x.shape[dim]).reshape(-1, *(1,) * (x.ndim - 1 - dim))
    return np.maximum.accumulate(np.where((x == best.accumulate(x, axis=dim)) | np.isnan(x), places, 0), axis=dim)


def largest(x: Array, *, dim: int) -> Any:
    """The index of the largest entry so far."""
    return _best_so_far(np.maximum, x, dim)


def smallest(x: Array, *, dim: int) -> Any:
    """The index of the smallest entry so far."""
    return _best_so_far(np.minimum, x, dim)
