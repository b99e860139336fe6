"""The order in which a person writes: powers descend, a sum does not begin with a minus, numbers and letters lead."""

from __future__ import annotations

from collections.abc import Sequence

from gradcli.language.simplify.algebra.terms import Rational, Term

Signed = tuple[Term, Rational]


def ordered(terms: Sequence[Signed], *, by_degree: bool = False) -> list[Signed]:
    """Return the terms of a sum by descending powers of the base whose powers differ most; others keep their order.

    Where that begins with a negative term, the positive ones come first. `by_degree` puts long terms before short ones.
    """
    main = _main(terms)

    def key(signed: Signed) -> tuple[Rational, Rational, bool]:
        term, _ = signed
        degree = -sum(exponent for _, exponent in term) if by_degree else 0
        return -dict(term).get(main, 0) if main is not None else 0, degree, not term

    found = sorted(terms, key=key)
    if found[0][1] < 0:
        found.sort(key=lambda signed: signed[1] < 0)
    return found


def _main(terms: Sequence[Signed]) -> int | None:
    powers = [dict(term) for term, _ in terms]
    best: int | None = None
    widest: Rational = 1
    for base in dict.fromkeys(base for term, _ in terms for base, _ in term):
        exponents = [power.get(base, 0) for power in powers]
        spread = max(exponents) - min(exponents)
        if spread > widest or (spread == widest == 1 and best is None and min(exponents) < 0):
            best, widest = base, spread
    return best
