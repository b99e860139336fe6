"""Sums of the terms of matrix products, in the orders in which torch's library adds them.

Terms lie along the first axis; along the others are separate sums. The orders were read off torch 2.13 on a processor
of AMD: products that are not fused with the sums, in registers of four floats or two doubles that start where memory is
aligned.
"""

from __future__ import annotations

from typing import Any

import numpy as np

Array = Any  # np.ndarray

REGISTER = 16  # bytes
GROUP = 8  # terms that are added at a time to several sums


def terms(a: Array, b: Array) -> Array:
    """Return the terms of `a @ b`, (terms, rows, columns)."""
    return np.multiply(a.T[:, :, None], b[:, None, :], order="C")


def in_order(x: Array) -> Array:
    """Sum strictly from the first term to the last."""
    if x[0].size > 3:  # numpy adds narrower ones pairwise
        return np.add.reduce(x, 0)
    return np.add.accumulate(x, axis=0)[-1]


def in_lanes(x: Array, head: int, sums: str = "a", end: int | None = None) -> Array:
    """Sum the head in order, then full groups of registers lane by lane, then the rest in order.

    `sums` tells to which sum each register of a group is added; neighbours are put together in the end. The sum of the
    head is the first term of the first lane. Overwrites `x`.
    """
    lanes, width = lanes_of(x), len(sums) * lanes_of(x)
    groups = ((len(x) if end is None else end) - head) // width
    if groups <= 0:
        return in_order(x)
    stop = head + groups * width
    if head:
        x[head] = in_order(x[: head + 1])
    registers = x[head:stop].reshape(groups, len(sums), lanes, *x.shape[1:])
    parts = [registers[:, [at for at, name in enumerate(sums) if name == part]] for part in sorted(set(sums))]
    found = [in_order(part.reshape(-1, *registers.shape[2:])) for part in parts]
    while len(found) > 1:
        found = [first + second for first, second in zip(found[::2], found[1::2], strict=True)]
    total = _folded(found[0])
    for rest in x[stop:]:
        total = total + rest
    return total


def lanes_of(x: Array) -> int:
    """Return how many entries of an array a register holds."""
    return REGISTER // x.itemsize  # type: ignore[no-any-return]


