"""The value of an expression, without a graph: constants on the command line, printed formulas at a point."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any

import numpy as np

from gradcli.engine.modes import switched
from gradcli.engine.numerics.draws import Draws
from gradcli.engine.tensor import Tensor
from gradcli.errors import EvaluationError
from gradcli.explanation.calls import apply
from gradcli.explanation.refusals import FAILURES, no_numbers, refused
from gradcli.language.simplify.facts.functions import ELEMENTWISE
from gradcli.language.tree import Binary, Call, Compare, Expression, Name, fold, postorder
from gradcli.ops.support.arguments import as_tensor
from gradcli.source import Source

DRAWS = 4  # of the directions in which results are rounded
MARGIN = 4  # times what is measured, for the draws are few
CONSTANTS = {"pi": math.pi, "inf": math.inf, "nan": math.nan}


def value_of(tree: Expression, names: Mapping[str, Any], source: Source | None = None) -> Any:
    """A number or an array; `names` gives the values of names that are no constants of the language."""

    def step(node: Expression, parts: Sequence[Any]) -> Any:
        try:
            return _named(node, names) if isinstance(node, Name) else apply(node, parts)
        except FAILURES as error:
            raise refused(error, node, parts, source) from None

    with switched(grad_enabled=False, tape=None), np.errstate(all="ignore"):
        return plain_value(fold(tree, step))


def rounding(point: Mapping[str, Any], dtype: np.dtype[Any]) -> float:
    """Return how much of a difference is rounding, where values are as large as these."""
    largest = (float(np.max(np.abs(x), initial=1)) for x in point.values() if np.asarray(x).dtype.kind == "f")
    return float(np.finfo(dtype).eps) * max(filter(math.isfinite, largest), default=1.0)


def rounding_of(names: Mapping[str, Any], *trees: Expression | None) -> float:
    """Return how much of the values of expressions is rounding: by how much they move if each result does by one digit.

    Differences of almost equal numbers have few digits; `sin(x)/x**2 - cos(x)/x` near 0 is one.
    """
    return float(np.max(rounding_at(names, *trees), initial=0.0))


def rounding_at(names: Mapping[str, Any], *trees: Expression | None, count: int = DRAWS, bound: Any = math.inf) -> Any:
    """Return the same for each entry of the values, which have one shape; 0 where they are not finite.

    Comparisons come out as they do without rounding: what is equal stays equal. Drawing ends
    where each entry has reached `bound`.
    """
    draws = Draws()
    outcomes: Iterator[Any] = iter(())

    def step(node: Expression, parts: Sequence[Any]) -> Any:
        if isinstance(node, Compare):
            return next(outcomes)
        value = _named(node, names) if isinstance(node, Name) else apply(node, parts)
        if not isinstance(value, Tensor) or value.dtype.kind != "f":
            return value
        sign, kind = draws.signs(value.shape), np.finfo(value.dtype)
        smallest = np.where(value.value == 0, 0, kind.smallest_subnormal)  # which is a digit of what underflows
        digit = kind.eps * (1 + math.log2(summed(node, parts)))
        return Tensor((value.value * (1 + digit * sign) + smallest * sign).astype(value.dtype)[()])

    spread: Any = 0.0
    with switched(grad_enabled=False, tape=None), np.errstate(all="ignore"), suppress(*FAILURES):
        for tree in filter(None, trees):
            exact, largest, before = value_of(tree, names), 0.0, spread
            compared = [as_tensor(value_of(node, names)) for node in postorder(tree) if isinstance(node, Compare)]
            for _ in range(count):
                outcomes = iter(compared)
                change = np.abs(np.subtract(plain_value(fold(tree, step)), exact, dtype=np.float64))
                largest = np.fmax(largest, change)
                spread = before + MARGIN * np.nan_to_num(largest, posinf=0.0)
                if np.all(bound <= spread):
                    return spread
    return spread


def summed(node: Expression, parts: Sequence[Any]) -> int:
    """Return how many terms each entry of a result may be the sum of: the digits lost grow with their logarithm."""
    is_entry_by_entry = (
        node.function in ELEMENTWISE if isinstance(node, Call) else isinstance(node, Binary) and node.operator != "@"
    )
    sizes = (part.value.size for part in parts if isinstance(part, Tensor))
    return 1 if is_entry_by_entry else max(1, max(sizes, default=1))


def out_of_range(names: Mapping[str, Any], tree: Expression, shape: tuple[int, ...]) -> Any:
    """Return the mask of columns of this shape, or one for all, where results on the way to the value leave the floats.

    These are infinite, or products, quotients and powers that are 0 though nothing in them is.
    """
    met: Any = np.zeros(shape, bool)

    def step(node: Expression, parts: Sequence[Any]) -> Any:
        nonlocal met
        value = _named(node, names) if isinstance(node, Name) else apply(node, parts)
        if isinstance(value, Tensor) and value.dtype.kind == "f":
            lost = np.isinf(value.value)
            if isinstance(node, Binary) and node.operator in ("*", "/", "**"):
                left, right = (np.not_equal(plain_value(x), 0) for x in parts)
                lost = lost | (value.value == 0) & left & (right | (node.operator == "**"))
            met = met | (lost if shape else lost.any())
        return value

    with switched(grad_enabled=False, tape=None), np.errstate(all="ignore"), suppress(*FAILURES):
        fold(tree, step)
    return met


def apart(a: Any, b: Any) -> float:
    """Return the largest distance of two entries; no distance where one is nan."""
    with np.errstate(all="ignore"):
        distance = np.where(np.equal(a, b), 0.0, np.abs(np.subtract(a, b, dtype=np.float64)))
    return float(np.max(distance, initial=0.0, where=~np.isnan(distance)))


def _named(node: Name, names: Mapping[str, Any]) -> Any:
    if node.id in names:
        value = names[node.id]
        return value if isinstance(value, int | float) and not isinstance(value, np.generic) else as_tensor(value)
    if node.id in CONSTANTS:
        return CONSTANTS[node.id]
    raise EvaluationError(
        "E207",
        f"{node.id} is a name, and a value must be a number or a list",
        label="not a number",
        help="for Euler's number write exp(1)" if node.id == "e" else f"constants are {', '.join(CONSTANTS)}",
    )


def constant(tree: Expression, source: Source) -> Any:
    """The value of an expression without variables."""
    try:
        return value_of(tree, {}, source)
    except (TypeError, ValueError):
        raise no_numbers("this").at(tree.span, source) from None


def plain_value(value: Any) -> Any:
    """Numbers and arrays out of tensors, through nested lists."""
    if isinstance(value, Tensor):
        return value.value
    return as_tensor(value).value if isinstance(value, list) else value
