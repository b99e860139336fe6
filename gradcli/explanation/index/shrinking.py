"""The formulas of an operation around which torch adds dimensions of size 1 and takes them away, without these."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from gradcli.explanation.index.tree import Apply, Entry, Equation, Reduce, Term, Variable, mapped, parts
from gradcli.explanation.index.worked import Worked
from gradcli.explanation.model import Why

Shape = tuple[int, ...]
Kept = list[int] | None


@dataclass(frozen=True, slots=True)
class Seen:
    """How a tensor is seen from outside: by which name, and which of its dimensions."""

    name: str
    dims: tuple[int, ...]


def followed(dims: Sequence[int], primitive: str, options: Mapping[str, Any], before: Shape, after: Shape) -> Kept:
    """Return which dimension each one is after a change of shape, -1 for a new one; None where that is not certain."""
    if before == after:
        return [*dims]
    dim = options.get("dim")
    if isinstance(dim, int) and "squeeze" in primitive:
        found = [*dims]
        if len(after) > len(before):
            found.insert(dim % len(after), -1)
        else:
            found.pop(dim % len(before))
        return found
    long, short = (before, after) if len(before) > len(after) else (after, before)
    others = [size for size in long if size != 1]
    if others != list(short):  # all that are left are larger than 1
        return None
    places = [place for place, size in enumerate(long) if size != 1]
    if long is before:
        return [dims[place] for place in places]
    return [dims[places.index(place)] if place in places else -1 for place in range(len(long))]


def from_outside(why: Why, tensors: Mapping[str, Seen], input: str) -> Why:
    """Return the same for the tensors as they are seen; the gradient is that of `input`."""
    equations = (*why.forward, *([why.gradient] if why.gradient else []))
    gone = {x for one in equations for side in (one.left, one.right) for x in only_one(side, tensors)}

    def change(term: Term) -> Term:
        match term:
            case Entry(places=places) if (own := tensors.get(term.tensor.removeprefix("∂"))) is not None:
                name = f"{'∂' * term.name.startswith('∂')}{own.name}{'.flat' * term.is_flat}"
                return Entry(name, places if term.is_flat else picked(places, own.dims))
            case Entry(places=places):
                return replace(term, places=tuple(place for place in places if place not in gone))
            case Reduce(variables=bound, body=body):
                where = tuple(x for x in term.where if not (isinstance(x, Apply) and gone.intersection(x.terms)))
                used = {part.name for x in (body, *where) for part in parts(x) if isinstance(part, Variable)}
                kept = tuple(one for one in bound if one[0] in used)
                return replace(term, variables=kept, where=where) if kept or where else body
        return term

    def equation(one: Equation) -> Equation:
        left = mapped(one.left, change)
        assert isinstance(left, Entry)
        return replace(one, left=left, right=mapped(one.right, change))

    def worked(found: Worked) -> Worked:
        entry = None if found.entry is None else mapped(found.entry, change)
        place = found.place if found.is_flat else picked(found.place, tensors[input].dims)
        return replace(found, place=place, entry=entry if isinstance(entry, Entry) else None)

    forward = tuple(map(equation, why.forward))
    gradient = None if why.gradient is None else equation(why.gradient)
    used = {
        part.tensor
        for one in (*forward, *([gradient] if gradient else []))
        for part in parts(one.right)
        if isinstance(part, Entry)
    }
    return replace(
        why,
        shapes=tuple(
            (tensors[name].name, picked(shape, tensors[name].dims)) if name in tensors else (name, shape)
            for name, shape in why.shapes
        ),
        forward=forward,
        gradient=gradient,
        given=tuple((name, words) for name, words in why.given if name in used),
        outside=tuple(tensors[name].name if name in tensors else name for name in why.outside),
        entry=None if why.entry is None else worked(why.entry),
    )


def only_one(term: Term, tensors: Mapping[str, Seen]) -> Iterator[Term]:
    """Yield the index variables that stand alone for a dimension that is not seen: they are always 0."""
    for part in parts(term):
        own = tensors.get(part.tensor.removeprefix("∂")) if isinstance(part, Entry) else None
        if own is not None and isinstance(part, Entry) and not part.is_flat:
            unseen = (place for dim, place in enumerate(part.places) if dim not in own.dims)
            yield from (place for place in unseen if isinstance(place, Variable))


def picked(items: Sequence[object], dims: Sequence[int]) -> tuple:  # type: ignore[type-arg]
    return tuple(items[dim] for dim in dims)
