"""The order in which torch finds equal entries: its selection algorithms, which are not stable, on lists.

`topk` and `mode` call the C++ standard library (introselect and introsort: Musser 1997), `kthvalue` has a quickselect
of its own. They work on a list of positions and a function that tells whether one position comes before another.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

Before = Callable[[int, int], bool]
SHORT = 16  # parts of so many entries are sorted by insertion


def ordered(x: Any, *, dim: int, descending: bool = False) -> Any:
    """Return the indices that sort, equal entries in their order; nan counts as the largest."""
    if not np.ndim(x):
        return np.int64(0)
    if not descending:
        return np.argsort(x, axis=dim, kind="stable")
    backwards = np.argsort(np.flip(x, dim), axis=dim, kind="stable")
    return np.flip(x.shape[dim] - 1 - backwards, dim).copy()


def repeats(x: np.ndarray[Any, Any], dim: int) -> bool:
    """Tell whether an entry comes twice along a dimension."""
    found = np.sort(x, axis=dim)
    later, earlier = (np.take(found, np.arange(start, x.shape[dim] + start - 1), dim) for start in (1, 0))
    return bool(np.any((later == earlier) | ((later != later) & (earlier != earlier))))


def top(row: np.ndarray[Any, Any], k: int, *, largest: bool, ordered: bool) -> Any:
    """Return the positions of the `k` largest or smallest entries of a row."""
    order, before = list(range(row.size)), comparison(row, largest)
    if k * 64 <= row.size:
        sort_part(order, k, before)
    else:
        select(order, k - 1, before)
        if ordered:
            sort(order, k - 1, before)
    return np.array(order[:k], np.int64)


def kth(row: np.ndarray[Any, Any], k: int) -> int:
    """Return the position of the entry that is the `k`-th in order."""
    order = list(range(row.size))
    quickselect(order, k - 1, comparison(row, largest=True))
    return order[k - 1]


def most_frequent(row: np.ndarray[Any, Any]) -> int:
    """Return the position of the entry that comes most often, of equally frequent ones the smallest.

    Among nan, which torch compares with nothing, it is the last of these entries.
    """
    if np.isnan(row).any():
        values, counts = np.unique(row, return_counts=True, equal_nan=False)
        places = np.flatnonzero(row == values[np.argmax(counts)])
        return int(places[-1]) if places.size else 0
    order = list(range(row.size))
    sort(order, row.size, comparison(row))
    ends = np.append(np.flatnonzero(row[order[:-1]] != row[order[1:]]), row.size - 1)
    return order[int(ends[np.argmax(np.diff(ends, prepend=-1))])]


def comparison(row: np.ndarray[Any, Any], largest: bool = False) -> Before:
    """Return whether the entry at one position comes before that at another; nan counts as the largest."""
    ranks = np.unique(row, return_inverse=True)[1].tolist()
    return (lambda a, b: ranks[a] > ranks[b]) if largest else (lambda a, b: ranks[a] < ranks[b])


def select(order: list[int], nth: int, before: Before) -> None:
    """Put the entry at place `nth` that belongs there, and the ones that come before it in front."""
    first, last, depth = 0, len(order), 2 * (len(order).bit_length() - 1)
    if nth == last:
        return
    while last - first > 3:
        if not depth:
            _sort_by_heap(order, first, nth + 1, last, before)
            order[first], order[nth] = order[nth], order[first]
            return
        depth -= 1
        cut = _parted(order, first, last, before)
        if cut <= nth:
            first = cut
        else:
            last = cut
    _insert(order, first, last, before)


def sort(order: list[int], last: int, before: Before) -> None:
    """Sort the first entries, up to `last`."""
    parts = [(0, last, 2 * (max(last, 1).bit_length() - 1))]
    while parts:
        first, stop, depth = parts.pop()
        while stop - first > SHORT:
            if not depth:
                _sort_by_heap(order, first, stop, stop, before)
                _unheap(order, first, stop, before)
                break
            depth -= 1
            cut = _parted(order, first, stop, before)
            parts.append((cut, stop, depth))
            stop = cut
    _insert(order, 0, last, before)


def sort_part(order: list[int], middle: int, before: Before) -> None:
    """Sort the entries that come first, `middle` of them, to the front."""
    _sort_by_heap(order, 0, middle, len(order), before)
    _unheap(order, 0, middle, before)


def _parted(order: list[int], first: int, last: int, before: Before) -> int:
    """Part a range around the median of three of its entries; return where the second part begins."""
    a, b, c = first + 1, first + (last - first) // 2, last - 1
    x, y, z = order[a], order[b], order[c]
    if before(x, y):
        chosen = b if before(y, z) else c if before(x, z) else a
    else:
        chosen = a if before(x, z) else c if before(y, z) else b
    order[first], order[chosen] = order[chosen], order[first]
    pivot, low, high = order[first], first + 1, last
    while True:
        while before(order[low], pivot):
            low += 1
        high -= 1
        while before(pivot, order[high]):
            high -= 1
        if low >= high:
            return low
        order[low], order[high] = order[high], order[low]
        low += 1


def _insert(order: list[int], first: int, last: int, before: Before) -> None:
    """Sort a range by insertion."""
    for place in range(first + 1, last):
        entry, at = order[place], place
        while at > first and before(entry, order[at - 1]):
            order[at] = order[at - 1]
            at -= 1
        order[at] = entry


def _sort_by_heap(order: list[int], first: int, middle: int, last: int, before: Before) -> None:
    """Make a heap of the entries in front of `middle`, and exchange its root for each later entry that comes before."""
    length = middle - first
    for parent in reversed(range(length // 2)):
        _sink(order, first, parent, length, order[first + parent], before)
    for place in range(middle, last):
        if before(order[place], order[first]):
            entry, order[place] = order[place], order[first]
            _sink(order, first, 0, length, entry, before)


def _unheap(order: list[int], first: int, last: int, before: Before) -> None:
    for end in range(last - 1, first, -1):
        entry, order[end] = order[end], order[first]
        _sink(order, first, 0, end - first, entry, before)


def _sink(order: list[int], first: int, hole: int, length: int, entry: int, before: Before) -> None:
    """Lead a hole in a heap down to a leaf, and the entry up from there to its place."""
    top, child = hole, hole
    while child < (length - 1) // 2:
        child = 2 * (child + 1)
        if before(order[first + child], order[first + child - 1]):
            child -= 1
        order[first + hole], hole = order[first + child], child
    if length % 2 == 0 and child == (length - 2) // 2:
        child = 2 * (child + 1)
        order[first + hole], hole = order[first + child - 1], child - 1
    parent = (hole - 1) // 2
    while hole > top and before(order[first + parent], entry):
        order[first + hole], hole = order[first + parent], parent
        parent = (hole - 1) // 2
    order[first + hole] = entry


def quickselect(order: list[int], k: int, after: Before) -> None:
    """Put the entry at place `k` that belongs there, by torch's own exchanges; `after` is the other way about."""
    left, right = 0, len(order) - 1

    def sorted_pair(a: int, b: int) -> None:
        if after(order[a], order[b]):
            order[a], order[b] = order[b], order[a]

    while right > left + 1:
        middle = left + (right - left) // 2
        order[middle], order[left + 1] = order[left + 1], order[middle]
        for a, b in ((left + 1, right), (left, right), (left + 1, left)):
            sorted_pair(a, b)
        i, j, pivot = left + 1, right, order[left]
        while True:
            i += 1
            while after(pivot, order[i]):
                i += 1
            j -= 1
            while after(order[j], pivot):
                j -= 1
            if j < i:
                break
            order[i], order[j] = order[j], order[i]
        order[left], order[j] = order[j], order[left]
        if j <= k:
            left = i
        if j >= k:
            right = j - 1
    if right == left + 1:
        sorted_pair(left, right)


def running(better: Callable[[Any, Any], Any], x: Any, dim: int) -> Any:
    """Return the index of the best entry so far; of equal entries, and of several nan, the last."""
    if not np.ndim(x):
        return np.int64(0)
    rows = np.moveaxis(x, dim, 0)
    out = np.zeros(rows.shape, np.int64)
    best = rows[:1].copy()
    for i in range(1, len(rows)):
        found = better(rows[i], best[0]) | np.isnan(rows[i])
        out[i] = np.where(found, i, out[i - 1])
        best[0] = np.where(found, rows[i], best[0])
    return np.ascontiguousarray(np.moveaxis(out, 0, dim))
