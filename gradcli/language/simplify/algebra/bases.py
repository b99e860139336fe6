"""The bases of products: what has no simpler form than itself."""

from __future__ import annotations

from typing import NamedTuple

from gradcli.language.simplify.algebra.terms import Polynomial, Product, Rational, Term
from gradcli.language.simplify.extents import Extent
from gradcli.language.tree import Expression


class Atom(NamedTuple):
    """A name, or an expression that is written as it stands."""

    extent: Extent
    weight: int  # about how many operators and calls it takes to write
    tree: Expression


class Integer(NamedTuple):
    """A whole number under a root."""

    extent: Extent
    weight: int
    value: int


class Constant(NamedTuple):
    """A positive number that would have too many digits if it was multiplied, or that stands under a root."""

    extent: Extent
    weight: int
    value: Rational


class Argument(NamedTuple):
    """An argument of a function: a product, or an expression that is no number, perhaps with its keyword."""

    value: Product | Expression
    keyword: str | None = None


class Function(NamedTuple):
    """`name(arguments)`; `A @ B` has the name `@`, `A.T` the name `.T`, and the template says how it is written."""

    extent: Extent
    weight: int
    name: str
    arguments: tuple[Argument, ...]
    template: Expression | None


class Sum(NamedTuple):
    """A sum without common factors. `turned` has the sign that is not the usual one, since it stands under a root."""

    extent: Extent
    weight: int
    polynomial: Polynomial
    turned: bool


class Exponential(NamedTuple):
    """`exp(term)`; a number before the term is the exponent of this base."""

    extent: Extent
    weight: int
    term: Term


class Power(NamedTuple):
    """`base**term`; a number before the term is the exponent of this base."""

    extent: Extent
    weight: int
    base: Product
    term: Term


class Group(NamedTuple):
    """A product under a root whose factors may both be negative, so that it cannot be taken apart."""

    extent: Extent
    weight: int
    product: Product


Base = Atom | Integer | Constant | Function | Sum | Exponential | Power | Group
