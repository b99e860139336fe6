"""Index formulas of operations that put entries in places of a tensor."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradcli.engine.symbolic.indices import Given, entry, flat, letters
from gradcli.ops.formulas.shaping import put

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
