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
    """A term that is a linear function of `inside`; `key` is equal for those that can be added inside."""

    key: tuple[object, ...]
    function: Function
    position: int
    inside: Product


def merged(algebra: Builder, polynomial: Polynomial) -> Iterator[Product]:
    """Yield a sum with the terms that are images of one linear function in one."""
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
    others = [(base, e) for base, e in product.term if algebra.bases[base].extent != SCALAR]
    if len(others) != 1 or others[0][1] != 1:
        return
    found = algebra.bases[others[0][0]]
    if not isinstance(found, Function):
        return
    numbers = Product(product.coefficient, tuple(power for power in product.term if power not in others))
    for position in LINEAR.get(found.name, ()):
        x = found.arguments[position].value if position < len(found.arguments) else None
        if isinstance(x, Product) and not algebra.extent(x).unknown:
            rest = (*found.arguments[:position], *found.arguments[position + 1 :])
            key = (found.name, position, rest, algebra.extent(x))
            yield Image(key, found, position, algebra.multiply(numbers, x))
