"""One entry of a gradient in numbers: `entry [0,0]: 1·(-0.4128) + 0·0.1258 = -0.4128`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import islice, product
from math import prod
from typing import Any

import numpy as np

from gradcli.explanation.index.tree import (
    REDUCE,
    Apply,
    Entry,
    Equation,
    Number,
    Reduce,
    Space,
    Tensors,
    Term,
    Variable,
    fits,
    parts,
    variables,
)
from gradcli.facts import dataclass

MOST = 6  # terms of a sum that are written out
TRIED = 64  # entries that are looked at for one that the upstream gradient reaches
LARGEST = 2**20  # terms of a sum that is worked out at all


@dataclass(frozen=True, slots=True)
class Worked:
    """The entry at `place`: its formula with numbers put in, and its value. `is_flat` counts along all dimensions.

    `entry` is the entry that it is, where there is no arithmetic: `g[0,1]`.
    """

    place: tuple[int, ...]
    numbers: Term
    value: Any
    is_flat: bool = False
    entry: Entry | None = None


def worked(equation: Equation, tensors: Tensors, sizes: Mapping[str, int]) -> Worked | None:
    """Return the first entry that the upstream gradient reaches; None where there is none, or it is out of reach."""
    indices = variables(equation.left)
    if prod(size for name, size in sizes.items() if name not in indices) > LARGEST:
        return None
    for values in islice(product(*(range(sizes[name]) for name in indices)), TRIED):
        fixed = dict(zip(indices, values, strict=True))
        space = Space(tensors, sizes, fixed)
        places, inside = space.places(equation.left)
        if not np.all(inside):
            continue
        numbers = with_numbers(equation.right, tensors, sizes, fixed)
        if numbers != Number(0):
            value = np.asarray(space.evaluate(equation.right)).reshape(-1)[0]
            if not np.isfinite(value) and all(np.isfinite(x.value) for x in parts(numbers) if isinstance(x, Number)):
                return None  # too large an exponential, which the operation avoids
            alone = isinstance(numbers, Number)
            entry_alone = with_numbers(equation.right, tensors, sizes, fixed, only_places=True) if alone else None
            entry = entry_alone if isinstance(entry_alone, Entry) else None
            return Worked(tuple(int(place) for place in places), numbers, value, equation.left.is_flat, entry)
    return None


def with_numbers(
    term: Term, tensors: Tensors, sizes: Mapping[str, int], fixed: Mapping[str, int], *, only_places: bool = False
) -> Term:
    """Return a term with numbers for its entries, and its sums written out; 0 where an entry is outside its tensor.

    With `only_places` the entries stay, with numbers for their places.
    """
    match term:
        case Number():
            return term
        case Variable(name):
            return Number(fixed[name])
        case Entry():
            value = np.asarray(tensors[term.tensor])
            value = value.reshape(-1) if term.is_flat else value
            at = Space(tensors, {}, fixed)
            places = tuple(int(at.evaluate(place)) for place in term.places)
            if not all(0 <= place < size for place, size in zip(places, value.shape, strict=True)):
                return Number(0)
            return Entry(term.name, tuple(map(Number, places))) if only_places else Number(value[places])
        case Reduce():
            return _expand_sum(term, tensors, sizes, fixed, only_places)
    return Apply(
        term.operator, tuple(with_numbers(x, tensors, sizes, fixed, only_places=only_places) for x in term.terms)
    )


def _expand_sum(
    term: Reduce, tensors: Tensors, sizes: Mapping[str, int], fixed: Mapping[str, int], only_places: bool
) -> Term:
    bound = [name for name, _ in term.variables]
    mask = _valid_values(term, bound, tensors, sizes, fixed)
    count = np.count_nonzero(mask)
    first = np.flatnonzero(mask)[: count if count <= MOST else MOST - 2]
    places = zip(*np.unravel_index(first, mask.shape), strict=True) if bound else [()] * count
    terms = [
        with_numbers(
            term.body,
            tensors,
            sizes,
            {**fixed, **dict(zip(bound, map(int, place), strict=True))},
            only_places=only_places,
        )
        for place in places
    ]
    if count > MOST:
        terms.append(Entry(f"… ({count:,} terms)"))
    if not terms:
        return Number(REDUCE[term.operator][1])
    if len(terms) == 1:
        return terms[0]
    return Apply({"Σ": "+", "Π": "·"}.get(term.operator, term.operator), tuple(terms))


def _valid_values(
    term: Reduce, bound: Sequence[str], tensors: Tensors, sizes: Mapping[str, int], fixed: Mapping[str, int]
) -> Any:
    """Return for which values of the variables the conditions hold, and no entry is outside its tensor."""
    shape = [sizes[name] for name in bound]
    entries = [x for x in parts(term.body) if isinstance(x, Entry)]
    if not term.where and all(fits(entry, tensors, sizes) for entry in entries):
        return np.broadcast_to(np.True_, shape)
    space = Space(tensors, {name: sizes[name] for name in (*fixed, *bound)}, fixed)
    inside: Any = space.holds(term.where)
    inner_indices = {name for x in parts(term.body) if isinstance(x, Reduce) for name, _ in x.variables}
    for x in parts(term.body):
        if isinstance(x, Entry) and inner_indices.isdisjoint(variables(x)):
            inside = inside & space.places(x)[1]
    return np.broadcast_to(inside, shape)
