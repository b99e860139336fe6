"""The index formulas of one application of a primitive, as the primitive declares them."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field, replace
from functools import cache
from itertools import islice
from math import prod
from typing import Any

import numpy as np

from gradcli.engine.primitive import Primitive, Rule
from gradcli.engine.symbolic.formula import literal
from gradcli.engine.symbolic.indices import ELSEWHERE, Given, entry, letters
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
    negative,
    parts,
    product,
    quotient,
    total,
    variables,
)
from gradcli.explanation.values import CONSTANTS
from gradcli.facts import dataclass
from gradcli.language import tree as language
from gradcli.language.tree import Argument, Call, Expression, Name

# Index formulas behind views and copies: a copied input's gradient is a sum; views in a row are read as one view.


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

    It runs over the places of the entries, counted from 1; None for too large a tensor, or a result without any.
    """
    position = position if primitive.variadic else 0
    shape = np.shape(inputs[position])
    if prod(shape) > LARGEST:
        return None
    marks = np.arange(1, prod(shape) + 1).reshape(shape)
    marked = [marks if n == position else x * 0 if primitive.variadic else x for n, x in enumerate(inputs)]
    places = np.asarray(primitive.forward(*marked, **options)) - 1
    return placed(places, shape, name) if places.size else None


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
    spots = np.unravel_index(places, shape) if shape else ()
    inner = [_affine(np.asarray(place), indices) for place in spots]
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
LONGEST = 2**20  # terms of a sum that is worked out at all


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
    if prod(size for name, size in sizes.items() if name not in indices) > LONGEST:
        return None
    for values in islice(np.ndindex(*(sizes[name] for name in indices)), TRIED):
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
