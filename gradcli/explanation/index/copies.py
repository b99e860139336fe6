"""Index formulas behind views and copies: a copied input's gradient is a sum; views in a row are read as one view."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod
from typing import Any

import numpy as np

from gradcli.engine.primitive import Primitive
from gradcli.engine.symbolic.indices import Given, entry, letters
from gradcli.engine.symbolic.notation import literal
from gradcli.explanation.index.tree import (
    Apply,
    Entry,
    Equation,
    Number,
    Reduce,
    Term,
    Variable,
    negative,
    product,
    quotient,
    total,
)
from gradcli.explanation.values import CONSTANTS
from gradcli.language import tree as language
from gradcli.language.tree import Argument, Call, Expression, Name

COMPARED = {"<": "<", "<=": "≤", ">": ">", ">=": "≥", "==": "=", "!=": "≠"}
Shape = tuple[int, ...]


def entry_of(name: str, shape: Shape, places: Sequence[str], size: Shape) -> Entry:
    """Return the entry of a tensor of one shape that is copied to an entry of another."""
    lead = len(size) - len(shape)
    return Entry(
        name,
        tuple(
            Number(0) if n == 1 != size[lead + axis] else Variable(places[lead + axis]) for axis, n in enumerate(shape)
        ),
    )


def summed_over_copies(
    result: str,
    input: str,
    tree: language.Expression,
    contribution: language.Expression,
    tensors: Mapping[str, Any],
) -> tuple[Equation, Equation] | None:
    """Return the formulas of the result and of the input's gradient; None where a formula cannot be indexed."""
    size = np.shape(tensors[result])
    places = letters(len(size), tensors)
    left = entry_of(input, np.shape(tensors[input]), places, size)
    entries = {name: entry_of(name, np.shape(value), places, size) for name, value in tensors.items()}
    forward, body = (indexed(x, entries) for x in (tree, contribution))
    if forward is None or body is None or len(places) < len(size):
        return None
    lost = tuple((letter, None) for letter in places if Variable(letter) not in left.places)
    result_entry = Entry(result, tuple(map(Variable, places)))
    gradient = body if body == Number(0) else Reduce("Σ", lost, body)  # zeros leave no entry that says how many
    return Equation(result_entry, forward), Equation(Entry(f"∂{input}", left.places), gradient)


def indexed(tree: language.Expression, entries: Mapping[str, Entry]) -> Term | None:
    """Return an elementwise expression with an entry for each name; None for an expression of another kind."""

    def step(node: language.Expression, parts: Sequence[Term | None]) -> Term | None:
        if isinstance(node, language.Name):
            is_constant = node.id in CONSTANTS and node.id not in entries
            return Number(CONSTANTS[node.id]) if is_constant else entries.get(node.id, Entry(node.id))
        if isinstance(node, language.Number):
            return Number(node.value)
        terms = [term for term in parts if term is not None]
        return _applied(node, terms) if len(terms) == len(parts) else None

    return language.fold(tree, step)


def _applied(node: language.Expression, terms: Sequence[Term]) -> Term | None:
    match node:
        case language.Unary("-"):
            return negative(terms[0])
        case language.Binary("+"):
            return total(*terms)
        case language.Binary("-"):
            return total(terms[0], negative(terms[1]))
        case language.Binary("*"):
            return product(*terms)
        case language.Binary("/"):
            return quotient(*terms)
        case language.Binary("**"):
            return Apply("**", tuple(terms))
        case language.Compare(operator) if operator in COMPARED:
            return Apply(COMPARED[operator], tuple(terms))
        case language.Call("zeros_like"):
            return Number(0)
        case language.Call("addcmul"):
            return total(terms[0], product(*terms[3:], terms[1], terms[2]))
        case language.Call("addcdiv"):
            return total(terms[0], product(*terms[3:], quotient(terms[1], terms[2])))
        case language.Call(function, arguments) if all(argument.keyword is None for argument in arguments):
            return Apply(function, tuple(terms))
    return None


# Views of a tensor that follow one another, read as one view: each entry of the result is an entry of the tensor.


Places = np.ndarray[Any, Any]  # of entries, counted along all dimensions
SHORT = 8  # places that are written out
PLACE = "where an entry comes from, counted along all dimensions"
LARGEST = 2**16  # entries of a tensor that is followed


def picks(primitive: Primitive) -> bool:
    """Return whether each entry of the result is an entry of the input."""
    return (primitive.view and primitive.structured) or primitive.name == "clone"


def read_views(shape: Sequence[int], views: Sequence[tuple[Primitive, dict[str, Any]]]) -> tuple[str, Given] | None:
    """Return `out[i] = x0[i + 1,0]` for a chain of views of a tensor of a shape, and the tensors that it mentions."""
    if not 0 < prod(shape) <= LARGEST:
        return None
    places = np.arange(prod(shape)).reshape(shape)
    for primitive, options in views:
        places = primitive.forward(places, **options)
    return placed(np.asarray(places), shape, "x0") if np.size(places) else None


