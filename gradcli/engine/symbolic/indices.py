"""Index letters, for declarations whose index formula depends on the number of dimensions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

LETTERS = "ijklmnopqrstuvwxyzabcdefgh"
ELSEWHERE = "elsewhere"  # in place of a formula: entries of the input stand in other places, which running it tells


def letters(ndim: int, but: Iterable[str] = ()) -> list[str]:
    """Return a letter for each dimension."""
    return [letter for letter in LETTERS if letter not in but][:ndim]


def entry(name: str, places: Sequence[str | int]) -> str:
    """Return `x[i,j]`, or `x` where there is no dimension."""
    return f"{name}[{','.join(map(str, places))}]" if places else name


def put(places: Sequence[str], dim: int, *new: str) -> list[str]:
    """Return places with others instead of one; none leave it out."""
    dim = dim % len(places) if places else 0
    return [*places[:dim], *new, *places[dim + 1 :]]


def spread(name: str, shape: Sequence[int], places: Sequence[str], size: Sequence[int]) -> str:
    """Return the entry of a tensor that is broadcast to a size: `b[j]` at `i,j`, `c[i,0]` of a column."""
    lead = len(size) - len(shape)
    chosen = ["0" if n == 1 != size[lead + axis] else places[lead + axis] for axis, n in enumerate(shape)]
    return entry(name, chosen)


def summed(bound: Sequence[str], body: str, operator: str = "Σ") -> str:
    """Return `Σi,j body`, or the body where nothing is summed."""
    return f"{operator}{','.join(bound)} {body}" if bound else body


def same_entries(out: Any, x: Any, *_: Any, **__: Any) -> str:
    """Return the formula of a change of shape: dimensions of size 1 come and go, else all entries in their order."""
    before, behind = np.shape(x), np.shape(out)
    sizes = [size for size in before if size != 1]
    if sizes != [size for size in behind if size != 1]:
        return "out.flat[i] = x.flat[i]"
    return f"{entry('out', _without_ones(behind))} = {entry('x', _without_ones(before))}"


def _without_ones(shape: Sequence[int]) -> list[str]:
    free = iter(letters(len(shape)))
    return ["0" if size == 1 else next(free) for size in shape]


def sums_of_copies(out: Any, x: Any, **_: Any) -> str:
    """Return the formula of the sum over dimensions along which a tensor was copied."""
    places = letters(np.ndim(x))
    total = spread("out", np.shape(out), places, np.shape(x))
    bound = [letter for letter in places if letter not in total.removeprefix("out")]
    return f"{total} = {summed(bound, entry('x', places))}"


Given = dict[str, tuple[str, Any]]  # tensors that a formula mentions beside the inputs: what each is, and its value
PLACE = "where an entry stands in the whole, counted along all dimensions"


def flat(x: Any) -> Any:
    """Return the position of each entry, counted along all dimensions."""
    return np.arange(np.size(x)).reshape(np.shape(x))


def overwrite_formula(x: Any, place: Any, name: str, part: Any) -> tuple[str, Given]:
    """Return the formula of a tensor in which entries at some positions are replaced by those of a part.

    Where several entries share a position the last stays; torch sends the gradient to all of them.
    """
    p, *places = letters(np.ndim(place) + 1)
    shape = np.shape(place)
    taken = np.ravel(place)
    free = np.ones(np.size(x), int)
    free[taken] = 0
    last = np.full(np.size(x), -1)
    last[taken] = np.arange(taken.size)
    wins = last[taken] == np.arange(taken.size)
    kept = np.where(wins.reshape(shape), place, -1)
    given = {
        "free": ("0 where it is written over, else 1", free.reshape(np.shape(x))),
        "place": (PLACE + ("" if wins.all() else "; below 0 where a later entry replaces it"), kept),
    }
    part_entry = spread(name, np.shape(part), places, shape)
    value = f"({summed(places, part_entry)} where {entry('place', places)} = {p})"
    formula = f"out.flat[{p}] = x.flat[{p}]·free.flat[{p}] + {value}"
    if wins.all():
        return formula, given
    given["to"] = (PLACE, np.asarray(place))
    lost = [letter for letter in places if letter not in part_entry[len(name) :]]
    reached = entry("to", places)
    return f"{formula}; ∂{part_entry} = {summed(lost, f'g.flat[{reached}]')}", given
