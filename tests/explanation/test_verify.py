"""Gradients three ways where shapes are odd: nothing in them, or another number of entries a step aside."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from gradcli.engine.symbolic.notation import literal
from gradcli.explanation.evaluate import evaluate
from gradcli.explanation.values import value_of
from gradcli.explanation.verify import verify
from gradcli.language.parser import parse_program
from gradcli.source import Source

SHAPES = [(0,), (0, 2), (2, 0), (2, 0, 2), (0, 0), (1, 0, 3, 0), (2, 1, 0)]


def verified(program: str, values: dict[str, Any]) -> Any:
    """The rows of a verification, with 1 as the gradient of each entry of the output."""
    parsed = parse_program(Source(program))
    output = evaluate(parsed, values, dtype=np.dtype(np.float64)).output
    assert output is not None
    return verify(parsed, values, upstream=np.ones(output.shape))


@pytest.mark.parametrize("selected", ["x[x > 1]", "masked_select(x, x > 1)", "x[where(x > 1)[0]]"])
def test_a_selection_that_changes_has_no_slope_there(selected: str) -> None:
    found = verified(selected, {"x": [1.0, 2.0, 0.5]})
    assert found.agrees
    np.testing.assert_array_equal(found.rows[0].differences, [np.nan, 1, 0])


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("program", ["neg(x)", "2*x + zeros({0})*x", "x*x", "flip(x, 0)", "cat([x, x], 0)"])
def test_empty_arrays(program: str, shape: tuple[int, ...]) -> None:
    assert verified(program.format(shape), {"x": np.zeros(shape)}).agrees


@pytest.mark.parametrize("shape", [(), (2,), (2, 3), *SHAPES])
def test_a_written_array_has_its_shape(shape: tuple[int, ...]) -> None:
    assert np.shape(value_of(literal(np.zeros(shape)), {})) == shape
