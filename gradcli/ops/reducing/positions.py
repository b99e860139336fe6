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


def last_most_frequent(row: Array) -> int:
    """The last place of the most frequent entry of a row."""
    values, counts = np.unique(row, return_counts=True, equal_nan=False)
    places = np.flatnonzero(row == values[np.argmax(counts)])
    return int(places[-1]) if places.size else 0


def best_so_far(best: np.ufunc, x: Array, dim: int) -> Any:
    """Return the index of the best entry so far; of equal entries, and of several nan, the last."""
    if not np.ndim(x):
        return np.int64(0)
    places = np.arange(x.shape[dim]).reshape(-1, *(1,) * (x.ndim - 1 - dim))
    return np.maximum.accumulate(np.where((x == best.accumulate(x, axis=dim)) | np.isnan(x), places, 0), axis=dim)
