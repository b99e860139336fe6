"""The index formulas of one application of a primitive, as the primitive declares them."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field, replace
from functools import cache
from itertools import islice, product
from math import prod
from typing import Any

import numpy as np

from gradcli.engine.primitive import Primitive, Rule
from gradcli.engine.symbolic.indices import ELSEWHERE, Given
from gradcli.explanation.index.copies import placed_by
from gradcli.explanation.index.derivation import derivatives, equations
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
    total,
    variables,
)
from gradcli.facts import dataclass

POSITION = "position"
Finder = Callable[[Sequence[Any]], Given]  # the tensors that a formula mentions, from the values of the operands


@dataclass(frozen=True, slots=True)
class Formulas:
    """The forward formulas, and the formula of the gradient of an input.

    `tensors` are the values by the names in the formulas: the upstream gradient and the result first, under the names
    `upstream` and `result`, and those of the inputs. `given` says what the tensors are that are no inputs.
    """

    forward: tuple[Equation, ...]
    gradient: Equation | None
    tensors: Mapping[str, Any]
    upstream: str
    result: str
    inputs: tuple[str, ...]
    given: Mapping[str, str] = field(default_factory=dict)


def formulas(
    primitive: Primitive, g: Any, result_value: Any, inputs: Sequence[Any], options: Mapping[str, Any], position: int
) -> Formulas | None:
    """Return the formulas for the input at a position; None of a primitive without them."""
    if not primitive.index:
        return None
    upstream, result, *names = names_of(primitive, len(inputs), position)
    declaration = _declared(primitive, result_value, inputs, options, position)
    if declaration == ELSEWHERE:
        declaration = placed_by(primitive, inputs, options, position, names[position])
    if not declaration:
        return None
    text, extra = (declaration, {}) if isinstance(declaration, str) else declaration
    forward, gradient = read_formulas(text, names[position], upstream)
    result = forward[0].left.tensor if forward else result
    tensors = {upstream: g, result: result_value, **dict(zip(names, inputs, strict=True))}
    tensors.update({name: value for name, (_, value) in extra.items()})
    tensors.update({f"∂{name}": tensors[name] for name in names})
    words = {name: text for name, (text, _) in extra.items()}
    return Formulas(forward, gradient, tensors, upstream, result, tuple(names), words)


def read_formulas(text: str, input: str, upstream: str) -> tuple[tuple[Equation, ...], Equation | None]:
    """Return the formulas of a result, and the formula of an input's gradient: derived, unless the text has it."""
    all_equations = equations(text)
    forward = tuple(equation for equation in all_equations if not equation.left.name.startswith("∂"))
    own_gradient = [equation for equation in all_equations if equation.left.tensor == f"∂{input}"]
    return forward, together(own_gradient or [d for x in forward for d in derivatives(x, input, upstream)])


def _declared(
    primitive: Primitive, result: Any, inputs: Sequence[Any], options: Mapping[str, Any], position: int
) -> str | tuple[str, Given] | None:
    """Return the text, perhaps with the tensors that it mentions beside the inputs."""
    if isinstance(primitive.index, str):
        return primitive.index.format(**{**_defaults(primitive), **options})
    place = {POSITION: position} if primitive.variadic else {}
    return primitive.index(result, *inputs, **options, **place)  # type: ignore[no-any-return]


@cache
def names_of(primitive: Primitive, count: int, position: int) -> list[str]:
    """Return the names of the upstream gradient, the result and the inputs, as the rules call them."""
    rule: Rule = next(rule for rule in primitive.rules if rule is not None)
    parameters = inspect.signature(rule).parameters.values()
    names = [p.name for p in parameters if p.kind is p.POSITIONAL_OR_KEYWORD]
    variadic = next((p.name for p in parameters if p.kind is p.VAR_POSITIONAL), "more")
    if primitive.variadic:  # the formula is about one of the inputs
        return [*names, *("x" if n == position else f"{variadic}{n}" for n in range(count))]
    return [*names, *(f"{variadic}{n}" for n in range(count - len(names) + 2))][: count + 2]


def _defaults(primitive: Primitive) -> dict[str, Any]:
    """Return the defaults of the options."""
    rule: Rule = next(rule for rule in primitive.rules if rule is not None)
    parameters = inspect.signature(rule).parameters.values()
    return {p.name: p.default for p in parameters if p.kind is p.KEYWORD_ONLY and p.default is not p.empty}


def together(gradients: Sequence[Equation]) -> Equation | None:
    """Return one equation for a tensor that occurs in several places."""
    if not gradients:
        return None
    first = gradients[0]
    if any(equation.left != first.left for equation in gradients):
        raise ValueError(f"several formulas: {gradients}")
    return replace(first, right=total(*(equation.right for equation in gradients)))


# One entry of a gradient in numbers: `entry [0,0]: 1·(-0.4128) + 0·0.1258 = -0.4128`.


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
