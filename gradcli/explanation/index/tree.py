"""Index formulas as trees: `out[i,k] = Σj a[i,j]·b[j,k]`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from math import prod
from typing import Any

import numpy as np

from gradcli.engine.primitive import REGISTRY
from gradcli.facts import dataclass

COMPARISONS = ("=", "≠", "<", "≤", ">", "≥")


@dataclass(frozen=True, slots=True)
class Number:
    value: float


@dataclass(frozen=True, slots=True)
class Variable:
    """An index, such as the `i` of `a[i,j]`."""

    name: str


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry of a tensor: `a[i,j]`, or `a` of a scalar; `x.flat[i]` counts along all dimensions."""

    name: str
    places: tuple[Term, ...] = ()

    @property
    def tensor(self) -> str:
        return self.name.removesuffix(".flat")

    @property
    def is_flat(self) -> bool:
        return self.name.endswith(".flat")


@dataclass(frozen=True, slots=True)
class Apply:
    """An operator of any number of terms (`+`, `·`), of two (`/`, `**`, `//`, `%`, comparisons), or a function.

    `-` takes one term.
    """

    operator: str
    terms: tuple[Term, ...]


@dataclass(frozen=True, slots=True)
class Reduce:
    """A sum (`Σ`), a product (`Π`), `max` or `min` over index variables, where the conditions hold.

    A variable that no tensor bounds has a size of its own: `Σa<2`. A sum over no variable is its body, or 0 where a
    condition fails.
    """

    operator: str
    variables: tuple[tuple[str, int | None], ...]
    body: Term
    where: tuple[Term, ...] = ()


Term = Number | Variable | Entry | Apply | Reduce


@dataclass(frozen=True, slots=True)
class Equation:
    """The entries of a tensor. Entries that no place on the left reaches are 0; what several reach is added.

    `sizes` bound the variables on the left that no tensor does.
    """

    left: Entry
    right: Term
    sizes: tuple[tuple[str, int], ...] = ()


def children(term: Term) -> tuple[Term, ...]:
    match term:
        case Entry():
            return term.places
        case Apply():
            return term.terms
        case Reduce():
            return (term.body, *term.where)
    return ()


def mapped(term: Term, change: Callable[[Term], Term]) -> Term:
    """Return the term with `change` made of every part, from the innermost outwards."""
    match term:
        case Entry():
            term = replace(term, places=tuple(mapped(place, change) for place in term.places))
        case Apply():
            term = replace(term, terms=tuple(mapped(x, change) for x in term.terms))
        case Reduce():
            conditions = tuple(mapped(condition, change) for condition in term.where)
            term = replace(term, body=mapped(term.body, change), where=conditions)
    return change(term)


def parts(term: Term) -> list[Term]:
    """Return the term and all within it."""
    terms: list[Term] = []
    waiting = [term]
    while waiting:
        terms.append(waiting.pop())
        waiting.extend(reversed(children(terms[-1])))
    return terms


def variables(term: Term) -> tuple[str, ...]:
    """Return the index variables that occur, each once."""
    return tuple(dict.fromkeys(x.name for x in parts(term) if isinstance(x, Variable)))


def mentions(term: Term, tensor: str) -> bool:
    return any(isinstance(x, Entry) and x.tensor == tensor for x in parts(term))


def product(*factors: Term) -> Term:
    """Return the product, without factors of one and products within it."""
    inner: list[Term] = []
    for factor in factors:
        inner.extend(factor.terms if isinstance(factor, Apply) and factor.operator == "·" else (factor,))
    rest = [factor for factor in map(unsigned, inner) if factor != Number(1)]
    result = rest[0] if len(rest) == 1 else Apply("·", tuple(rest)) if rest else Number(1)
    return negative(result) if sum(factor != unsigned(factor) for factor in inner) % 2 else result


