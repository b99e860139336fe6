"""One formula from several: those of a program at several sizes, which differ in numbers that come from the sizes.

A number that is `n`, `n*d` or `n - 1` each time is written so.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from itertools import combinations_with_replacement

from gradcli.explanation.sizes.dims import Sizes
from gradcli.language.rewrite import with_children
from gradcli.language.tree import Argument, Binary, Call, Expression, Name, Number, fold, postorder, same

HIGHEST = 3  # degree of a product of sizes
LARGEST_DENOMINATOR = 12  # of a fraction of a size
DIGITS = 12  # of a decimal that a size is multiplied by
FARTHEST = 64  # number added to one
HOLE = Name("#")


def merged(trees: Sequence[Expression | None], runs: Sequence[Sizes]) -> Expression | None:
    """Return the formula that holds at every size; None where one is missing, or they differ in more than sizes."""
    first, *others = trees
    if first is None or any(other is None for other in others):
        return None
    skeletons = [_skeleton(tree) for tree in trees if tree is not None]
    if not all(same(skeletons[0], other) for other in skeletons):
        return None
    columns = [
        [node.value for node in postorder(tree) if isinstance(node, Number)] for tree in trees if tree is not None
    ]
    written = iter([number_at(values, runs) for values in zip(*columns, strict=True)])
    found = [*written]
    if None in found:
        return None
    taken = iter(found)

    def combine(node: Expression, parts: Sequence[Expression]) -> Expression:
        if isinstance(node, Number):
            general = next(taken)
            assert general is not None
            return general
        if isinstance(node, Binary) and node.operator == "/" and isinstance(node.right, Number):
            return divided(parts[0], parts[1])
        return with_children(node, parts)

    return fold(first, combine)


def divided(tree: Expression, by: Expression) -> Expression:
    """Write a quotient; by a fraction of sizes as `2*x/(n - 1)`."""
    if isinstance(by, Binary) and by.operator == "/":
        return Binary("/", Binary("*", by.right, tree) if by.right != Number(1) else tree, by.left)
    return Binary("/", tree, by)


def _skeleton(tree: Expression) -> Expression:
    return fold(tree, lambda node, parts: HOLE if isinstance(node, Number) else with_children(node, parts))


def number_at(values: Sequence[float], runs: Sequence[Sizes]) -> Expression | None:
    """Write a number by the sizes that it comes from; None where none are found."""
    if all(value == values[0] for value in values):
        return Number(values[0])
    for function, tree in _functions(list(runs[0])):
        at = [function(sizes) for sizes in runs]
        found = _line(values, at)
        if found is not None:
            return _written(*found, tree)
    return None


def _functions(known: Sequence[str]) -> Iterator[tuple[Callable[[Sizes], float], Expression]]:
    """Yield products of sizes, and roots of sizes."""
    for degree in range(1, HIGHEST + 1):
        for chosen in combinations_with_replacement(known, degree):
            tree: Expression = Name(chosen[0])
            for name in chosen[1:]:
                tree = Binary("*", tree, Name(name))
            yield (lambda sizes, chosen=chosen: math.prod(sizes[name] for name in chosen)), tree  # type: ignore[misc]
    for name in known:
        root = Call("sqrt", (Argument(Name(name)),))
        for exponent, written in ((0.5, root), (0.25, Call("sqrt", (Argument(root),)))):
            yield (lambda sizes, name=name, exponent=exponent: sizes[name] ** exponent), written  # type: ignore[misc]
            yield (
                lambda sizes, name=name, exponent=exponent: sizes[name] ** -exponent,  # type: ignore[misc]
                Binary("/", Number(1), written),
            )


def _line(values: Sequence[float], at: Sequence[float]) -> tuple[Fraction, Fraction] | None:
    """Return slope and offset of `values` over `at`, small fractions; None where they are on no such line."""
    if at[0] == at[1]:
        return None
    slope = Fraction((values[1] - values[0]) / (at[1] - at[0])).limit_denominator(LARGEST_DENOMINATOR)
    offset = Fraction(values[0] - float(slope) * at[0]).limit_denominator(LARGEST_DENOMINATOR)
    fits = all(math.isclose(float(slope) * x + float(offset), y, rel_tol=1e-9) for x, y in zip(at, values, strict=True))
    if slope and fits and abs(offset) <= FARTHEST:
        return slope, offset
    decimal = Fraction(f"{(values[1] - values[0]) / (at[1] - at[0]):.{DIGITS}g}")  # as typed in mean(x)/9.81
    if not decimal:
        return None
    more = round(values[0] / float(decimal) - at[0])
    fits = all(math.isclose(float(decimal) * (x + more), y, rel_tol=1e-12) for x, y in zip(at, values, strict=True))
    return (decimal, decimal * more) if fits and abs(more) <= FARTHEST else None


def _written(slope: Fraction, offset: Fraction, tree: Expression) -> Expression:
    """Write `(2*n - 1)/3`, or `9.81*(n - 1)`."""
    if slope.denominator > LARGEST_DENOMINATOR:
        more = int(offset / slope)
        size = Binary("+" if more > 0 else "-", tree, Number(abs(more))) if more else tree
        product = Binary("*", Number(abs(float(slope))), size)
        return product if slope > 0 else Binary("-", Number(0), product)
    below = math.lcm(slope.denominator, offset.denominator)
    times, more = int(slope * below), int(offset * below)
    found = tree if times == 1 else Binary("*", Number(abs(times)), tree)
    if times < 0:
        found = Binary("-", Number(more), found) if more > 0 else Binary("-", Number(0), found)
        more = min(more, 0)
    if more:
        found = Binary("+" if more > 0 else "-", found, Number(abs(more)))
    return found if below == 1 else Binary("/", found, Number(below))
