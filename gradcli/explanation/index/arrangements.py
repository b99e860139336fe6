"""The formulas of a computation between arrangements of tensors, in the entries of the tensors as they were before.

`kron(A, B)` multiplies A in one shape by B in another, and gives the product a third:
`out[2·i + j,2·k + l] = A[i,k]·B[j,l]`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import prod
from typing import Any

import numpy as np

from gradcli.engine.symbolic.indices import letters
from gradcli.explanation.index.copies import indexed
from gradcli.explanation.index.derivation import by_entry, derivatives
from gradcli.explanation.index.formulas import Formulas, together
from gradcli.explanation.index.tree import (
    Apply,
    Entry,
    Equation,
    Number,
    Reduce,
    Term,
    Variable,
    mapped,
    parts,
    product,
    total,
    variables,
)
from gradcli.explanation.index.views import PLACE, SHORT, steps
from gradcli.facts import dataclass
from gradcli.language.tree import Expression

UPSTREAM = "upstream"
Shape = tuple[int, ...]
Positions = np.ndarray[Any, Any]  # which entry of a tensor stands there, counted along all dimensions
Given = dict[str, tuple[str, Any]]  # tensors that formulas mention beside the inputs: a description, and the value
Outside = tuple[tuple[Equation, ...], Equation, Given]  # of the result, of the gradient


@dataclass(frozen=True, slots=True)
class Arranged:
    """A tensor by its outer name and shape, and which of its entries stands at each position inside.

    `dims` says of each dimension inside which one it is outside, -1 of one of size 1 that was added; None where that
    is not certain.
    """

    name: str
    shape: Shape
    positions: Positions
    dims: tuple[int, ...] | None = None

    def entry(self, places: Sequence[Term], extra: Given, *, flat: bool = False) -> Entry:
        """Return the entry at places inside; places that are no sum of the inner places go into `extra` as a list."""
        positions = self.positions.reshape(-1) if flat else self.positions
        if flat and isinstance(places[0], Entry) and places[0].name in extra:
            positions, places = positions[extra[places[0].name][1]], places[0].places
        if not self.shape:
            return Entry(self.name)
        sums = [affine(place, places) for place in np.unravel_index(positions, self.shape)]
        inner = [place for place in sums if place is not None]
        if len(inner) == len(sums):
            outer = inner if flat else [self._place_of_size_one(dim, place, places) for dim, place in enumerate(inner)]
            return Entry(self.name, tuple(place for place in outer if place is not None))
        place = affine(positions, places) or Entry(_listed(positions, extra), tuple(places))
        return Entry(self.name + ".flat" * (len(self.shape) > 1), (place,))

    def _place_of_size_one(self, dim: int, place: Term, places: Sequence[Term]) -> Term:
        """Return the place inside for a dimension of size 1 that is there, too."""
        is_there = self.shape[dim] == 1 and self.dims is not None and dim in self.dims
        return places[self.dims.index(dim)] if is_there and self.dims else place

    def added(self, places: Sequence[Term]) -> set[Term]:
        """Return the index variables that stand alone for a dimension that is not there outside: they are 0."""
        dims = self.dims or (-1,) * self.positions.ndim
        sizes = zip(places, self.positions.shape, dims, strict=True)
        return {place for place, size, dim in sizes if size == 1 and dim < 0 and isinstance(place, Variable)}


def affine(positions: Positions, places: Sequence[Term]) -> Term | None:
    """Return positions as a sum of multiples of places; None where they are none."""
    start_and_factors = steps(np.asarray(positions))
    if start_and_factors is None:
        return None
    start, factors = start_and_factors
    return total(*(product(Number(n), place) for n, place in zip(factors, places, strict=True) if n), Number(start))


def _listed(positions: Positions, extra: Given) -> str:
    """Return the name of a list of positions, which is new unless it is given."""
    for name, (_, value) in extra.items():
        if np.array_equal(positions, value):
            return name
    name = f"place{len(extra) + 1 if extra else ''}"
    extra[name] = (str(positions.tolist()) if positions.size <= SHORT else PLACE, positions)
    return name


def between(
    inner: Formulas, result: Arranged, operands: Mapping[str, Arranged], chosen: Sequence[str]
) -> Outside | None:
    """Return the formulas with the entries outside, and the gradient of the `chosen` operands, added.

    `inner` are those of the computation, with its names of the operands.
    """
    extra: Given = {name: (words, inner.tensors[name]) for name, words in inner.given.items()}
    tensors = {inner.result: result, inner.upstream: replace(result, name=UPSTREAM), **operands}
    forward = tuple(outside(x, tensors, extra) for x in inner.forward)
    first, *more = (operands[name] for name in chosen)
    if inner.gradient is not None and not more and is_order(first.positions, first.shape):
        return forward, outside(inner.gradient, tensors, extra), extra
    try:
        gradients = [d for x in (first, *more) for eq in forward for d in derivatives(eq, x.name, UPSTREAM)]
    except ValueError:  # a gradient that is written, not derived
        return None
    return _added(forward, gradients, extra)


def pointwise(
    formula: Expression, contributions: Mapping[str, Expression], result: Arranged, operands: Mapping[str, Arranged]
) -> Outside | None:
    """Return the formulas of an elementwise computation, a `formula` over its operands; all positions have one shape.

    `contributions` are to the operands whose gradient is wanted, and are added.
    """
    extra: Given = {}
    places = tuple(map(Variable, letters(result.positions.ndim)))
    output = result.entry(places, extra)
    entries = {name: operand.entry(places, extra) for name, operand in operands.items()}
    entries.update({"out": output, UPSTREAM: replace(output, name=UPSTREAM + ".flat" * output.is_flat)})
    terms = {name: indexed(tree, entries) for name, tree in contributions.items()}
    right = indexed(formula, entries)
    if right is None or None in terms.values():
        return None
    sizes = dict(zip((place.name for place in places), result.positions.shape, strict=True))
    forward = bounded(Equation(output, right), sizes)
    equations = []
    for name, body in terms.items():
        assert body is not None
        left = replace(entries[name], name=f"∂{entries[name].name}")
        equations.append(by_entry(forward, left, body, bounded(Equation(left, body), sizes).sizes, ()))
    return _added((forward,), equations, extra)


def _added(forward: tuple[Equation, ...], gradients: Sequence[Equation], extra: Given) -> Outside | None:
    """Return the formulas with one gradient; None where there are several of different entries."""
    gradient = together(gradients) if len({equation.left for equation in gradients}) == 1 else None
    return None if gradient is None else (forward, gradient, extra)


def bounded(equation: Equation, sizes: Mapping[str, int]) -> Equation:
    """Return the equation with sizes for the index variables that stand alone in no place."""
    terms = [*parts(equation.left), *parts(equation.right)]
    alone = {place.name for x in terms if isinstance(x, Entry) for place in x.places if isinstance(place, Variable)}
    free_names = dict.fromkeys(x.name for x in terms if isinstance(x, Variable) and x.name not in alone)
    return replace(equation, sizes=tuple((name, sizes[name]) for name in free_names))


def is_order(positions: Positions, shape: Sequence[int]) -> bool:
    """Return whether each entry stands in one place."""
    return positions.size == prod(shape) and np.unique(positions).size == positions.size


def outside(equation: Equation, tensors: Mapping[str, Arranged], extra: Given) -> Equation:
    """Return the equation with the entries of the tensors outside for the arranged ones."""
    entries = [x for side in (equation.left, equation.right) for x in parts(side) if isinstance(x, Entry)]
    pairs = [(tensors[name], x) for x in entries if (name := x.tensor.removeprefix("∂")) in tensors and not x.is_flat]
    zeros = {place for arranged, x in pairs for place in arranged.added(x.places)}

    def is_said(condition: Term) -> bool:
        """Return whether a place that is given, so within its tensor, is in a dimension where there is but one."""
        match condition:
            case Apply("=", (Entry(name), place)):
                return name in extra and place in zeros
        return False

    def without(term: Term) -> Term:
        """Leave out conditions and indices of variables that are always 0."""
        match term:
            case Entry() if term.name in extra and zeros.intersection(term.places):
                words, value = extra[term.name]
                axes = tuple(axis for axis, place in enumerate(term.places) if place in zeros)
                if np.ndim(value) == len(term.places):
                    extra[term.name] = words, np.squeeze(value, axes)
                return replace(term, places=tuple(place for place in term.places if place not in zeros))
            case Reduce():
                return replace(term, where=tuple(x for x in term.where if not is_said(x)))
        return term

    def change(term: Term) -> Term:
        match term:
            case Variable() if term in zeros:
                return Number(0)
            case Entry() if (pairs := tensors.get(term.tensor.removeprefix("∂"))) is not None:
                entry = pairs.entry(term.places, extra, flat=term.is_flat)
                return replace(entry, name="∂" * term.name.startswith("∂") + entry.name)
            case Reduce():
                mentioned = {name for x in (term.body, *term.where) for name in variables(x)}
                bound = tuple(pair for pair in term.variables if pair[0] in mentioned)
                return replace(term, variables=bound) if bound or term.where else term.body
        return term

    left = mapped(mapped(equation.left, without), change)
    assert isinstance(left, Entry)
    return replace(equation, left=left, right=mapped(mapped(equation.right, without), change))