def unsigned(term: Term) -> Term:
    """Return the term without a minus sign before it."""
    match term:
        case Number(value) if value < 0:
            return Number(-value)
        case Apply("-", (inner,)):
            return inner
    return term


def total(*terms: Term) -> Term:
    """Return the sum, without zeros and sums within it."""
    inner: list[Term] = []
    for term in terms:
        inner.extend(term.terms if isinstance(term, Apply) and term.operator == "+" else (term,))
    rest = [term for term in inner if term != Number(0)]
    return rest[0] if len(rest) == 1 else Apply("+", tuple(rest)) if rest else Number(0)


def negative(term: Term) -> Term:
    match term:
        case Number():
            return Number(-term.value)
        case Apply("-", (inner,)):
            return inner
    return Apply("-", (term,))


def quotient(above: Term, below: Term) -> Term:
    result = above if below == Number(1) else Apply("/", (unsigned(above), below))
    return result if below == Number(1) or above == unsigned(above) else negative(result)


def power(base: Term, exponent: float) -> Term:
    return Number(1) if exponent == 0 else base if exponent == 1 else Apply("**", (base, Number(exponent)))


# Evaluate index formulas with numpy: each variable is an axis, and an entry outside its tensor is 0.


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "-": np.negative,
    "/": np.true_divide,
    "//": np.floor_divide,
    "%": np.remainder,
    "**": np.power,
    "=": np.equal,
    "≠": np.not_equal,
    "<": np.less,
    "≤": np.less_equal,
    ">": np.greater,
    "≥": np.greater_equal,
    "max": np.maximum,
    "min": np.minimum,
}
REDUCE: dict[str, tuple[Callable[..., Any], float]] = {
    "Σ": (np.sum, 0),
    "Π": (np.prod, 1),
    "max": (np.max, -np.inf),
    "min": (np.min, np.inf),
}
Tensors = Mapping[str, Any]


def ranges(equation: Equation, tensors: Tensors) -> dict[str, int]:
    """Return the size of each index variable: the size of the smallest dimension in which it stands alone.

    The left side comes before the right one, and a size that is written before both.
    """
    sizes_found = dict(equation.sizes)
    for term in (*parts(equation.left), *parts(equation.right)):
        if isinstance(term, Reduce):
            sizes_found.update((name, size) for name, size in term.variables if size is not None)
    for side in (equation.left, equation.right):
        on_side: dict[str, int] = {}
        for term in parts(side):
            if isinstance(term, Entry):
                value = np.asarray(tensors[term.tensor])
                sizes = (value.size,) if term.is_flat else value.shape
                for place, size in zip(term.places, sizes, strict=True):
                    if isinstance(place, Variable):
                        on_side[place.name] = min(size, on_side.get(place.name, size))
        sizes_found = {**on_side, **sizes_found}  # the left side says how many entries there are
    missing = {name for side in (equation.left, equation.right) for name in variables(side)} - sizes_found.keys()
    if missing:
        raise ValueError(f"the range of {', '.join(sorted(missing))} is not known in {equation}")
    return sizes_found


