"""A simplified formula is checked before it is shown: it has the values of the raw one at points drawn in the domain.

Formulas over numbers alone are evaluated at all points in one pass.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from itertools import cycle, islice
from typing import Any

import numpy as np

from gradcli.engine.modes import switched
from gradcli.engine.primitive import REGISTRY
from gradcli.errors import GradcliError
from gradcli.explanation.guard import guard
from gradcli.explanation.values import rounding_at, value_of
from gradcli.language.simplify.extents import Shape
from gradcli.language.simplify.facts.functions import ELEMENTWISE
from gradcli.language.simplify.simplifier import simplify
from gradcli.language.tree import Binary, Call, Compare, Expression, Literal, Name, Number, Unary, names, postorder
from gradcli.language.unparser import unparse

POINTS = 8  # at which both are finite
CANDIDATES = 32  # of which some are outside of the domain
STEPS = 20_000  # operations of one check; one on a large tensor counts as several
ENTRIES = 256  # of a tensor that counts as one number
TOLERANCE = 1e-6
PLAIN = (Name, Number, Unary, Literal)
NOWHERE = "no point is known where it could be checked"

Point = Mapping[str, Any]
Products = tuple[tuple[str, ...], ...]


class UnequalError(AssertionError):
    """A simplified formula that is not equal to the one that it stands for."""


def checked(raw: Expression, at: Point, products: Products = ()) -> Expression:
    """Return the formula as a person would write it, or itself where that has other values somewhere.

    `at` has a value for each name, for the shapes and as the first point; `products` are those of `simplify`.
    """
    short = shortened(raw, at, products)
    return raw if fault(short, raw, at) else short


def shortened(raw: Expression, at: Point, products: Products = ()) -> Expression:
    """Return the simplified formula, unchecked."""
    return simplify(raw, {name: np.shape(at[name]) for name in names(raw) & at.keys()}, products)


def fault(short: Expression, raw: Expression, at: Point) -> str:
    """Return what is wrong with a simplified formula; empty if it stands. UnequalError where the guard is strict."""
    if short == raw:
        return ""
    at = {name: at[name] for name in names(raw) & at.keys()}
    are_numbers = not any(map(np.shape, at.values())) and is_elementwise(raw) and is_elementwise(short)
    points = [_columns(at)] if are_numbers else drawn(at)
    found = next(filter(None, _differences(short, raw, points, at, (CANDIDATES,) if are_numbers else ())), "")
    if found and found != NOWHERE and guard.is_strict:
        raise UnequalError(f"{unparse(short)} is no {unparse(raw)}: {found}")
    return found


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


def _columns(at: Point) -> dict[str, Any]:
    """Return the candidates as one point whose values are columns; a formula without names has one value."""
    points = [*islice(drawn(at), CANDIDATES)]
    return {name: np.asarray([point[name] for point in points]) for name in at}


def drawn(at: Point) -> Iterator[dict[str, Any]]:
    """Yield the point, then others without end: near it, of both signs, in (0, 1) and beyond 1."""
    draw = np.random.default_rng(0)
    yield dict(at)
    for way in cycle(WAYS):
        yield {name: _other(np.asarray(value), way, draw) for name, value in at.items()}


def _near(value: Any, draw: np.random.Generator) -> Any:
    return value * draw.uniform(0.8, 1.2, np.shape(value)) + (value == 0) * draw.uniform(-0.3, 0.3, np.shape(value))


def _of_both_signs(value: Any, draw: np.random.Generator) -> Any:
    return np.exp(draw.uniform(-1.2, 1.5, np.shape(value))) * draw.choice([-1, 1], np.shape(value))


WAYS: tuple[Callable[[Any, np.random.Generator], Any], ...] = (
    _near,
    _of_both_signs,
    lambda value, draw: draw.uniform(0.1, 0.9, np.shape(value)),
    lambda value, draw: draw.uniform(1.1, 6.0, np.shape(value)),
)


def _other(value: Any, way: Callable[[Any, np.random.Generator], Any], draw: np.random.Generator) -> Any:
    return way(value, draw) if value.dtype.kind == "f" else value


def _differences(
    short: Expression, raw: Expression, points: Iterable[Point], at: Point, columns: Shape
) -> Iterator[str]:
    """Yield what is wrong at each point; ends when both were finite at enough of them, or the budget is used up."""
    whole = {name: value for name, value in at.items() if np.array_equal(value, np.floor(value))}
    left, finite, cost = STEPS, 0, sum(1 for tree in (short, raw) for _ in postorder(tree))
    for point in islice(points, CANDIDATES):
        left -= cost * (1 + sum(map(np.size, point.values())) // ENTRIES)
        if finite >= POINTS or (left < 0 and finite):
            return
        for values in (point, {**point, **whole}):  # labels are whole numbers
            with suppress(GradcliError):
                expected = _value(raw, values, columns)
                finite += int(np.isfinite(expected).any())
                yield _difference(short, raw, values, expected, columns)
                break
    if not finite:
        yield NOWHERE


def _value(tree: Expression, point: Point, columns: Shape) -> Any:
    with switched(default_dtype=np.dtype(np.float64)):
        value = np.asarray(value_of(tree, point), np.float64)
    return np.broadcast_to(value, columns) if columns else value


def _difference(short: Expression, raw: Expression, point: Point, expected: Any, columns: Shape) -> str:
    """Return how a formula differs at a point, or at columns of points, from the raw one with the expected value."""
    try:
        value = _value(short, point, columns)
    except GradcliError:
        return "it has no value elsewhere"
    if value.shape != expected.shape:
        return "it has another shape"
    finite = np.isfinite(expected)
    if (finite & ~np.isfinite(value)).any():
        return "it is finite at fewer points"
    with np.errstate(all="ignore"):
        distance = np.where(finite, np.abs(value - expected), 0)
        if (distance <= TOLERANCE * np.abs(expected)).all():
            return ""
        return "it has another value elsewhere" if (distance > rounding_at(point, short, raw)).any() else ""
