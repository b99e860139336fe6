"""Views of a tensor that follow one another, read as one view: each entry of the result is an entry of the tensor."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np

from gradcli.engine.primitive import Primitive
from gradcli.engine.symbolic.indices import entry, letters
from gradcli.engine.symbolic.notation import literal
from gradcli.explanation.index.declarations.declaration import Given
from gradcli.language.tree import Argument, Call, Expression, Name

SHORT = 8  # places that are written out
PLACE = "where an entry comes from, counted along all dimensions"
LARGEST = 2**16  # entries of a tensor that is followed


def picks(primitive: Primitive) -> bool:
    """Return whether each entry of the result is an entry of the input."""
    return (primitive.view and primitive.structured) or primitive.name == "clone"


def read_views(shape: Sequence[int], views: Sequence[tuple[Primitive, dict[str, Any]]]) -> tuple[str, Given] | None:
    """Return `out[i] = x0[i + 1,0]` for a chain of views of a tensor of a shape, and the tensors that it mentions."""
    size = prod(shape)
    if not 0 < size <= LARGEST:
        return None
    places = np.arange(size).reshape(shape)
    for primitive, options in views:
        places = primitive.forward(places, **options)
    if not np.size(places):
        return None
    indices = letters(np.ndim(places))
    multiples = [_affine(np.asarray(place), indices) for place in np.unravel_index(places, shape)]
    if None not in multiples:
        return f"{entry('out', indices)} = {entry('x0', [place for place in multiples if place])}", {}
    flat_place = _affine(np.reshape(places, -1), "i")
    if flat_place is not None:
        return f"out.flat[i] = x0.flat[{flat_place}]", {}
    words = str(places.tolist()) if np.size(places) <= SHORT else PLACE
    return f"{entry('out', indices)} = x0.flat[{entry('place', indices)}]", {"place": (words, places)}


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


def _affine(place: np.ndarray[Any, Any], indices: Sequence[str]) -> str | None:
    """Return a place as a sum of multiples of the indices of the result; None where it is none."""
    start_and_steps = steps(place)
    if start_and_steps is None:
        return None
    start, factors = start_and_steps
    terms = [
        f"{'-' if n < 0 else '+'} {letter if abs(n) == 1 else f'{abs(n)}·{letter}'}"
        for n, letter in zip(factors, indices, strict=False)
        if n
    ]
    if start or not terms:
        terms.append(f"+ {start}")
    text = " ".join(terms)
    return text.removeprefix("+ ") if text.startswith("+") else text.replace("- ", "-", 1)


def steps(place: np.ndarray[Any, Any]) -> tuple[int, list[int]] | None:
    """Return where a place starts, and its step along each axis; None where steps differ."""
    start = int(place[(0,) * place.ndim]) if place.ndim else int(place)
    strides = [int(np.take(place, 1, axis).flat[0]) - start if n > 1 else 0 for axis, n in enumerate(place.shape)]
    rebuilt = start + sum(n * x for n, x in zip(strides, np.indices(place.shape), strict=True))
    return (start, strides) if np.array_equal(np.broadcast_to(rebuilt, place.shape), place) else None
