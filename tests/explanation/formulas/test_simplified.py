"""The gradients as a person writes them: they are the gradients, at the point and elsewhere, and fit on a line."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

from gradcli.explanation.build import explain
from gradcli.explanation.formulas.simplified import LONG, LONGEST, simplified
from gradcli.explanation.model import Explanation
from gradcli.explanation.values import value_of
from gradcli.language.parser import parse_expression, parse_program
from gradcli.language.simplify.trees import length
from gradcli.language.tree import names
from gradcli.language.unparser import unparse
from gradcli.source import Source
from tests.programs import EXAMPLES, explained, family, listed_programs, of_every

TANH = "; ".join(f"h{n + 1} = tanh(W @ h{n} + U @ x)" for n in range(6)) + "; sum(h6)"
POINT = {"h0": [0.1, -0.2], "x": [0.5, 1], "W": [[0.5, -0.5], [0.25, 1]], "U": [[1, 0.5], [-1, 0.3]]}
ELSEWHERE = {"h0": [0.3, 0.7], "x": [-0.5, 0.2], "W": [[0.1, 0.4], [-0.6, 0.2]], "U": [[0.2, 1.5], [0.7, -0.3]]}


def at(program: str, point: dict[str, Any], **options: Any) -> Explanation:
    return simplified(explain(parse_program(Source(program)), point), **options)


def written(explanation: Explanation) -> dict[str, str]:
    return {leaf.name: unparse(leaf.formula) for leaf in explanation.leaves if leaf.formula is not None}


def names_of(program: str) -> frozenset[str]:
    return frozenset(re.findall(r"\w+", program)) - {x.target for x in parse_program(Source(program)).statements}


def codes(explanation: Explanation) -> list[str]:
    return [note.code for note in explanation.notes]


@pytest.mark.slow
@of_every(EXAMPLES + listed_programs(), family, 8)
def test_the_simplified_gradient_is_the_gradient(program: str) -> None:
    explanation = simplified(explained(program))
    for leaf in explanation.leaves:
        if leaf.formula is None or leaf.gradient is None:
            continue
        found = np.asarray(value_of(parse_expression(Source(unparse(leaf.formula))), explanation.point))
        if np.isfinite(leaf.gradient).all():
            scale = float(np.max(np.abs(leaf.gradient), initial=1.0))
            np.testing.assert_allclose(found, leaf.gradient, 1e-6, 1e-9 * scale, err_msg=unparse(leaf.formula))
        else:
            is_long = length(leaf.formula_raw) > LONG  # type: ignore[arg-type]
            assert is_long or np.array_equal(np.broadcast_to(found, leaf.gradient.shape), leaf.gradient, equal_nan=True)


def test_a_zero_stands_for_no_gradient_that_is_nan() -> None:
    assert written(at("log(x)*0", {"x": 0.0})) == {"x": "g_v1/x"}
    assert written(at("log(x)*0", {"x": 2.0})) == {"x": "0"}


def test_what_the_program_names_keeps_its_name() -> None:
    point = {"X": [[1.0, 2.0], [3.0, -1.0], [0.5, 2.0]], "w": [0.3, 0.2], "b": 0.1, "y": [1.0, 0.0, 1.0]}
    explanation = at("z = X @ w + b; p = sigmoid(z); -mean(y*log(p) + (1 - y)*log(1 - p))", point)
    found = written(explanation)
    assert (found["w"], found["b"]) == ("(X.T @ (p - y))/3", "sum(p - y)/3")
    assert {x.name: unparse(x.expression) for x in explanation.intermediates} == {"z": "X @ w + b", "p": "sigmoid(z)"}
    without_b = {name: value for name, value in point.items() if name != "b"}
    by_hand = written(at("p = sigmoid(X @ w); -mean(y*log(p) + (1 - y)*log(1 - p))", without_b))
    assert by_hand["w"] == "(X.T @ (p - y))/3"
    neuron = written(at("z = w*x + b; a = sigmoid(z); L = (a - y)**2", {"w": 0.8, "x": 1.5, "b": -0.4, "y": 1.0}))
    assert (neuron["w"], neuron["b"]) == ("2*x*a*(1 - a)*(a - y)", "2*a*(1 - a)*(a - y)")
    assert written(at("u = x**2 + 1; sin(u)*exp(u)", {"x": 0.3}))["x"] == "2*x*exp(u)*(sin(u) + cos(u))"
    assert written(at("s = x**2; p = s + 1; m = s - 1; q = p*m", {"x": 2.0}))["x"] == "4*x**3"


POINTS = {"x": 0.3, "y": 1.0, "p": 0.4, "m": 2.0, "v": 3.0, "z": [0.5, -1.0, 2.0]}
TAUGHT = {
    # program, variable: its derivative
    ("x*x", "x"): "2*x",
    ("x/x", "x"): "0",
    ("sqrt(x**2+1)", "x"): "x/sqrt(x**2 + 1)",
    ("exp(-x**2/2)", "x"): "-x*exp(-x**2/2)",
    ("(x**2+1)*(x**2-1)", "x"): "4*x**3",
    ("m*v**2/2", "v"): "m*v",
    ("x**3-2*x", "x"): "3*x**2 - 2",
    ("log(sigmoid(x))", "x"): "1 - sigmoid(x)",
    ("sigmoid(x)", "x"): "sigmoid(x)*(1 - sigmoid(x))",
    ("tanh(x)", "x"): "1 - tanh(x)**2",
    ("p = sigmoid(x); -y*log(p) - (1 - y)*log(1 - p)", "x"): "p - y",
    ("log(1 + exp(x)) - y*x", "x"): "sigmoid(x) - y",
    ("cross_entropy(z, 2)", "z"): "softmax(z) - one_hot(2, 3)",
}


@pytest.mark.parametrize(("program", "variable"), TAUGHT)
def test_derivatives_are_those_that_courses_teach(program: str, variable: str) -> None:
    used = names_of(program)
    explanation = at(program, {name: value for name, value in POINTS.items() if name in used})
    assert written(explanation)[variable] == TAUGHT[program, variable]


def test_a_long_gradient_stays_in_named_intermediates() -> None:
    explanation = at(TANH, POINT)
    assert all(len(text) < 250 for text in written(explanation).values())
    assert all(length(leaf.formula) <= LONG for leaf in explanation.leaves)  # type: ignore[arg-type]
    order = [x.name for x in explanation.intermediates]
    for position, x in enumerate(explanation.intermediates):
        below = names(x.expression) - POINT.keys()
        assert below <= set(order[:position]), f"{x.name} is computed from what comes before"
    used = set().union(*(names(leaf.formula) for leaf in explanation.leaves))  # type: ignore[arg-type]
    assert used <= {*POINT, *order}


def test_intermediates_hold_elsewhere() -> None:
    """The formulas are a program: at another point it computes the gradients there."""
    explanation, there = at(TANH, POINT), at(TANH, ELSEWHERE)
    values: dict[str, Any] = {name: np.array(value, float) for name, value in ELSEWHERE.items()}
    for x in explanation.intermediates:
        values[x.name] = value_of(x.expression, values)
    for leaf, other in zip(explanation.leaves, there.leaves, strict=True):
        assert leaf.formula is not None
        np.testing.assert_allclose(value_of(leaf.formula, values), other.gradient, rtol=1e-12)


def test_where_the_gradient_is_not_finite_the_raw_formula_stands() -> None:
    explanation = at("x/x", {"x": 0.0})
    (leaf,) = explanation.leaves
    assert leaf.formula == leaf.formula_raw
    assert written(at("x/x", {"x": 0.0}, at_any_point=True)) == {"x": "0"}
    assert "raw" not in codes(explanation), "the notes tell the cause"


def test_where_the_simplified_formula_overflows_the_raw_one_stands() -> None:
    explanation = at("exp(x/2)*exp(x/2)*exp(-x)*y", {"x": 1400.0, "y": 1.0})
    assert codes(explanation)
    for leaf in explanation.leaves:
        assert leaf.formula is not None
        found = np.asarray(value_of(leaf.formula, explanation.point))
        np.testing.assert_equal(found, leaf.gradient)


@pytest.mark.slow
@pytest.mark.parametrize("count", [450, 3000])
def test_a_long_program_is_left_in_peace(count: int) -> None:
    program = "; ".join(["y0 = x", *(f"y{n + 1} = y{n}*x" for n in range(count))])
    explanation = at(program, {"x": 1.0})
    assert explanation.intermediates == ()
    assert all(leaf.formula is None or length(leaf.formula) <= LONGEST for leaf in explanation.leaves)