def _folded(lanes: Array) -> Array:
    """Add the second half of the lanes to the first, until one is left."""
    while len(lanes) > 1:
        lanes = lanes[: len(lanes) // 2] + lanes[len(lanes) // 2 :]
    return lanes[0]


def _apart(x: Array) -> str:
    """Return the sums of the registers of a group, each to one of its own."""
    return "abcd"[: GROUP // lanes_of(x)]


def in_eights(x: Array, start: Array | None = None) -> Array:
    """Sum eight terms at a time: four are added to the sum so far, the other four to each other."""
    total, stop = start, len(x) // 8 * 8
    for first in range(0, stop, 8):
        four = x[first : first + 4]
        total = in_order(four if total is None else np.concatenate([total[None], four]))
        total = total + in_order(x[first + 4 : first + 8])
    for rest in x[stop:]:
        total = total + rest
    return total


def misalignment(x: Array) -> int:
    """Return the number of entries between the last aligned place and the start of the memory of an array."""
    if x.base is None:
        return 0
    return x.__array_interface__["data"][0] % REGISTER // x.itemsize  # type: ignore[no-any-return]


def of_vector(a: Array, x: Array) -> Array:
    """Return a matrix with contiguous rows times a vector: rows four by four, then the rest."""
    rows, count = a.shape
    products = np.multiply(a.T, x[:, None], order="C")
    blocks = rows // 4 * 4
    if not blocks:
        return np.array(leftover(products, misalignment(x)))
    head = (count - 1 - misalignment(a)) % lanes_of(a) + 1
    if blocks == rows:
        return in_lanes(products, head)
    rest = leftover(products[:, blocks:], misalignment(x))
    return np.concatenate([in_lanes(products[:, :blocks].copy(), head), rest])


def leftover(products: Array, misaligned: int) -> list[Any]:
    """Return the sums of up to three rows, one by one, the second of them in fewer lanes."""
    count, head = len(products), lanes_of(products) - misaligned
    groups = (count - head) // GROUP
    if groups <= 0:
        return list(in_order(products))
    apart, stop = _apart(products), head + GROUP * groups
    orders = ("ab" * (len(apart) // 2), "a", apart) if products.shape[1] > 1 else (apart,)
    return [in_lanes(row.copy(), head, sums, stop) for row, sums in zip(products.T, orders, strict=False)]


def of_vectors(x: Array, y: Array) -> Array:
    """Return the inner product of two vectors in aligned memory: in four registers."""
    products, lanes = x * y, lanes_of(x)
    whole = len(products) // (4 * lanes) * (4 * lanes)
    sums = in_order(products[:whole].reshape(-1, 4 * lanes)) if whole else np.zeros(4 * lanes, products.dtype)
    for width in (8, 4) if lanes == 4 else (2, 2, 2):  # the rest, as much at a time as fits
        if len(products) - whole >= width:
            sums[:width] += products[whole : whole + width]
            whole += width
    for rest in products[whole:]:
        sums[0] += rest
    return _folded(in_order(sums.reshape(-1, lanes)))


def of_rows(a: Array, b: Array, *, fours: bool = True) -> Array:
    """Return the inner products of contiguous rows with columns, taken four by four where they are contiguous too."""
    rows, columns = a.shape[0], b.shape[1]
    lanes = lanes_of(a)
    start, step = misalignment(a), a.strides[0] // a.itemsize % lanes
    if not step:
        return _aligned(terms(a, b), -start % lanes, fours)
    out = np.empty((rows, columns), a.dtype)
    for row in range(min(rows, lanes)):  # as many rows on, one starts alike
        out[row::lanes] = _aligned(terms(a[row::lanes], b), -(start + row * step) % lanes, fours)
    return out


def transposed(a: Array, b: Array) -> Array:
    """Return the product of two matrices that both lie in memory column by column."""
    if a.itemsize == 4:
        return in_order(terms(a, b))
    return np.ascontiguousarray(of_rows(b.T, a.T, fours=False).T)


def _aligned(x: Array, head: int, fours: bool) -> Array:
    """Sum columns four by four, the rest in more lanes."""
    columns = x.shape[2]
    blocks, head = columns // 4 * 4 if fours else 0, min(head, len(x))
    if blocks == columns:
        return in_lanes(x, head)
    rest = in_lanes(x[:, :, blocks:].copy(), head, _apart(x))
    return np.concatenate([in_lanes(x[:, :, :blocks].copy(), head), rest], axis=1) if blocks else rest


def of_columns(a: Array, b: Array, start: Array | None = None, offset: int = 0) -> Array:
    """Return a product whose second matrix has contiguous rows: they are scaled and added to `start`.

    It lies `offset` numbers after an aligned place in memory.
    """
    (rows, count), columns = a.shape, b.shape[1]
    lanes = lanes_of(a)
    first = None if start is None else np.broadcast_to(start, (rows, columns))
    if columns < min(rows, lanes):  # long rows of terms are faster
        x = terms(b.T, a.T)
        return np.ascontiguousarray(in_order(x if first is None else np.concatenate([first.T[None], x])).T)
    x = terms(a, b)
    out = in_order(x if first is None else np.concatenate([first[None], x]))
    if columns > lanes and columns % lanes and count >= 8:
        for row in range(min(rows, lanes)):  # entries before the first aligned one
            head = -(offset + row * columns) % lanes
            if head and columns - head >= lanes:
                before = None if first is None else first[row::lanes, :head]
                out[row::lanes, :head] = in_eights(x[:, row::lanes, :head], before)
    return out


def fused(a: Array, b: Array, start: Array | None = None) -> Array:
    """Return a product of floats whose terms are each multiplied and added in one rounding, in order, to `start`.

    numpy's library adds even and odd terms apart, so that zeros between them keep the order; from `KEPT` terms on it
    cannot be kept.
    """
    count = a.shape[1]
    size = BLOCK if count >= 2 * BLOCK else count // 2 if count > BLOCK else count
    if count < 8 or size > KEPT:
        product = np.matmul(a, b)
        return product if start is None else start + product
    spread_a, spread_b = np.zeros((a.shape[0], 2 * count), a.dtype), np.zeros((2 * count, b.shape[1]), b.dtype)
    spread_a[:, ::2], spread_b[::2] = a, b
    total = start
    for first in range(0, 2 * count, 2 * size):
        product = np.matmul(spread_a[:, first : first + 2 * size], spread_b[first : first + 2 * size])
        total = product if total is None else total + product
    return total


BLOCK = 192  # terms that torch's library adds up before they go to the sum
KEPT = 160
