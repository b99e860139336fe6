"""Cases with one condition: sums and products of `where` come together in one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from gradcli.language.simplify.algebra.bases import Argument, Function
from gradcli.language.simplify.algebra.functions import Builder
from gradcli.language.simplify.algebra.terms import Polynomial, Product


class Cases(NamedTuple):
    """A product that is `first` where the condition holds, else `second`."""

    condition: Argument
    first: Product
    second: Product


def cases(algebra: Builder, product: Product, condition: Argument | None = None) -> Cases | None:
    """Return a product as cases of a condition, by default that of its first `where`; None if it has none."""
    parts: list[tuple[int, Product, Product]] = []
    for base, exponent in product.term:
        entry = algebra.bases[base]
        if exponent == 1 and isinstance(entry, Function) and entry.name == "where" and len(entry.arguments) == 3:
            test, if_true, if_false = entry.arguments
            if isinstance(if_true.value, Product) and isinstance(if_false.value, Product) and condition in (None, test):
                condition = test
                parts.append((base, if_true.value, if_false.value))
    if condition is None or not parts:
        return None
    bases_of_cases = {base for base, _, _ in parts}
    rest = Product(product.coefficient, tuple(power for power in product.term if power[0] not in bases_of_cases))
    return Cases(
        condition,
        algebra.multiply(rest, *(if_true for _, if_true, _ in parts)),
        algebra.multiply(rest, *(if_false for _, _, if_false in parts)),
    )


def merged(algebra: Builder, polynomial: Polynomial) -> Iterator[Product]:
    """Yield a sum in which all terms that share a condition are one `where`."""
    cases_of_terms = {term: cases(algebra, Product(c, term)) for term, c in polynomial.items()}
    for condition in dict.fromkeys(x.condition for x in cases_of_terms.values() if x is not None):
        alike = {term: x for term, x in cases_of_terms.items() if x is not None and x.condition == condition}
        if len(alike) > 1:
            rest = [Product(c, term) for term, c in polynomial.items() if term not in alike]
            sums = [algebra.add(*side) for side in zip(*((x.first, x.second) for x in alike.values()), strict=True)]
            yield algebra.add(*rest, algebra.call("where", [condition, *map(Argument, sums)]))
