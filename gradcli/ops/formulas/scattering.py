"""Index formulas of operations that put entries in places of a tensor."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gradcli.engine.symbolic.indices import Given, entry, flat, letters
from gradcli.ops.formulas.reducing import Reduced
from gradcli.ops.formulas.shaping import plus, put

EPSILON = 1e-7  # torch adds it to a norm before dividing by the norm
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


def filled_number(out: Any, x: Any, index: Any, *, dim: int, value: float) -> tuple[str, Given]:
    return _with_number(x, value), _free(x, _rows(x, index, dim))


def _with_number(x: Any, value: float) -> str:
    free = entry("free", letters(np.ndim(x)))
    number = f" + {value!r}·(1 - {free})" if value else ""
    return f"{_own(x)}·{free}{number}"


def copied(out: Any, x: Any, index: Any, src: Any, *, dim: int) -> tuple[str, Given]:
    places = letters(np.ndim(x))
    kept = f"{_own(x)}·{entry('free', places)}"
    return f"{kept} + {_along(x, index, src, dim, 'src')}", _free(x, _rows(x, index, dim))


def filled(out: Any, x: Any, index: Any, value: Any, *, dim: int) -> tuple[str, Given]:
    free = entry("free", letters(np.ndim(x)))
    return f"{_own(x)}·{free} + value·(1 - {free})", _free(x, _rows(x, index, dim))


def _positions(x: Any, index: Any, dim: int) -> Any:
    if not np.ndim(x):
        return 0
    where = list(np.indices(np.shape(index)))
    where[dim] = np.asarray(index)
    return flat(x)[tuple(where)]


def _rows(x: Any, index: Any, dim: int) -> Any:
    return np.take(flat(x), np.asarray(index).astype(int), dim) if np.ndim(x) else 0


def with_selected(out: Any, x: Any, source: Any, *, dim: int, index: int) -> str:
    places = letters(np.ndim(x))
    here, at = places[dim], index % np.shape(x)[dim]
    kept = f"({entry('x', places)} where {here} ≠ {at})"
    return f"{entry('out', places)} = {kept} + ({entry('source', put(places, dim))} where {here} = {at})"


def with_slice(out: Any, x: Any, source: Any, *, dim: int, start: int, stop: int, step: int = 1) -> tuple[str, Given]:
    places = letters(np.ndim(x) + 1)
    here, k = places[:-1], places[-1]
    start = range(np.shape(x)[dim])[start:].start
    taken = np.take(flat(x), np.arange(start, start + step * np.shape(source)[dim], step), dim)
    there = f"(Σ{k} {entry('source', put(here, dim, k))} where {plus(k, start, step)} = {here[dim]})"
    return f"{_own(x)}·{entry('free', here)} + {there}", _free(x, taken)


def with_diagonal(out: Any, x: Any, source: Any, *, offset: int = 0, dim1: int = 0, dim2: int = 1) -> str:
    places = letters(np.ndim(x) + 1)
    here, k = places[:-1], places[-1]
    row, column = here[dim1], here[dim2]
    rest = [place for place in here if place not in (row, column)]
    conditions = f"{plus(k, max(-offset, 0))} = {row}, {plus(k, max(offset, 0))} = {column}"
    there = f"(Σ{k} {entry('source', [*rest, k])} where {conditions})"
    return f"{entry('out', here)} = ({entry('x', here)} where {column} ≠ {plus(row, offset)}) + {there}"


def combined(out: Any, x: Any, index: Any, src: Any, *, dim: int, how: str, include_self: bool = True) -> Any:
    """Return the formulas of `scatter_reduce`, by how it combines entries."""
    here = letters(np.ndim(x))
    own, source, at = entry("x", here), entry("src", here), entry("index", here)
    reached = put(here, dim, at)
    positions = np.ravel(_positions(x, index, dim))
    counts = np.bincount(positions, minlength=np.size(x)).reshape(np.shape(x))
    kept = np.ones(np.shape(x), int) if include_self else (counts == 0).astype(int)
    free = entry("kept", here)
    given: Given = {"kept": ("1 where the entry itself counts, else 0", kept)}
    itself = own if include_self else f"{own}·{free}"
    others = _from_source(x, "src", dim)
    if how == "sum":
        return f"{entry('out', here)} = {itself} + {others}", given
    if how == "mean":
        given["n"] = ("the number of entries that are averaged", np.maximum(counts + include_self, 1))
        return f"{entry('out', here)} = ({itself} + {others})/{entry('n', here)}", given
    g, result = entry("g", here), entry("out", here)
    there, found = entry("g", reached), entry("out", reached)
    if how == "prod":
        only = "" if include_self else f"·{free}"
        return (
            f"{entry('∂x', here)} = {g}·{result}/{own}{only}; {entry('∂src', here)} = {there}·{found}/{source}",
            given,
        )
    hits = np.asarray(src) == np.ravel(out)[positions].reshape(np.shape(src))
    ties = np.bincount(positions, hits.ravel(), np.size(x)).reshape(np.shape(x)) + np.equal(x, out)
    given["n"] = ("the number of entries that tie", np.maximum(ties, 1))
    only = "" if include_self else f"·{free}"
    by_own = f"{entry('∂x', here)} = {g}{only}/{entry('n', here)} where {own} = {result}"
    return f"{by_own}; {entry('∂src', here)} = {there}/{entry('n', reached)} where {source} = {found}", given


def shortened(out: Any, x: Any, *, p: float, dim: Sequence[int], maxnorm: float) -> tuple[str, Given]:
    """Return the formulas of `renorm`: rows that are too long get the largest length, which depends on them."""
    of = Reduced.of(x, dim)
    size = np.abs(x)
    length = np.max(size, tuple(dim)) if np.isinf(p) else np.sum(size**p, tuple(dim)) ** (1 / p)
    own, x_, length_ = entry("g", of.places), of.x, entry("length", of.kept)
    divisor = f"({length_} + {EPSILON!r})"
    through = f"(Σ{','.join(of.rest)} {of.other('g')}·{of.other('x')})"
    slope = f"sign({x_})·abs({x_})**{p - 1!r}/{length_}**{p - 1!r}"
    long = f"({maxnorm!r}·{own}/{divisor} - {maxnorm!r}·{through}·{slope}/{divisor}**2 where {length_} > {maxnorm!r})"
    forward = f"({maxnorm!r}·{x_}/{divisor} where {length_} > {maxnorm!r}) + ({x_} where {length_} ≤ {maxnorm!r})"
    gradient = f"{long} + ({own} where {length_} ≤ {maxnorm!r})"
    given = {"length": (f"the {p:g}-norm", length)}
    return f"{entry('out', of.places)} = {forward}; {of.gradient} = {gradient}", given


def filled_in_order(out: Any, x: Any, mask: Any, source: Any) -> tuple[str, Given]:
    text = "out.flat[i] = x.flat[i]·free.flat[i] + (source.flat[place.flat[i]] where free.flat[i] = 0)"
    return text, _under(mask)


def taken_in_order(out: Any, h: Any, mask: Any, *, shape: Any) -> tuple[str, Given]:
    return "out.flat[i] = Σj h.flat[j] where place.flat[j] = i, free.flat[j] = 0", _under(mask)


def _under(mask: Any) -> Given:
    mask = np.asarray(mask)
    order = (np.cumsum(mask) - 1).reshape(mask.shape)
    words = "the number of the entry among those under the mask"
    return {"free": ("1 beside the mask, else 0", (~mask).astype(int)), "place": (words, order)}