class Space:
    """The values of index variables: whole ranges, each along an axis of its own, or single numbers."""

    def __init__(self, tensors: Tensors, sizes: Mapping[str, int], fixed: Mapping[str, int] | None = None) -> None:
        self.tensors = tensors
        fixed = fixed or {}
        varying = [name for name in sizes if name not in fixed]
        self.ndim = len(varying)
        self.axis = {name: axis for axis, name in enumerate(varying)}
        self.sizes = sizes
        self.values: dict[str, Any] = dict(fixed)
        for name, axis in self.axis.items():
            shape = [1] * self.ndim
            shape[axis] = -1
            self.values[name] = np.arange(sizes[name]).reshape(shape)

    def evaluate(self, term: Term) -> Any:
        """Return the value of a term, with an axis of size 1 for each variable that it does not mention."""
        match term:
            case Number(value):
                return int(value) if float(value).is_integer() else value
            case Variable(name):
                return self.values[name]
            case Entry():
                return self.entry(term)
            case Reduce():
                return self.reduce(term)
        values = [self.evaluate(x) for x in term.terms]
        if term.operator == "+":
            return sum(values[1:], values[0])
        if term.operator == "·":
            return np.prod(np.broadcast_arrays(*values), axis=0)
        with np.errstate(all="ignore"):
            if term.operator == "**":
                return np.power(np.asarray(values[0], dtype=float), values[1])
            return (FUNCTIONS.get(term.operator) or REGISTRY[term.operator].forward)(*values)

    def entry(self, entry: Entry) -> Any:
        places, inside = self.places(entry)
        value = np.asarray(self.tensors[entry.tensor])
        value = value.reshape(-1) if entry.is_flat else value
        if value.size == 0:
            return np.zeros(np.shape(inside))
        entries = value[tuple(np.clip(place, 0, size - 1) for place, size in zip(places, value.shape, strict=True))]
        return entries if np.all(inside) else np.where(inside, entries, 0)

    def places(self, entry: Entry) -> tuple[tuple[Any, ...], Any]:
        """Return the indices of an entry, and whether they are within the tensor."""
        value = np.asarray(self.tensors[entry.tensor])
        sizes = (value.size,) if entry.is_flat else value.shape
        places = tuple(np.asarray(self.evaluate(place), dtype=np.intp) for place in entry.places)
        inside: Any = np.bool_(True)
        for place, size in zip(places, sizes, strict=True):
            inside = inside & (place >= 0) & (place < size)
        return places, inside

    def holds(self, conditions: Sequence[Term]) -> Any:
        mask: Any = np.bool_(True)
        for condition in conditions:
            mask = mask & np.asarray(self.evaluate(condition), dtype=bool) & self.within(condition)
        return mask

    def within(self, term: Term) -> Any:
        """Return where all entries of a term are within their tensors."""
        mask: Any = np.bool_(True)
        for x in parts(term):
            if isinstance(x, Entry):
                mask = mask & self.places(x)[1]
        return mask

    def reduce(self, term: Reduce) -> Any:
        function, nothing = REDUCE[term.operator]
        value = self.evaluate(term.body)
        if term.operator in ("max", "min"):  # an entry outside its tensor is none
            value = np.where(self.within(term.body), value, nothing)
        if term.where:
            value = np.where(self.holds(term.where), value, nothing)
        axes = tuple(self.axis[name] for name, _ in term.variables if name in self.axis)
        if not axes:
            return value
        value = np.asarray(value)
        shape = list(value.shape or (1,) * self.ndim)
        for name, _ in term.variables:
            shape[self.axis[name]] = self.sizes[name]
        return function(np.broadcast_to(value, shape), axis=axes, keepdims=True, initial=nothing)


def outside(equation: Equation, tensors: Tensors, sizes: Mapping[str, int]) -> tuple[str, ...]:
    """Return the tensors of which the right side names entries that they do not have."""
    entries = [x for x in parts(equation.right) if isinstance(x, Entry)]
    entries = [entry for entry in entries if not fits(entry, tensors, sizes)]
    space = Space(tensors, sizes if entries else {})
    return tuple(dict.fromkeys(entry.tensor for entry in entries if not np.all(space.places(entry)[1])))


def is_sparse(equation: Equation, tensors: Tensors, sizes: Mapping[str, int]) -> bool:
    """Return whether the left side leaves entries of its tensor out."""
    return prod(sizes[name] for name in variables(equation.left)) < np.size(tensors[equation.left.tensor])


def fits(entry: Entry, tensors: Tensors, sizes: Mapping[str, int]) -> bool:
    """Return whether the places are variables that stay within the tensor, without looking at each."""
    shape = np.shape(tensors[entry.tensor])
    return not entry.is_flat and all(
        isinstance(place, Variable) and sizes[place.name] <= size
        for place, size in zip(entry.places, shape, strict=True)
    )
