"""The registry of bases: each has a number, and equal bases have the same one."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from typing import TypeVar

from gradcli.language.simplify.algebra.bases import (
    Argument,
    Atom,
    Base,
    Constant,
    Exponential,
    Function,
    Group,
    Integer,
    Power,
    Sum,
)
from gradcli.language.simplify.algebra.terms import Polynomial, Product, Rational, Term, is_whole
from gradcli.language.simplify.extents import SCALAR, Extent, joined
from gradcli.language.simplify.facts.functions import NONNEGATIVE
from gradcli.language.tree import Expression

MOST_STEPS = 3000  # factors of all products that are made for one formula

B = TypeVar("B", bound=Base)


class Registry:
    """The bases of one formula."""

    most_over = 8  # terms of a sum that is brought over one denominator, whatever stands below them

    def __init__(self, products: Sequence[tuple[str, ...]] = ()) -> None:
        self.products = products  # the letters of the products that a person wrote
        self.bases: list[Base] = []
        self.numbers: dict[Hashable, int] = {}  # by key
        self.reducible: set[int] = set()  # bases some powers of which are simpler
        self.brackets: set[int] = set()  # bases that are sums
        self.typed: tuple[Rational, ...] = ()  # the decimals that a person wrote
        self.steps = 0

    @property
    def decimals(self) -> bool:
        """Whether fractions are written as decimals, since a person wrote some."""
        return bool(self.typed)

    # Bases.

    def register(self, key: Hashable, base: Base) -> Product:
        """Return a base as a product; equal keys are the same base."""
        number = self.numbers.setdefault(key, len(self.bases))
        if number == len(self.bases):
            self.bases.append(base)
            if isinstance(base, Sum):
                self.brackets.add(number)
            if (
                isinstance(base, Integer | Constant | Group)
                or getattr(base, "turned", False)
                or getattr(base, "name", "") == "abs"
            ):
                self.reducible.add(number)
        return Product(1, ((number, 1),))

    def atom(self, tree: Expression, extent: Extent | None = SCALAR, weight: int = 0) -> Product:
        """Return an opaque expression as a product; its shape is unknown if `extent` is None."""
        own_number = frozenset([self.numbers.get(tree, len(self.bases))])
        return self.register(tree, Atom(Extent((), own_number) if extent is None else extent, weight, tree))

    def function(
        self, name: str, arguments: Iterable[Argument], extent: Extent | None, template: Expression | None = None
    ) -> Product:
        """Return a call as it stands; its shape is unknown if `extent` is None."""
        arguments = tuple(arguments)
        weight = 1 + sum(self.weight(x.value) for x in arguments if isinstance(x.value, Product))
        key = (name, arguments)
        own_number = frozenset([self.numbers.get(key, len(self.bases))])
        return self.register(
            key, Function(Extent((), own_number) if extent is None else extent, weight, name, arguments, template)
        )

    def sum(self, polynomial: Polynomial, *, turned: bool = False) -> Product:
        """Return a sum that has no common factors and the usual sign, or the other if it is `turned`."""
        weight = sum(self.weight(Product(c, t)) for t, c in polynomial.items()) + len(polynomial) - 1
        extent = self.extent_of(base for term in polynomial for base, _ in term)
        return self.register(frozenset(polynomial.items()), Sum(extent, weight, polynomial, turned))

    def turned(self, base: Sum) -> Product:
        """Return the sum with all signs turned."""
        return self.sum({term: -c for term, c in base.polynomial.items()}, turned=not base.turned)

    def only(self, product: Product, kind: type[B]) -> B | None:
        """Return the base of this kind if the product is nothing else."""
        if product.coefficient != 1 or len(product.term) != 1 or product.term[0][1] != 1:
            return None
        base = self.bases[product.term[0][0]]
        return base if isinstance(base, kind) else None

    def is_zero(self, argument: Argument) -> bool:
        """Tell whether an argument is nothing but zeros, in whatever shape."""
        function = self.only(argument.value, Function) if isinstance(argument.value, Product) else None
        return argument.value == Product(0) or (function is not None and function.name == "zeros")

    def extent(self, product: Product) -> Extent:
        if len(product.term) == 1:
            return self.bases[product.term[0][0]].extent
        return self.extent_of(base for base, _ in product.term)

    def extent_of(self, bases: Iterable[int]) -> Extent:
        return joined(self.bases[base].extent for base in bases)

    def weight(self, product: Product) -> int:
        """Return about how many operators and calls it takes to write a product."""
        parts = sum(self.bases[base].weight + (exponent not in (1, -1)) for base, exponent in product.term)
        return parts + max(0, len(product.term) - 1) + (product.coefficient not in (1, -1))

    def is_nonnegative(self, term: Term) -> bool:
        """Tell whether a product has no negative value wherever it is finite."""
        return all(
            not is_whole(exponent) or exponent % 2 == 0 or self.is_nonnegative_base(self.bases[base])
            for base, exponent in term
        )

    def is_nonnegative_base(self, base: Base) -> bool:
        match base:
            case Exponential() | Integer() | Constant():
                return True
            case Function():
                return base.name in NONNEGATIVE
            case Sum():
                return all(c > 0 and self.is_nonnegative(t) for t, c in base.polynomial.items())
            case Power():
                return base.base.coefficient > 0 and self.is_nonnegative(base.base.term)
        return False
