"""Index formulas of operations that arrange entries: each entry of the result is one of the input, or 0."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from typing import Any

import numpy as np

from gradcli.engine.symbolic.indices import entry, letters

Shape = tuple[int, ...]


def put(places: Sequence[str], dim: int, *new: str) -> list[str]:
    """Return places with others instead of one; none leave it out."""
    dim = dim % len(places) if places else 0
    return [*places[:dim], *new, *places[dim + 1 :]]


def plus(letter: str, start: int, step: int = 1) -> str:
    """Return `2·i + 1`."""
    times = letter if step == 1 else f"{step}·{letter}"
    return f"{times} + {start}" if start > 0 else f"{times} - {-start}" if start else times


def permuted(out: Any, x: Any, *, dims: Shape) -> str:
    places = letters(np.ndim(x))
    return f"{entry('out', [places[dim] for dim in dims])} = {entry('x', places)}"


def swapped(out: Any, x: Any, *, dim0: int = 0, dim1: int = 1) -> str:
    order = list(range(np.ndim(x)))
    if len(order) > 1:
        order[dim0], order[dim1] = order[dim1], order[dim0]
    return permuted(out, x, dims=tuple(order))


def selected(out: Any, x: Any, *, dim: int, index: int) -> str:
    places = letters(np.ndim(x))
    index = index % np.shape(x)[dim]
    return f"{entry('out', put(places, dim))} = {entry('x', put(places, dim, str(index)))}"


def sliced(out: Any, x: Any, *, dim: int, start: int, stop: int, step: int = 1, index: int = 0) -> str:
    places = letters(np.ndim(x))
    start = range(np.shape(x)[dim])[start:].start
    return f"{entry('out', places)} = {entry('x', put(places, dim, plus(places[dim], start, step)))}"


def flipped(out: Any, x: Any, *, dims: Sequence[int]) -> str:
    places, turned = letters(np.ndim(x)), letters(np.ndim(x))
    for dim in dims:
        if places:
            turned = put(turned, dim, f"{np.shape(x)[dim] - 1} - {places[dim]}")
    return f"{entry('out', places)} = {entry('x', turned)}"


def rolled(out: Any, x: Any, *, shifts: Sequence[int], dims: Sequence[int] | None = None) -> str:
    if dims is None:
        size = np.size(x)
        shift = sum(shifts) % max(size, 1)
        back, forth = f"({plus('i', -shift)})%{size}", f"({plus('i', shift)})%{size}"
        return f"out.flat[i] = x.flat[{back}]; ∂x.flat[i] = g.flat[{forth}]"
    places = letters(np.ndim(x))
    offsets = dict.fromkeys(range(len(places)), 0)
    for shift, dim in zip(shifts, dims, strict=True):
        offsets[dim % len(places)] += shift
    moved = []
    for sign in (-1, 1):
        cells = list(places)
        for dim, offset in offsets.items():
            size = max(np.shape(x)[dim], 1)
            if offset % size:
                cells[dim] = f"({plus(places[dim], sign * (offset % size))})%{size}"
        moved.append(cells)
    return f"{entry('out', places)} = {entry('x', moved[0])}; {entry('∂x', places)} = {entry('g', moved[1])}"


def repeated(out: Any, x: Any, *, repeats: Shape) -> str:
    places = letters(len(repeats))
    lead = len(repeats) - np.ndim(x)
    cells = [
        places[lead + n] if repeats[lead + n] == 1 else "0" if size == 1 else f"{places[lead + n]}%{size}"
        for n, size in enumerate(np.shape(x))
    ]
    return f"{entry('out', places)} = {entry('x', cells)}"


def joined(out: Any, *inputs: Any, position: int, dim: int) -> str:
    starts = list(accumulate((np.shape(x)[dim] for x in inputs), initial=0))
    places = letters(np.ndim(out))
    return f"{entry('out', put(places, dim, plus(places[dim], starts[position])))} = {entry('x', places)}"


def stacked(out: Any, *inputs: Any, position: int, dim: int) -> str:
    places = letters(np.ndim(out) - 1)
    dim %= np.ndim(out)
    return f"{entry('out', [*places[:dim], str(position), *places[dim:]])} = {entry('x', places)}"


def diagonal(out: Any, x: Any, *, offset: int = 0, dim1: int = 0, dim2: int = 1) -> str:
    places = letters(np.ndim(x) - 1)
    return f"{entry('out', places)} = {entry('x', _along_diagonal(places, offset, dim1, dim2))}"


def on_diagonal(out: Any, x: Any, *, offset: int = 0, dim1: int = -2, dim2: int = -1) -> str:
    places = letters(np.ndim(x))
    return f"{entry('out', _along_diagonal(places, offset, dim1, dim2))} = {entry('x', places)}"


def _along_diagonal(places: Sequence[str], offset: int, dim1: int, dim2: int) -> list[str]:
    ndim = len(places) + 1
    dim1, dim2 = dim1 % ndim, dim2 % ndim
    rest = iter(places[:-1])
    last = {dim1: plus(places[-1], max(-offset, 0)), dim2: plus(places[-1], max(offset, 0))}
    return [last[dim] if dim in last else next(rest) for dim in range(ndim)]


def diag(out: Any, x: Any, *, diagonal: int = 0) -> str:
    return f"out[i] = {entry('x', _along_diagonal(['i'], diagonal, 0, 1))}"


def triangle(below: bool) -> Any:
    """Return the formula of `tril` or `triu`."""

    def formula(out: Any, x: Any, *, diagonal: int = 0) -> str:
        places = letters(np.ndim(x))
        i, j = places[-2:]
        condition = f"{j} {'≤' if below else '≥'} {plus(i, diagonal)}"
        return f"{entry('out', places)} = {entry('x', places)} where {condition}"

    return formula


def windows(out: Any, x: Any, *, dimension: int, size: int, step: int) -> str:
    if not np.ndim(x):
        return "out[i] = x" if np.ndim(out) else "out = x"
    *places, inner = letters(np.ndim(x) + 1)
    place = f"{plus(places[dimension], 0, step)} + {inner}"
    return f"{entry('out', [*places, inner])} = {entry('x', put(places, dimension, place))}"
