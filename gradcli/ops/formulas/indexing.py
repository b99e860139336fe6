"""Index formulas of operations that take entries by indices, or put entries in places of a tensor."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from gradcli.engine.symbolic.indices import ELSEWHERE, entry, letters, put


def gathered(out: Any, x: Any, index: Any, *, dim: int, **_: Any) -> str:
    """Return the formula of `gather`, and of sorting, where `index` says what comes where."""
    places = letters(np.ndim(x))
    found = entry("x", put(places, dim, entry("index", places)))
    return f"{entry('out', places)} = {found}"


def ordered(out: Any, x: Any, indices: Any, **options: Any) -> str:
    return gathered(out, x, indices, dim=options["dim"]).replace("index", "indices")


def picked(out: Any, x: Any, indices: Any, *, dim: int, keepdim: bool = False, **_: Any) -> str:
    places = letters(np.ndim(x))
    left = put(places, dim, *(["0"] if keepdim else [])) if places else places
    return f"{entry('out', left)} = {entry('x', put(places, dim, entry('indices', left)))}"


def index_selected(out: Any, x: Any, index: Any, *, dim: int) -> str:
    places = letters(np.ndim(x))
    if not places:
        return f"{entry('out', ['0'] * np.ndim(out))} = x"
    place = f"index[{places[dim]}]" if np.ndim(index) else "index"
    return f"{entry('out', places if np.ndim(out) else [])} = {entry('x', put(places, dim, place))}"


def indexed(out: Any, x: Any, i: Any, *more: Any, dims: Sequence[int]) -> str:
    """Return the formula of indexing with tensors: the entries they name."""
    indices = [np.asarray(index) for index in (i, *more)]
    plain = all(index.dtype.kind in "iu" and (index >= 0).all() for index in indices)
    if not plain:
        return ELSEWHERE
    shape = np.broadcast_shapes(*(index.shape for index in indices))
    all_letters = letters(len(shape) + np.ndim(x) - len(dims))
    together = all(b - a == 1 for a, b in pairwise(dims))
    at = dims[0] if together else 0
    broad, rest = all_letters[at : at + len(shape)], [*all_letters[:at], *all_letters[at + len(shape) :]]
    names = ["i", *(f"more{n}" for n in range(len(more)))]
    chosen = {}
    for dim, name, index in zip(dims, names, indices, strict=True):
        lead = len(shape) - index.ndim
        own = ["0" if n == 1 != shape[lead + axis] else broad[lead + axis] for axis, n in enumerate(index.shape)]
        chosen[dim] = entry(name, own) if own else str(index)
    free = iter(rest)
    places = [chosen[dim] if dim in chosen else next(free) for dim in range(np.ndim(x))]
    return f"{entry('out', all_letters)} = {entry('x', places)}"
