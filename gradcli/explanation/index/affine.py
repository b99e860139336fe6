"""Places as sums of whole multiples of index variables: `2·i + k - 1`."""

from __future__ import annotations

from collections.abc import Sequence

from gradcli.explanation.index.tree import Apply, Number, Term, Variable, negative, product, total, variables


def affine(place: Term) -> tuple[dict[str, int], int] | None:
    """Return the factors of the variables and the number beside them; None for a place of another kind."""
    match place:
        case Number(value):
            return {}, int(value)
        case Variable(name):
            return {name: 1}, 0
        case Apply("-", (inner,)):
            return _scaled(affine(inner), -1)
        case Apply("·", (Number(value), inner)):
            return _scaled(affine(inner), int(value))
        case Apply("+", terms):
            factors: dict[str, int] = {}
            constant = 0
            for multiples in map(affine, terms):
                if multiples is None:
                    return None
                constant += multiples[1]
                for name, factor in multiples[0].items():
                    factors[name] = factors.get(name, 0) + factor
            return factors, constant
    return None


def _scaled(multiples: tuple[dict[str, int], int] | None, factor: int) -> tuple[dict[str, int], int] | None:
    return multiples and ({name: factor * n for name, n in multiples[0].items()}, factor * multiples[1])


def solved(place: Term, value: Term, unknowns: Sequence[str]) -> tuple[str, Term] | None:
    """Solve `place = value` for the first unknown that stands alone in a sum: its name, and what it is."""
    terms = place.terms if isinstance(place, Apply) and place.operator == "+" else (place,)
    for name in unknowns:
        for sign, alone in ((1, Variable(name)), (-1, negative(Variable(name)))):
            if alone in terms and sum(name in variables(term) for term in terms) == 1:
                rest = [negative(term) if sign == 1 else term for term in terms if term != alone]
                ordered = sorted(rest, key=lambda term: isinstance(term, Number) or variables(term) == ())
                return name, total(value if sign == 1 else negative(value), *map(tidy, ordered))
    return None


def tidy(term: Term) -> Term:
    """Return a negative multiple with its sign in front."""
    match term:
        case Apply("·", (Number(value), *rest)) if value < 0:
            return negative(product(Number(-value), *rest))
    return term
