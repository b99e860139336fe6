"""Index formulas as trees: `out[i,k] = Σj a[i,j]·b[j,k]`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

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
