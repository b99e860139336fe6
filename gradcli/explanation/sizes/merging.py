"""One formula from the formulas of a program at several sizes, which differ in numbers that come from the sizes.

A number that is `n`, `n*d` or `n - 1` at each size is written like that.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import reduce
from itertools import combinations_with_replacement
from typing import Any

import numpy as np

from gradcli.engine.numerics.draws import Draws
from gradcli.errors import EvaluationError, GradcliError
from gradcli.facts import dataclass
from gradcli.language.rewrite import with_children
from gradcli.language.tree import Argument, Binary, Call, Expression, Name, Number, fold, postorder, same

# Shapes without numbers: `X:n,d` stands for a matrix of any size, and for numbers that are made up in its place.


PRIMES = (7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47)
ORDERS = (1, 17, 29)  # no size less 2 is another one and 4 in each; a fifth would be a decimal
EVEN = range(6, 34, 2)
EVEN_ORDERS = (17, 11)
NUMBER = re.compile(r"(?<![\d.])(?<![A-WYZa-wyz_])\d+(?!\d|[.]\d)")  # `5x7` holds two, `v5` and `0.5` none
MOST = 8  # names of sizes

Sizes = Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Dims:
    """The shape of a variable: names of sizes, and numbers."""

    sizes: tuple[str | int, ...]

    def shape(self, sizes: Sizes) -> tuple[int, ...]:
        return tuple(size if isinstance(size, int) else sizes[size] for size in self.sizes)


def assignments(dims: Mapping[str, Dims]) -> list[dict[str, int]]:
    """Return different primes for each name, in another order each time: few numbers in formulas divide them."""
    return _ordered(dims, PRIMES, ORDERS)


def even_assignments(dims: Mapping[str, Dims]) -> list[dict[str, int]]:
    """Return even numbers, at which a formula found at primes may not hold: `x[::2]` has n/2 entries, or (n + 1)/2."""
    return _ordered(dims, EVEN, EVEN_ORDERS)


def _ordered(dims: Mapping[str, Dims], pool: Iterable[int], factors: Iterable[int]) -> list[dict[str, int]]:
    names = list(dict.fromkeys(size for x in dims.values() for size in x.sizes if isinstance(size, str)))
    if len(names) > MOST:
        raise EvaluationError("E201", f"there are {len(names)} names of sizes", help=f"give numbers to all but {MOST}")
    for name in names:
        if name in dims:
            raise EvaluationError("E215", f"{name} is a size, and a variable with a shape", help="rename one")
    free = {*pool}.difference(*(x.sizes for x in dims.values()))
    assigned: list[dict[str, int]] = []
    for factor in factors:
        left = sorted(free, key=lambda size: size * factor % 53)  # a prime beyond all sizes
        assigned.append({})
        for name in names:
            size = next((size for size in left if all(size != x.get(name) for x in assigned)), None)
            if size is None:
                raise EvaluationError("E201", "these are too many different sizes", help="give numbers to some names")
            assigned[-1][name] = size
            left.remove(size)
    return assigned


def arrays(dims: Mapping[str, Dims], sizes: Sizes) -> dict[str, Any]:
    """Return made-up values between 0 and 1; square ones have a large diagonal, so that they have an inverse."""
    draw = Draws()
    values: dict[str, Any] = {}
    for name, dims_ in dims.items():
        shape = dims_.shape(sizes)
        value = draw.uniform(0.1, 0.9, shape)
        is_square = len(shape) == 2 and shape[0] == shape[1]
        values[name] = value + shape[0] * np.eye(shape[0]) if is_square else value
    return values


def with_size_names(error: GradcliError, sizes: Sizes) -> GradcliError:
    """Return the error with the names of sizes in place of numbers that were made up."""
    by_number = {str(number): name for name, number in sizes.items()}

    def words(text: str) -> str:
        return NUMBER.sub(lambda match: by_number.get(match[0], match[0]), text)

    error.message, error.label, error.help = words(error.message), words(error.label), words(error.help)
    error.args = (error.message,)
    return error


HIGHEST = 3  # degree of a product of sizes
LARGEST_DENOMINATOR = 12  # of a fraction of a size
DIGITS = 12  # of a decimal that a size is multiplied by
FARTHEST = 64  # number added to one
HOLE = Name("#")


def merged(trees: Sequence[Expression | None], runs: Sequence[Sizes]) -> Expression | None:
    """Return the formula that holds at every size; None where one is missing, or they differ in more than sizes."""
    first, *rest = trees
    if first is None or any(tree_ is None for tree_ in rest):
        return None
    skeletons = [_skeleton(tree) for tree in trees if tree is not None]
    if not all(same(skeletons[0], tree_) for tree_ in skeletons):
        return None
    columns = [
        [node.value for node in postorder(tree) if isinstance(node, Number)] for tree in trees if tree is not None
    ]
    numbers = iter([number_at(values, runs) for values in zip(*columns, strict=True)])
    trees_found = [*numbers]
    if None in trees_found:
        return None
    numbers_left = iter(trees_found)

    def combine(node: Expression, parts: Sequence[Expression]) -> Expression:
        if isinstance(node, Number):
            general = next(numbers_left)
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
        line = _line(values, at)
        if line is not None:
            return _write_line(*line, tree)
    return None


def _functions(size_names: Sequence[str]) -> Iterator[tuple[Callable[[Sizes], float], Expression]]:
    """Yield products of sizes, and roots of sizes."""
    for degree in range(1, HIGHEST + 1):
        for chosen in combinations_with_replacement(size_names, degree):
            powers = Counter(chosen).items()
            factors = [Name(name) if times == 1 else Binary("**", Name(name), Number(times)) for name, times in powers]
            tree = reduce(lambda product, factor: Binary("*", product, factor), factors)
            yield (lambda sizes, chosen=chosen: math.prod(sizes[name] for name in chosen)), tree  # type: ignore[misc]
    for name in size_names:
        root = Call("sqrt", (Argument(Name(name)),))
        for exponent, tree_of_root in ((0.5, root), (0.25, Call("sqrt", (Argument(root),)))):
            yield (lambda sizes, name=name, exponent=exponent: sizes[name] ** exponent), tree_of_root  # type: ignore[misc]
            yield (
                lambda sizes, name=name, exponent=exponent: sizes[name] ** -exponent,  # type: ignore[misc]
                Binary("/", Number(1), tree_of_root),
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
    shift = round(values[0] / float(decimal) - at[0])
    fits = all(math.isclose(float(decimal) * (x + shift), y, rel_tol=1e-12) for x, y in zip(at, values, strict=True))
    return (decimal, decimal * shift) if fits and abs(shift) <= FARTHEST else None


def _write_line(slope: Fraction, offset: Fraction, tree: Expression) -> Expression:
    """Write `(2*n - 1)/3`, or `9.81*(n - 1)`."""
    if slope.denominator > LARGEST_DENOMINATOR:
        shift = int(offset / slope)
        size = Binary("+" if shift > 0 else "-", tree, Number(abs(shift))) if shift else tree
        product = Binary("*", Number(abs(float(slope))), size)
        return product if slope > 0 else Binary("-", Number(0), product)
    below = math.lcm(slope.denominator, offset.denominator)
    times, shift = int(slope * below), int(offset * below)
    result = tree if times == 1 else Binary("*", Number(abs(times)), tree)
    if times < 0:
        result = Binary("-", Number(shift), result) if shift > 0 else Binary("-", Number(0), result)
        shift = min(shift, 0)
    if shift:
        result = Binary("+" if shift > 0 else "-", result, Number(abs(shift)))
    return result if below == 1 else Binary("/", result, Number(below))
