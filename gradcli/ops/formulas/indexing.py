"""Index formulas of operations that take entries by indices, or put entries in places of a tensor."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from gradcli.engine.symbolic.indices import Given, entry, flat, letters
from gradcli.ops.formulas.shaping import put


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


def masked(out: Any, x: Any, mask: Any) -> tuple[str, Given]:
    chosen = flat(x)[np.asarray(mask)].reshape(-1)
    return "out.flat[i] = x.flat[place[i]]", {"place": ("the place of each entry under the mask", chosen)}


def indexed(out: Any, x: Any, i: Any, *more: Any, dims: Sequence[int]) -> str | tuple[str, Given]:
    """Return the formula of indexing with tensors: the entries they name, or places where they are masks."""
    indices = [np.asarray(index) for index in (i, *more)]
    plain = all(index.dtype.kind in "iu" and (index >= 0).all() for index in indices)
    if not plain:
        places = letters(np.ndim(out))
        return f"{entry('out', places)} = x.flat[{entry('place', places)}]", _given_places(x, indices, dims)
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


def _given_places(x: Any, indices: Sequence[Any], dims: Sequence[int]) -> Given:
    items: list[Any] = []
    covered = 0
    for index, dim in zip(indices, dims, strict=True):
        items += [slice(None)] * (dim - covered) + [index if index.dtype.kind != "f" else index.astype(int)]
        covered = dim + (index.ndim if index.dtype == np.bool_ else 1)
    return {"place": ("where each entry stands, counted along all dimensions", flat(x)[tuple(items)])}


def entries(out: Any, x: Any, places: Any, *, dims: int) -> str | tuple[str, Given]:
    lead = np.ndim(x) - dims
    if dims == 1:
        own = letters(lead + np.ndim(places))
        return f"{entry('out', own)} = {entry('x', [*own[:lead], entry('places', own[lead:])])}"
    rows = int(np.prod(np.shape(x)[lead:]))
    starts = np.arange(int(np.prod(np.shape(x)[:lead]))).reshape(*np.shape(x)[:lead], *[1] * np.ndim(places)) * rows
    found = np.where(np.asarray(places) < 0, -1, np.asarray(places) + starts)
    own = letters(np.ndim(out))
    words = "where each entry stands, counted along all dimensions; nowhere below 0"
    return f"{entry('out', own)} = x.flat[{entry('place', own)}]", {"place": (words, found)}


FREE = "1 where nothing is written, else 0"


def scatter_added(out: Any, x: Any, index: Any, src: Any, *, dim: int) -> str:
    return f"{_own(x)} + {_from_source(x, 'src', dim)}"


def _own(x: Any) -> str:
    places = letters(np.ndim(x))
    return f"{entry('out', places)} = {entry('x', places)}"


def _from_source(x: Any, name: str, dim: int) -> str:
    """Return the entries of a source that an index sends to a place along one dimension."""
    places = letters(np.ndim(x) + 1)
    here, k = places[:-1], places[-1]
    if not here:
        return name
    there = put(here, dim, k)
    return f"(Σ{k} {entry(name, there)} where {entry('index', there)} = {here[dim]})"


def index_added(out: Any, x: Any, index: Any, src: Any, *, dim: int) -> str:
    return f"{_own(x)} + {_along(x, index, src, dim, 'src')}"


def _along(x: Any, index: Any, src: Any, dim: int, name: str) -> str:
    places = letters(np.ndim(x) + 1)
    here, k = places[:-1], places[-1]
    if not here:
        return f"({name if not np.ndim(src) else name + '[0]'})"
    where = f"where {'index' if not np.ndim(index) else f'index[{k}]'} = {here[dim]}"
    if not np.ndim(src):
        return f"(Σ{k} {name} {where})" if np.ndim(index) else f"({name} {where})"
    return f"(Σ{k} {entry(name, put(here, dim, k))} {where})"


def _free(out: Any, taken: Any) -> Given:
    """Return the mask of the entries of a tensor that nothing is written to."""
    mask = np.ones(np.shape(out), int)
    mask.reshape(-1)[taken] = 0
    return {"free": (FREE, mask[()])}


def scattered(out: Any, x: Any, index: Any, src: Any, *, dim: int) -> tuple[str, Given]:
    places = letters(np.ndim(x))
    kept = f"{_own(x)}·{entry('free', places)}"
    positions = _positions(x, index, dim)
    given = _free(x, positions)
    if np.unique(positions).size == np.size(positions):
        return f"{kept} + {_from_source(x, 'src', dim)}", given
    last = np.full(np.size(x), -1)
    last[np.ravel(positions)] = np.arange(np.size(positions))
    wins = last[np.ravel(positions)] == np.arange(np.size(positions))
    given["last"] = (
        "the index of an entry that no later one replaces",
        np.where(wins.reshape(positions.shape), index, -1),
    )
    reached = entry("g", put(places, dim, entry("index", places)))  # torch sends it to those that are replaced, too
    forward = f"{kept} + {_from_source(x, 'src', dim).replace('index', 'last')}"
    return f"{forward}; {entry('∂src', places)} = {reached}", given


def scattered_number(out: Any, x: Any, index: Any, *, dim: int, value: float) -> tuple[str, Given]:
    return _with_number(x, value), _free(x, _positions(x, index, dim))


def _with_number(x: Any, value: float) -> str:
    free = entry("free", letters(np.ndim(x)))
    number = f" + {value!r}·(1 - {free})" if value else ""
    return f"{_own(x)}·{free}{number}"


def _positions(x: Any, index: Any, dim: int) -> Any:
    if not np.ndim(x):
        return 0
    where = list(np.indices(np.shape(index)))
    where[dim] = np.asarray(index)
    return flat(x)[tuple(where)]
