"""Derivatives as formulas have the values of the engine's, at the point and elsewhere, and read back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

from gradcli.explanation.derivatives.total import Derivative, derivatives, formulas
from gradcli.explanation.values import value_of
from gradcli.language.parser import parse_expression, parse_program
from gradcli.language.unparser import unparse
from gradcli.source import Source
from tests.explanation.derivatives.programs import STYLES, drawn
from tests.programs import some

Point = Mapping[str, Any]
KINDS = {"jacobian": (1, True), "hessian": (2, True), "third": (3, False)}
CASES = {style: drawn(style, 500) for style in STYLES}


def contracted(number: Derivative, given: tuple[str, ...], point: Point) -> tuple[Any, dict[str, Any]]:
    """Return the derivative times upstream gradients, and the point with these.

    Each has the shape of the output, or of a variable that is differentiated again.
    """
    value, at = np.asarray(number.value), dict(point)
    sizes = [np.shape(point[name]) for name in number.by]
    output = value.shape[: value.ndim - sum(map(len, sizes))]
    left, draw = list(given), np.random.default_rng(3)
    for shape in (output, *sizes[:-1]):
        if shape and left:
            at[left.pop(0)] = weight = draw.normal(size=shape)
            value = np.tensordot(weight, value, len(shape))
    return value, at


def moved(point: Point) -> Point:
    draw = np.random.default_rng(5)
    return {name: value * draw.uniform(0.8, 1.2, np.shape(value)) for name, value in point.items()}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("style", STYLES)
def test_formulas_are_the_derivatives(style: str, kind: str) -> None:
    order, mixed = KINDS[kind]
    for text, point in some(CASES[style], 250, 3 * list(KINDS).index(kind)):
        program = parse_program(Source(text))
        written = formulas(program, point, order, mixed=mixed)
        for at in (point, moved(point)):
            for number, formula in zip(derivatives(program, at, order, mixed=mixed), written, strict=True):
                if formula.formula is not None:
                    check(number, formula, at, f"{text} by {number.by} at {at}")


def check(number: Derivative, formula: Derivative, point: Point, case: str) -> None:
    assert formula.formula is not None
    value, at = contracted(number, formula.upstreams, point)
    read = parse_expression(Source(unparse(formula.formula)))
    shown = f"{case}: {unparse(read)}"
    if np.isfinite(value).all():
        found = np.asarray(value_of(read, at))
        assert found.shape == value.shape or (not found.shape and not found), shown
        scale = np.max(np.abs(value), initial=1)
        np.testing.assert_allclose(
            found,
            np.broadcast_to(value, found.shape or ()) if found.shape else value,
            rtol=1e-6,
            atol=1e-7 * scale,
            err_msg=shown,
        )


@pytest.mark.parametrize(
    ("text", "order"),
    [("x//2.5", 4), ("relu(x)*z", 2), ("x.detach()*z", 1), ("max(x, z*0 + 0.3)", 3), ("floor(x)*2", 1)],
)
def test_zeros_are_recognised(text: str, order: int) -> None:
    point = {name: value for name, value in {"x": 0.9, "z": 0.4}.items() if name in text}
    found = formulas(parse_program(Source(text)), point, order, mixed=False)
    assert found[0].formula is not None
    assert unparse(found[0].formula) == "0"


def test_twenty_variables_take_bounded_work() -> None:
    """The first derivatives are shared, and what is left when the budget is used up is too long."""
    names = "abcdfghjklmnopqrstuv"
    text = f"({' + '.join(f'{name}**2' for name in names)})**0.5/({' + '.join(names)})"
    point = {name: 0.3 + 0.1 * place for place, name in enumerate(names)}
    found = formulas(parse_program(Source(text)), point, 2, mixed=True)
    assert len(found) == 210
    assert found[0].formula is not None
    assert found[-1].formula is None
