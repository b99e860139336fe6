"""Sums of linear functions that share their other arguments: `A @ x + A @ y` is `A @ (x + y)`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from gradcli.language.simplify.algebra.bases import Argument, Function
from gradcli.language.simplify.algebra.functions import Builder
from gradcli.language.simplify.algebra.terms import Polynomial, Product, Term
from gradcli.language.simplify.extents import SCALAR
from gradcli.language.simplify.facts.functions import LINEAR


class Image(NamedTuple):
    """A term that is a linear function of `inside`; terms with equal keys can be added inside the function."""

    key: tuple[object, ...]
    function: Function
    position: int
    inside: Product


def merged(algebra: Builder, polynomial: Polynomial) -> Iterator[Product]:
    """Yield a sum in which all images of one linear function are one image."""
    images: dict[tuple[object, ...], dict[Term, Image]] = {}
    for term, coefficient in polynomial.items():
        for image in _images(algebra, Product(coefficient, term)):
            images.setdefault(image.key, {})[term] = image
    for alike in images.values():
        if len(alike) > 1:
            rest = [Product(c, term) for term, c in polynomial.items() if term not in alike]
            function, position = next((x.function, x.position) for x in alike.values())
            arguments = list(function.arguments)
            inside = algebra.add(*(x.inside for x in alike.values()))
            arguments[position] = Argument(inside, arguments[position].keyword)
            yield algebra.add(*rest, algebra.call(function.name, arguments, function.template))


def _images(algebra: Builder, product: Product) -> Iterator[Image]:
    """Yield a product of numbers and one linear function as a function of each argument in which it is linear."""
    factors = [(base, e) for base, e in product.term if algebra.bases[base].extent != SCALAR]
    if len(factors) != 1 or factors[0][1] != 1:
        return
    function = algebra.bases[factors[0][0]]
    if not isinstance(function, Function):
        return
    numbers = Product(product.coefficient, tuple(power for power in product.term if power not in factors))
    for position in LINEAR.get(function.name, ()):
        x = function.arguments[position].value if position < len(function.arguments) else None
        if isinstance(x, Product) and not algebra.extent(x).unknown:
            other_arguments = (*function.arguments[:position], *function.arguments[position + 1 :])
            key = (function.name, position, other_arguments, algebra.extent(x))
            yield Image(key, function, position, algebra.multiply(numbers, x))
