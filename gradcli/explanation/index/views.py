"""Views of a tensor that follow one another, read as one view: each entry of the result is an entry of the tensor."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod
from typing import Any

import numpy as np

from gradcli.engine.primitive import Primitive
from gradcli.engine.symbolic.indices import Given, entry, letters
from gradcli.engine.symbolic.notation import literal
from gradcli.language.tree import Argument, Call, Expression, Name

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
