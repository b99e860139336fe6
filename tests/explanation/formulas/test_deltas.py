"""Gradients of networks over δ, as textbooks write them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from gradcli.explanation.build import explain
from gradcli.explanation.formulas.simplified import simplified
from gradcli.explanation.model import Explanation
from gradcli.explanation.values import value_of
from gradcli.language.parser import parse_program
from gradcli.language.tree import Name, postorder
from gradcli.language.unparser import unparse
from gradcli.source import Source

SHAPES = {"X": (4, 2), "W1": (2, 3), "b1": (3,), "W2": (3, 3), "b2": (3,), "W3": (3, 2), "Y": (4, 2)}
NETWORKS = {
    "h = tanh(X @ W1); loss = sum((h @ W2 @ W3 - Y)**2)": 2,
    "h = relu(X @ W1 + b1); loss = mse_loss(h @ W2 @ W3, Y)": 3,
    "h = sigmoid(X @ W1 + b1); k = relu(h @ W2 + b2); loss = cross_entropy(k @ W3, [0, 1, 1, 0])": 3,
    "h = X @ W1; k = h + relu(h @ W2); loss = mean((k @ W3 - Y)**2)": 3,
    "loss = mean((X @ W1 @ W3 - Y)**2)": 1,
    "loss = sum(X @ W1)": 0,
    "loss = sum(tanh(X)*sin(X)*exp(X))": 0,
}


def explained(text: str) -> Explanation:
    program = parse_program(Source(text))
    draws = np.random.default_rng(1)
    used = {name: draws.normal(size=shape) for name, shape in SHAPES.items() if name in text}
    return simplified(explain(program, used, wrt=[name for name in used if name not in "XY"] or None))


@pytest.mark.parametrize(("text", "count"), NETWORKS.items())
def test_every_delta_recurs_and_holds(text: str, count: int) -> None:
    explanation = explained(text)
    formulas = [leaf.formula for leaf in explanation.leaves if leaf.formula is not None]
    names: dict[str, Any] = {node.id: node.value for node in explanation.nodes}
    for one in explanation.intermediates:
        names[one.name] = value_of(one.expression, names)
    for one in explanation.deltas:
        users = [*formulas, *(other.expression for other in explanation.deltas)]
        assert sum(part == Name(one.name) for user in users for part in postorder(user)) > 1, one.name
        np.testing.assert_allclose(names[one.name], explanation.node(str(one.gradient_of)).grad, rtol=1e-9, atol=1e-12)
    for leaf in explanation.leaves:
        assert leaf.formula is not None
        np.testing.assert_allclose(value_of(leaf.formula, names), leaf.gradient, rtol=1e-9, atol=1e-12)
    assert len(explanation.deltas) <= count


def test_two_layers_are_written_as_in_a_textbook() -> None:
    explanation = explained("h = relu(X @ W1); scores = h @ W3; loss = cross_entropy(scores, [0, 1, 1, 0])")
    assert {leaf.name: unparse(leaf.formula) for leaf in explanation.leaves if leaf.formula is not None} == {
        "W1": "X.T @ where(h > 0, δ @ W3.T, 0)",
        "W3": "h.T @ δ",
    }
    assert [unparse(one.expression) for one in explanation.deltas] == [
        "(softmax(scores, dim=1) - one_hot([0, 1, 1, 0], 2))/4"
    ]


def test_what_cancels_is_told_as_zero() -> None:
    program = parse_program(Source("sum(softmax(x, dim=0))"))
    explanation = simplified(explain(program, {"x": [1.0, 2.0, 3.0]}))
    (leaf,) = explanation.leaves
    assert leaf.gradient is not None
    assert np.all(leaf.gradient != 0)
    assert np.all(explanation.without_dust(leaf.node, leaf.gradient) == 0)
    assert [note.node for note in explanation.notes if note.code == "cancelled"] == ["x"]
