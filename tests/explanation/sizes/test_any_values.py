"""Formulas without values: those of extremes count the entries that tie at all values, or in whole regions."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest

from gradcli.errors import EvaluationError
from gradcli.explanation.build import gradients
from gradcli.explanation.derivatives import total
from gradcli.explanation.model import Explanation
from gradcli.explanation.sizes.generic import (
    explain_anywhere,
    explain_at_any_size,
    first_that_holds,
    formulas_anywhere,
    formulas_at_any_size,
)
from gradcli.explanation.sizes.merging import Dims
from gradcli.explanation.values import value_of
from gradcli.language.parser import parse_program
from gradcli.language.tree import Binary, Expression, Number
from gradcli.language.unparser import unparse
from gradcli.source import Source
from tests.programs import some

SAME = ["(X*t).T*X", "stack([X, X])*t", "(exp(X)*t).T*exp(X)", "relu(X) + t", "floor(X) + t", "clamp(X, -1, 1) + t"]
EXTREMES = ["amax({})", "amin({})", "max({})", "median({})", "sum(amax({}, dim=0))"]
POINTS: list[Any] = [
    [[1.5, 4, -2], [-3, 2, 0.5], [1, -1, -2.5]],
    [[-1.5, -4, -2], [-3, -2, -0.5], [-1, -3.5, -2.5]],
    [[5, 4, 2], [3, 2.5, 1.5], [1.25, 7, 6]],
]


@pytest.mark.parametrize(("extreme", "operand"), some(product(EXTREMES, SAME), 4))
def test_equal_entries_share_the_gradient(extreme: str, operand: str) -> None:
    program = parse_program(Source(extreme.format(operand)))
    found = explain_at_any_size(program, {"X": Dims((3, 3))}, {}, is_traced=False)
    for values in POINTS:
        point = {"X": np.asarray(values, float), "t": 2.0}
        for leaf in found.leaves:
            known = dict(point)
            for part in found.intermediates:
                known[part.name] = value_of(part.expression, known)
            assert leaf.formula is not None
            expected = gradients(program, point).by[leaf.name]
            assert np.allclose(value_of(leaf.formula, known), expected), unparse(leaf.formula)


def test_derivatives_of_numbers_without_values_count_ties_too() -> None:
    program = parse_program(Source("amax(stack([relu(x), relu(y)]) + t*t)"))
    made_up = {"x": 0.4, "y": 0.3, "t": 0.2}
    (formula,) = (leaf.formula for leaf in explain_anywhere(program, made_up, {}, is_raw=True).leaves[2:])
    assert formula is not None
    assert value_of(formula, {"x": -1.0, "y": -2.0, "t": 1.5}) == 3
    (second,) = formulas_anywhere(program, made_up, {}, 2, mixed=False, is_raw=False, wrt=["t"])
    assert second.formula is not None
    assert value_of(second.formula, {"x": -1.0, "y": -2.0, "t": 1.5}) == 2


def test_what_holds_nowhere_else_is_refused() -> None:
    with pytest.raises(EvaluationError, match="the formula by x does not hold at all values"):
        first_that_holds(lambda turn: turn, lambda found, turn: "" if found == turn else "the formula by x")


JACOBIANS = {
    "tanh(W @ x + b)": {"W": ("m", "n"), "x": ("n",), "b": ("m",)},
    "X.T @ X*0.76": {"X": ("n", "d")},
    "amax(X*w, dim=0)": {"X": ("n", "d"), "w": ("d",)},
    "sum(x**2, dim=0, keepdim=True)": {"x": ("n",)},
}


@pytest.mark.parametrize("text", JACOBIANS)
@pytest.mark.parametrize("is_wrong", [False, True])
def test_maps_of_tensors_are_held_up_to_the_engine(text: str, is_wrong: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    right = total.over_variables

    def scaled(explanation: Explanation, most: int) -> dict[str, Expression | None]:
        found = right(explanation, most)
        return {name: tree and Binary("*", Number(1.001), tree) for name, tree in found.items()}

    dims = {name: Dims(sizes) for name, sizes in JACOBIANS[text].items()}
    options: dict[str, Any] = {"mixed": False, "wrt": None, "of": None, "is_raw": False}
    if not is_wrong:
        assert all(x.formula for x in formulas_at_any_size(parse_program(Source(text)), dims, {}, 1, **options))
        return
    monkeypatch.setattr(total, "over_variables", scaled)
    with pytest.raises(EvaluationError, match="depends on the sizes"):
        formulas_at_any_size(parse_program(Source(text)), dims, {}, 1, **options)
