"""A simplified formula is checked before it is shown: it has the values of the raw one at points drawn in the domain.

Formulas over numbers alone are evaluated at all points in one pass.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from typing import Any

import numpy as np

from gradcli.engine.modes import switched
from gradcli.engine.primitive import REGISTRY
from gradcli.errors import GradcliError
from gradcli.explanation.values import out_of_range, rounding_at, value_of
from gradcli.guard import guard
from gradcli.language.simplify.extents import Shape
from gradcli.language.simplify.facts.functions import ELEMENTWISE
from gradcli.language.simplify.simplifier import simplify
from gradcli.language.tree import Binary, Call, Compare, Expression, Literal, Name, Number, Unary, names, postorder
from gradcli.language.unparser import unparse

Point = Mapping[str, Any]
Products = tuple[tuple[str, ...], ...]
Way = Callable[[Any, Any, Any], Any]

POINTS = 8  # at which both are finite
EACH = 16  # candidates of each way to draw them, of which some are outside of the domain
STEPS = 20_000  # operations of one check; one on a large tensor counts as several
ENTRIES = 256  # of a tensor that counts as one number
TOLERANCE = 1e-6
DUST = 1e-15  # of the largest entry of a tensor: what is left in others where terms cancel
DRAWS = 16  # of rounding, so many that it does not cancel for an entry in each of them
SMALLEST, LARGEST = 1e-150, 1e150  # values between which no digits are lost to under- and overflow
WAYS: tuple[Way, ...] = (  # to draw a number from another one and two numbers between 0 and 1
    lambda value, u, v: np.where(value == 0, u - 0.5, value * (0.8 + 0.4 * u)),
    lambda value, u, v: np.exp(2.7 * u - 1.2) * np.where(v < 0.5, -1, 1),
    lambda value, u, v: 0.1 + 0.8 * u,
    lambda value, u, v: 1.1 + 5 * u,
    lambda value, u, v: np.exp(10 * u - 5) * np.where(v < 0.5, -1, 1),  # narrow domains, and far ones
)
PLAIN = (Name, Number, Unary, Literal)
NOWHERE = "no point is known where it could be checked"
FEWER = "the shorter form is finite at fewer points"  # as exp(x)*sigmoid(-x), which overflows: not false, but not shown


class UnequalError(AssertionError):
    """A simplified formula that is not equal to the one that it stands for."""


def simplify_checked(raw: Expression, at: Point, products: Products = ()) -> Expression:
    """Return the formula as a person would write it, or itself where that has other values somewhere.

    `at` has a value for each name, for the shapes and as the first point; `products` are those of `simplify`.
    """
    form = simplify_unchecked(raw, at, products)
    return raw if fault(form, raw, at) else form


def simplify_unchecked(raw: Expression, at: Point, products: Products = ()) -> Expression:
    """Return the simplified formula, unchecked."""
    names_used = names(raw)
    return simplify(raw, {name: np.shape(value) for name, value in at.items() if name in names_used}, products)


def fault(form: Expression, raw: Expression, at: Point) -> str:
    """Return what is wrong with a short formula; empty if it stands. UnequalError where the guard is strict."""
    if form == raw:
        return ""
    names_used = names(raw)  # a set: the points must not depend on its order
    at = {name: _double(value) for name, value in at.items() if name in names_used}
    are_numbers = not any(map(np.shape, at.values())) and is_elementwise(raw) and is_elementwise(form)
    points = [columns(at)] if are_numbers else candidates(at)
    text = next(filter(None, _differences(form, raw, points, at, (1 + EACH * len(WAYS),) if are_numbers else ())), "")
    if text not in ("", NOWHERE, FEWER) and guard.is_strict:
        raise UnequalError(f"{unparse(form)} is no {unparse(raw)}: {text}")
    return text


def _double(value: Any) -> Any:
    """Return numbers in double precision: what overflows in single precision says nothing about a formula."""
    return value.astype(np.float64) if getattr(value, "dtype", None) == np.float32 else value


def is_elementwise(tree: Expression) -> bool:
    """Tell whether a formula over numbers can be evaluated over columns of numbers."""
    return all(isinstance(node, PLAIN) or _is_elementwise(node) for node in postorder(tree))


def _is_elementwise(node: Expression) -> bool:
    match node:
        case Binary(operator) | Compare(operator):
            return operator != "@"
        case Call(name):
            return name in ELEMENTWISE or (name in REGISTRY and not REGISTRY[name].structured)
    return False


def columns(at: Point) -> dict[str, Any]:
    """Return all candidates as one point whose values are columns."""
    return {
        name: np.concatenate([[value], *(_random_value(np.full(EACH, value), way, place) for way in WAYS)])
        for place, (name, value) in enumerate(at.items())
    }


def candidates(at: Point) -> Iterator[dict[str, Any]]:
    """Yield the point, then other points: near it, of both signs, in (0, 1), beyond 1, small and large."""
    yield dict(at)
    for turn in range(EACH * len(WAYS)):
        way = WAYS[turn % len(WAYS)]
        numbered = enumerate(at.items(), turn * len(at))
        yield {name: _random_value(np.asarray(value), way, place) for place, (name, value) in numbered}


def _random_value(value: Any, way: Way, seed: int) -> Any:
    """Return other numbers in the place of a value; words and labels stay."""
    if value.dtype.kind != "f":
        return value
    return way(value, _uniform(value.shape, 2 * seed), _uniform(value.shape, 2 * seed + 1))


def _uniform(shape: Shape, seed: int) -> Any:
    """Return numbers between 0 and 1, the same ones each time; numpy's own generators take a while to import."""
    places = np.arange(1, 1 + math.prod(shape)).reshape(shape)
    return np.modf(43758.5453 * np.abs(np.sin(12.9898 * places + 78.233 * (seed + 1))))[0]


