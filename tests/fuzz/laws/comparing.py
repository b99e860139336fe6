"""Comparing formulas and numbers: in floats first, and in fifty digits where these differ."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import mpmath
import numpy as np

from gradcli.errors import GradcliError
from gradcli.explanation.values import apart, rounding_of, value_of
from gradcli.language.parser import parse_expression
from gradcli.language.tree import Expression
from gradcli.language.unparser import unparse
from gradcli.source import Source
from tests.fuzz.laws import precise

NEAR = 1e-9  # relative, of numbers that were computed in two ways
ROUNDED = 1e-14  # of the largest number around: a difference that is rounding
TINY = 1e-90

Broken = tuple[str, str]  # the law, and what breaks it


def holds(
    formula: Expression, raw: Expression | None, point: Mapping[str, Any], expected: Any, what: str, slack: float = 0.0
) -> Iterator[Broken]:
    """Yield where a formula has another value or shape than expected, or none; what is not finite expects nothing."""
    if not np.isfinite(expected).all():
        return

    def text() -> str:
        values = ", ".join(f"{name}={np.asarray(value).tolist()}" for name, value in point.items())
        return f"{unparse(formula)} at {values}"

    try:
        found = value_of(formula, point)
    except GradcliError as error:
        yield f"a {what} cannot be evaluated", f"{error}: {text()}"
        return
    if np.shape(found) != np.shape(expected):
        yield f"a {what} has another shape", f"{np.shape(found)} for {np.shape(expected)}: {text()}"
        return
    largest = max((apart(0.0, value) for value in point.values()), default=1.0)
    slack = max(slack, ROUNDED * max(largest, 1.0))
    if not near(found, expected, slack):
        slack = max(slack, 30 * rounding_of(point, formula, raw))
    if not near(found, expected, slack) and (raw is None or not agree(formula, raw, point)):
        yield f"a {what} has another value", f"{found} for {expected}: {text()}"


def agree(formula: Expression, raw: Expression, point: Mapping[str, Any]) -> bool:
    """Tell whether two formulas have one value in fifty digits; also where that cannot be said of the raw one."""
    exact = {name: precise.exact(value) for name, value in point.items()}
    try:
        expected = precise.value(raw, exact)
    except precise.NotFiniteError:
        return True
    except precise.UnknownError:
        return False
    try:
        found = precise.value(formula, exact)
    except (precise.UnknownError, precise.NotFiniteError):
        return False
    scale = max((abs(x) for x in np.ravel(np.asarray(expected, dtype=object))), default=0)
    differences = np.ravel(np.asarray(found - expected, dtype=object))
    return all(abs(x) <= mpmath.mpf(10) ** -12 * max(scale, 1) for x in differences)


def reads_back(formula: Expression) -> Iterator[Broken]:
    text = unparse(formula)
    try:
        again = parse_expression(Source(text))
    except GradcliError as error:
        yield "a formula does not read back", f"{error}: {text}"
        return
    if again != formula:
        yield "a formula reads back as another", f"{unparse(again)} for {text}"


def equal(found: Any, expected: Any, text: str, largest: float = 1.0) -> Iterator[Broken]:
    if not near(np.broadcast_to(found, np.shape(expected)), expected, ROUNDED * max(1.0, largest)):
        yield "a number is not what stands to its left", f"{found} for {expected}: {text}"


def near(found: Any, expected: Any, slack: float) -> bool:
    scale = np.max(np.abs(expected), initial=0.0, where=np.isfinite(expected))
    return bool(np.allclose(found, expected, rtol=NEAR, atol=max(1e-12 * float(scale), slack, TINY), equal_nan=True))


def same(found: Any, expected: Any, slack: float) -> bool:
    """Tell whether floats are numbers of fifty digits but for rounding; also where there are none to tell."""
    floats = np.vectorize(float, otypes=[float])(np.asarray(expected, dtype=object))
    if not np.isfinite(floats).all() or not np.isfinite(found).all():
        return not np.isfinite(floats).all() or slack == np.inf
    return bool(np.shape(found) == np.shape(floats) and near(found, floats, 30 * slack))


def flipped(slope: Any, other: Any) -> bool:
    """Tell whether two difference quotients are not those of a smooth function."""
    pairs = zip(np.ravel(np.asarray(slope, dtype=object)), np.ravel(np.asarray(other, dtype=object)), strict=True)
    return any(abs(a - b) > mpmath.mpf(10) ** -12 * max(1, abs(a)) for a, b in pairs)


def shown(value: Any) -> str:
    return str(np.vectorize(lambda x: mpmath.nstr(x, 12), otypes=[object])(np.asarray(value, dtype=object)))
