"""Suspects, and the numbers that they give on shelves by shape, where a typed number is looked up among all at once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cached_property
from math import prod
from typing import Any, NamedTuple

import numpy as np

from gradcli.facts import dataclass
from gradcli.homework.mistakes.catalogue import TITLES
from gradcli.homework.mistakes.declaration import Guess, Slip, Turn
from gradcli.homework.model import Value
from gradcli.homework.submission.numerals import Tolerance, Typed

ENTRIES = 2**22  # of the numbers that are kept for one quantity
NEIGHBOURS = 8  # by which it is judged how close to each other numbers are
CODES = {code: rank for rank, code in enumerate(TITLES)}


class Suspect(NamedTuple):
    """One mistake or two that lead to a wrong number."""

    codes: tuple[str, ...]
    parts: tuple[Slip | Guess | Turn, ...]
    kind: str = ""  # the generator of the mistake

    @property
    def code(self) -> str:
        return " + ".join(self.codes)

    @property
    def rank(self) -> tuple[float, ...]:
        """The order of suspects: likely ones first."""
        return (len(self.codes), sum(part.rank for part in self.parts), *(CODES.get(code, -1) for code in self.codes))


@dataclass
class Shelf:
    """Suspects whose numbers have one shape, and their numbers as one array."""

    suspects: list[Suspect]
    numbers: Any

    @cached_property
    def different(self) -> Any:
        """The finite numbers, each once."""
        return np.unique(self.numbers[np.isfinite(self.numbers)])


def matching(
    shelves: Mapping[tuple[int, ...], Shelf], typed: Typed, tolerance: Tolerance
) -> list[tuple[Suspect, Value]]:
    """Return the suspects that give a number, with their exact numbers; likely ones first."""
    shape = np.shape(typed.value)
    if shape not in shelves:
        alike = next((other for other in shelves if plain(other) == plain(shape)), None)
        if alike is None:
            return []
        shape, typed = alike, typed.reshaped(alike)
    shelf = shelves[shape]
    places = np.flatnonzero(in_precision(tolerance, shelf.numbers, typed).matches(typed, shelf.numbers))
    pairs = [(shelf.suspects[n], shelf.numbers[n]) for n in places]
    return sorted(pairs, key=by_rank) if len(pairs) > 1 else pairs


def crowd(shelves: Mapping[tuple[int, ...], Shelf], typed: Typed) -> float:
    """Return how many suspects a number would meet that came about in another way, by those near it: 0 for a tensor."""
    shelf = shelves.get(())
    if shelf is None or np.ndim(typed.value):
        return 0.0
    apart = np.sort(np.abs(shelf.different - typed.value))
    others = apart[apart > typed.unit][:NEIGHBOURS]
    return float(len(others) * typed.unit / (2 * others[-1])) if len(others) else 0.0


def plain(shape: tuple[int, ...]) -> list[int]:
    """Return a shape without the axes of length 1, which brackets too many or too few make."""
    return [size for size in shape if size != 1]


def by_rank(match: tuple[Suspect, Value]) -> tuple[float, ...]:
    return match[0].rank


def in_precision(tolerance: Tolerance, numbers: Value, typed: Typed) -> Tolerance:
    """Widen the tolerance to single precision, which has seven digits of the largest entry."""
    if numbers.dtype != np.float32:
        return tolerance
    return replace(tolerance, atol=max(tolerance.atol, 1e-5 * float(np.max(np.abs(typed.value), initial=0.0))))


def pair_of(first: Suspect, second: Suspect) -> Suspect:
    """Return two mistakes as one suspect, in the order of the catalogue: `a + b` and `b + a` are one."""
    earlier, other = sorted((first, second), key=lambda suspect: CODES[suspect.codes[0]])
    return Suspect(earlier.codes + other.codes, earlier.parts + other.parts)


def shelved(numbers: Iterator[tuple[Suspect, Value]], truth: Value) -> dict[tuple[int, ...], Shelf]:
    """Group suspects by the shape of their numbers, without suspects whose number is right to a float's precision."""
    shelves: dict[tuple[int, ...], tuple[list[Suspect], list[Value]]] = {}
    room = ENTRIES
    for suspect, value in numbers:
        if value is None:
            continue
        shape = () if isinstance(value, float) else np.shape(value)  # most are single numbers
        room -= max(prod(shape), 1) if shape else 1
        if room < 0:
            break
        if shape not in shelves:
            shelves[shape] = ([], [])
        suspects, values = shelves[shape]
        suspects.append(suspect)
        values.append(value)
    by_shape = {shape: Shelf(suspects, np.array(values)) for shape, (suspects, values) in shelves.items()}
    if np.shape(truth) in by_shape:
        shelf = by_shape[np.shape(truth)]
        other = np.flatnonzero(~is_same(shelf.numbers, truth).reshape(len(shelf.suspects), -1).all(axis=1))
        by_shape[np.shape(truth)] = Shelf([shelf.suspects[n] for n in other], shelf.numbers[other])
    return by_shape


def is_same(numbers: Any, truth: Value) -> Any:
    """Return which entries are right to a float's precision, or infinite or no number as the right ones are."""
    with np.errstate(all="ignore"):
        near = (np.abs(numbers - truth) <= 1e-12 + 1e-9 * np.abs(truth)) & np.isfinite(truth)
    return near | (numbers == truth) | (np.isnan(numbers) & np.isnan(truth))
