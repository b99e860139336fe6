"""What courses write by hand has the gradient that their textbooks have."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product

import numpy as np
import pytest

from gradcli.explanation.build import explain
from gradcli.explanation.formulas.simplified import simplified
from gradcli.explanation.model import Explanation
from gradcli.explanation.values import placeholders
from gradcli.language.parser import parse_program
from gradcli.language.unparser import unparse
from gradcli.source import Source

POINT = {
    "A": [[1.0, 2.0], [3.0, 4.0]],
    "X": [[1.0, 2.0], [0.0, 1.0], [1.0, 1.0]],
    "W": [[0.1, 0.2, 0.3], [-0.1, 0.0, 0.4]],
    "Y": [[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, 1.0, 0.0]],
    "x": [1.0, 2.0, 4.0],
    "c": [1.0, -1.0, 2.0],
    "w": [[[1.0, 0.0, -1.0]]],
    "u": [[[1.0, 2.0, 0.0, -1.0, 3.0]]],
}
SOFTMAX = [
    "P = softmax(s, dim=1)",
    "e = exp(s); P = e/sum(e, dim=1, keepdim=True)",
    "e = exp(s); P = e/unsqueeze(sum(e, dim=1), 1)",
    "P = exp(s)/sum(exp(s), dim=1, keepdim=True)",
    "m = amax(s, dim=1, keepdim=True); e = exp(s - m); P = e/sum(e, dim=1, keepdim=True)",
    "P = exp(log_softmax(s, dim=1))",
    "P = exp(s - logsumexp(s, dim=1, keepdim=True))",
]
LOSSES = ["loss = -sum(Y*log(P))/3", "loss = -mean(sum(Y*log(P), dim=1))", "loss = mean(-sum(Y*log(P), dim=1))"]
FORMULAS = {
    ("m = max(x); L = m + log(sum(exp(x - m)))", "x"): "softmax(x)",
    ("m = mean(x); v = mean((x - m)**2); L = sum(c*(x - m)/sqrt(v))", "c"): "(x - m)/sqrt(v)",
    ("f = trace(A.T @ A) + 3*sum(diag(A))", "A"): "3*eye(2, 2) + 2*A",
    ("f = sum(diag(A)**2)", "A"): "2*diag(diag(A))",
    ("y = conv1d(u, w); L = sum(relu(y)**2)", "u"): "conv_transpose1d(2*relu(y), w)",
    ("y = conv1d(u, w); L = sum(relu(y)**2)", "w"): "conv1d(u, 2*relu(y))",
}


def explained(text: str, point: Mapping[str, object] = POINT, wrt: Sequence[str] | None = None) -> Explanation:
    program = parse_program(Source(text))
    used = {name: point[name] for name in placeholders(program, {}) if name in point}
    return simplified(explain(program, used, wrt=wrt))


def formula(explanation: Explanation, name: str) -> str:
    return next(unparse(leaf.formula) for leaf in explanation.leaves if leaf.name == name and leaf.formula is not None)


@pytest.mark.parametrize(("shares", "loss"), [*product(SOFTMAX, LOSSES)])
def test_cross_entropy_gives_shares_less_targets(shares: str, loss: str) -> None:
    explanation = explained(f"s = X @ W; {shares}; {loss}")
    assert formula(explanation, "W") == "(X.T @ (P - Y))/3"
    assert formula(explanation, "X") == "((P - Y) @ W.T)/3"
    assert [note.node for note in explanation.notes if note.code == "target"] == ["Y"]


@pytest.mark.parametrize("shares", SOFTMAX)
def test_a_sum_of_targets_stands_where_it_is_not_1(shares: str) -> None:
    weighted = {**POINT, "Y": [[2.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, 1.0, 0.0]]}
    explanation = explained(f"s = X @ W; {shares}; {LOSSES[0]}", weighted)
    assert formula(explanation, "W") == "(X.T @ (P*sum(Y, dim=1, keepdim=True) - Y))/3"
    assert not [note for note in explanation.notes if note.code == "target"]


def test_a_weight_whose_entries_add_up_to_1_is_no_target() -> None:
    assert formula(explained("L = sum(x)**2", {"x": [0.5, 0.5]}), "x") == "expand(2*sum(x), (2,))"


@pytest.mark.parametrize("shares", SOFTMAX[:2])
def test_two_layers_by_hand_have_two_deltas(shares: str) -> None:
    point = {
        **{name: POINT[name] for name in "XY"},
        "W1": np.array([[0.1, 0.2], [0.5, -0.1]]),
        "b1": np.array([0.1, 0.0]),
        "W2": np.array([[1.0, 0.0, 0.5], [0.0, 1.0, -0.5]]),
    }
    explanation = explained(f"h = relu(X @ W1 + b1); s = h @ W2; {shares}; {LOSSES[0]}", point)
    assert {x.name: unparse(x.expression) for x in explanation.deltas} == {
        "δ1": "(P - Y)/3",
        "δ2": "where(h > 0, δ1 @ W2.T, 0)",
    }
    assert formula(explanation, "W1") == "X.T @ δ2"
    assert formula(explanation, "W2") == "h.T @ δ1"
    assert formula(explanation, "b1") == "sum(δ2, dim=0)"
    assert formula(explanation, "Y") == "-log(P)/3"


@pytest.mark.parametrize(("case", "written"), FORMULAS.items())
def test_formulas(case: tuple[str, str], written: str) -> None:
    text, name = case
    assert formula(explained(text), name) == written


def test_deviations_from_a_mean_add_up_to_0() -> None:
    """The gradient of a normalised vector has no term for the sum of the deviations."""
    text = formula(explained("m = mean(x); v = mean((x - m)**2); L = sum(c*(x - m)/sqrt(v))"), "x")
    assert "sum(x - m)" not in text
    assert "sum(x)" not in text
