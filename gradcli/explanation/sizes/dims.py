"""Shapes without numbers: `X:n,d` stands for a matrix of any size, and for numbers that are made up in its place."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from gradcli.engine.numerics.draws import Draws
from gradcli.errors import EvaluationError, GradcliError
from gradcli.facts import dataclass

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
