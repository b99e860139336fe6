"""Reasons for rules at every size: one index formula from the formulas at several sizes, which differ in numbers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from itertools import chain

from gradcli.explanation.index.tree import Apply, Entry, Equation, Number, Term, mapped
from gradcli.explanation.model import Why
from gradcli.explanation.sizes.merging import Sizes, number_at
from gradcli.language import tree as language

OPERATORS = {"*": "·"}
Reason = Callable[[], Why | None]


def merged_reason(reasons: Sequence[Reason | None], runs: Sequence[Sizes]) -> Reason | None:
    """Return the reason in terms of the names of sizes, computed when it is called."""
    present = [reason for reason in reasons if reason is not None]
    return cache(lambda: merged_why([reason() for reason in present], runs)) if len(present) == len(reasons) else None


def merged_why(reasons: Sequence[Why | None], runs: Sequence[Sizes]) -> Why | None:
    """Return the formulas, without numbers of the point; None where they differ in more than sizes."""
    whys = [why for why in reasons if why is not None]
    if len(whys) < len(runs) or len({(why.given, why.differential, len(why.forward)) for why in whys}) > 1:
        return None
    first = whys[0]
    forward = [merged_equation(equations, runs) for equations in zip(*(why.forward for why in whys), strict=True)]
    gradients = [why.gradient for why in whys if why.gradient is not None]
    gradient = merged_equation(gradients, runs) if len(gradients) == len(runs) else None
    if None in forward or (gradient is None and gradients):
        return None
    return replace(first, shapes=(), forward=tuple(x for x in forward if x is not None), gradient=gradient, entry=None)


def merged_equation(equations: Sequence[Equation], runs: Sequence[Sizes]) -> Equation | None:
    """Return the equation with sizes in place of numbers; None where there is none."""
    first = equations[0]
    if len({(_shape(x.left), _shape(x.right), x.sizes) for x in equations}) > 1:
        return None
    columns = zip(*([*chain(_numbers(x.left), _numbers(x.right))] for x in equations), strict=True)
    trees = [number_at(values, runs) for values in columns]
    if None in trees:
        return None
    terms = iter([_term(tree) for tree in trees if tree is not None])

    def change(term: Term) -> Term:
        return next(terms) if isinstance(term, Number) else term

    left = mapped(first.left, change)
    assert isinstance(left, Entry)
    return replace(first, left=left, right=mapped(first.right, change))


def _shape(term: Term) -> Term:
    return mapped(term, lambda x: Number(0) if isinstance(x, Number) else x)


def _numbers(term: Term) -> list[float]:
    values: list[float] = []

    def note(x: Term) -> Term:
        if isinstance(x, Number):
            values.append(x.value)
        return x

    mapped(term, note)
    return values


def _term(tree: language.Expression) -> Term:
    """Return a size as a part of an index formula."""

    def combine(node: language.Expression, parts: Sequence[Term]) -> Term:
        match node:
            case language.Number(value):
                return Number(value)
            case language.Name(name):
                return Entry(name)
            case language.Binary("-", _, _):
                return Apply("+", (parts[0], Apply("-", (parts[1],))))
            case language.Binary(operator, _, _):
                return Apply(OPERATORS.get(operator, operator), tuple(parts))
        return Apply("sqrt", tuple(parts))

    return language.fold(tree, combine)
