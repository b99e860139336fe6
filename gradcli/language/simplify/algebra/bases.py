"""The bases of products: what has no simpler form than itself."""

from __future__ import annotations

from dataclasses import dataclass

from gradcli.language.simplify.algebra.extents import Extent
from gradcli.language.simplify.algebra.terms import Polynomial, Product, Term
from gradcli.language.tree import Expression


@dataclass(frozen=True, slots=True, eq=False)
class Base:
    """A part of products. `weight` is about how many operators and calls it takes to write."""

    extent: Extent
    weight: int


@dataclass(frozen=True, slots=True, eq=False)
class Atom(Base):
    """A name, or an expression that is written as it stands."""

    tree: Expression


@dataclass(frozen=True, slots=True, eq=False)
class Integer(Base):
    """A whole number under a root."""

    value: int


class Argument:
    """An argument of a function: a product, or an expression that is no number, perhaps with its keyword."""

    __slots__ = ("keyword", "value")

    def __init__(self, value: Product | Expression, keyword: str | None = None) -> None:
        self.value = value
        self.keyword = keyword

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Argument) and (self.keyword, self.value) == (other.keyword, other.value)

    def __hash__(self) -> int:
        return hash((self.keyword, self.value))


@dataclass(frozen=True, slots=True, eq=False)
class Function(Base):
    """`name(arguments)`; the name of `A @ B` is `@`, that of `A.T` is `.T`, and the template says how it is written."""

    name: str
    arguments: tuple[Argument, ...]
    template: Expression | None


@dataclass(frozen=True, slots=True, eq=False)
class Sum(Base):
    """A sum without common factors. `turned` has the sign that is not the usual one, since it stands under a root."""

    polynomial: Polynomial
    turned: bool


@dataclass(frozen=True, slots=True, eq=False)
class Exponential(Base):
    """`exp(term)`; a number before the term is the exponent of this base."""

    term: Term


@dataclass(frozen=True, slots=True, eq=False)
class Power(Base):
    """`base**term`; a number before the term is the exponent of this base."""

    base: Product
    term: Term


@dataclass(frozen=True, slots=True, eq=False)
class Group(Base):
    """A product under a root whose factors may both be negative, so that it cannot be taken apart."""

    product: Product