def _differences(form: Expression, raw: Expression, points: Iterable[Point], at: Point, shape: Shape) -> Iterator[str]:
    """Yield what is wrong at each point; ends when both were finite at enough of them, or the budget is used up."""
    labels = {name: value for name, value in at.items() if np.array_equal(value, np.floor(value))}
    left, finite, cost = STEPS, 0, sum(1 for tree in (form, raw) for _ in postorder(tree))
    for point in points:
        if finite >= POINTS or left < 0:
            break
        left -= cost * (1 + sum(map(np.size, point.values())) // ENTRIES)
        for values in (point, {**point, **labels}):  # labels are whole numbers
            with suppress(GradcliError):
                expected = _value(raw, values, shape)
                finite += int(np.isfinite(expected).any())
                yield _difference(form, raw, values, expected, shape)
                break
    if not finite:
        yield NOWHERE


def _value(tree: Expression, point: Point, shape: Shape) -> Any:
    with switched(default_dtype=np.dtype(np.float64)):
        value = np.asarray(value_of(tree, point), np.float64)
    return np.broadcast_to(value, shape) if shape else value


def _difference(form: Expression, raw: Expression, point: Point, expected: Any, shape: Shape) -> str:
    """Return how a formula differs at a point, or at columns of points, from the raw one with the expected value."""
    try:
        value = _value(form, point, shape)
    except GradcliError:
        return "the shorter form has no value elsewhere"
    if value.shape != expected.shape:
        return "the shorter form has another shape"
    sizes = np.abs(expected)
    finite = (expected == 0) | (sizes > SMALLEST) & (sizes < LARGEST)
    if (finite & ~np.isfinite(value)).any():
        return FEWER
    with np.errstate(all="ignore"):
        distance = np.where(finite, np.abs(value - expected), 0)
        dust = 0.0 if shape else DUST * np.max(sizes, initial=0.0, where=finite)  # of entries of one tensor
        is_same = ~finite | (distance <= np.maximum(TOLERANCE * sizes, dust))
        if is_same.all():
            return ""
        bound = np.where(is_same, 0, distance)
        is_same |= distance <= rounding_at(point, form, raw, count=DRAWS, bound=bound)
        if is_same.all() or (is_same := is_same | out_of_range(point, raw, shape)).all():  # x/y**2 is 0 for large y
            return ""
        if (is_same | out_of_range(point, form, shape)).all():
            return FEWER
        return "the shorter form has another value elsewhere"