def placed_by(
    primitive: Primitive, inputs: Sequence[Any], options: Mapping[str, Any], position: int, name: str
) -> str | tuple[str, Given] | None:
    """Return the formula of an operation in whose result entries of an input stand in other places, beside zeros.

    It runs over the places of the entries, counted from 1; None for a tensor that is too large.
    """
    position = position if primitive.variadic else 0
    shape = np.shape(inputs[position])
    if prod(shape) > LARGEST:
        return None
    marks = np.arange(1, prod(shape) + 1).reshape(shape)
    marked = [marks if n == position else x * 0 if primitive.variadic else x for n, x in enumerate(inputs)]
    return placed(np.asarray(primitive.forward(*marked, **options)) - 1, shape, name)


def placed(places: Places, shape: Sequence[int], name: str) -> tuple[str, Given]:
    """Return `out[i,j] = x[j,i]`: at each of its places the result has the entry of a tensor that stands at another.

    Where each entry stands once that is by the places of the tensor, else by those of the result, or with a list of
    places; -1 is no entry, but 0.
    """
    is_full = bool((places >= 0).all())
    direct = paired(places, shape) if is_full else None
    if np.array_equal(np.sort(places[places >= 0], axis=None), np.arange(prod(shape))):
        back = np.argsort(places, axis=None)[np.count_nonzero(places < 0) :].reshape(shape)
        if (direct or not is_full) and (pair := paired(back, places.shape)) is not None:
            return f"{entry('out', pair[1])} = {entry(name, pair[0])}", {}
    if direct is not None:
        return f"{entry('out', direct[0])} = {entry(name, direct[1])}", {}
    flat_place = _affine(places.reshape(-1), "i") if is_full else None
    if flat_place is not None:
        return f"out.flat[i] = {name}.flat[{flat_place}]", {}
    words = str(places.tolist()) if places.size <= SHORT else PLACE
    indices = letters(places.ndim)
    return f"{entry('out', indices)} = {name}.flat[{entry('place', indices)}]", {"place": (words, places)}


def paired(places: Places, shape: Sequence[int]) -> tuple[list[str], list[str]] | None:
    """Return the indices of places and those in a tensor of a shape that they stand for; None where they are no sums.

    A dimension of one entry has an index where there is one on the other side, too, and else 0.
    """
    indices = letters(places.ndim)
    inner = [_affine(np.asarray(place), indices) for place in np.unravel_index(places, shape)]
    alone = [axis for axis, size in enumerate(shape) if size == 1]
    for axis, size in enumerate(places.shape):
        if size == 1:
            partner = alone.pop(0) if alone else None
            indices[axis] = indices[axis] if partner is not None else "0"
            if partner is not None:
                inner[partner] = indices[axis]
    return None if None in inner else (indices, [place for place in inner if place is not None])


def select_rule(g: str, shape: Sequence[int], views: Sequence[tuple[Primitive, dict[str, Any]]]) -> Expression | None:
    """Return the rule of a chain of choices, `x[0, 1]`, in one call; None of other views."""
    if any(primitive.name != "select" for primitive, _ in views):
        return None
    dims_left, chosen = list(range(len(shape))), {}
    for _, options in views:
        chosen[dims_left.pop(options["dim"])] = options["index"]
    dims = sorted(chosen)
    if dims != list(range(dims[0], dims[0] + len(dims))):
        return None
    size = (Argument(literal(tuple(shape)), "shape"), Argument(literal(tuple(dims)), "dims"))
    return Call("index_backward", (Argument(Name(g)), *(Argument(literal(chosen[dim])) for dim in dims), *size))


def _affine(place: Places, indices: Sequence[str]) -> str | None:
    """Return a place as a sum of multiples of the indices of the result; None where it is none."""
    start = int(place[(0,) * place.ndim])
    strides = [int(np.take(place, 1, axis).flat[0]) - start if n > 1 else 0 for axis, n in enumerate(place.shape)]
    rebuilt = start + sum(n * x for n, x in zip(strides, np.indices(place.shape), strict=True))
    if not np.array_equal(np.broadcast_to(rebuilt, place.shape), place):
        return None
    terms = [
        (n, letter if abs(n) == 1 else f"{abs(n)}·{letter}") for n, letter in zip(strides, indices, strict=True) if n
    ]
    terms += [(start, str(abs(start)))] if start or not terms else []
    terms.sort(key=lambda term: term[0] < 0)  # `2 - i`; a place is not negative, so the first of them is not
    (_, first), *rest = terms
    return first + "".join(f" {'-' if n < 0 else '+'} {text}" for n, text in rest)
