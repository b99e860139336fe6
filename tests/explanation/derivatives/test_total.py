"""Jacobians, Hessians and higher derivatives: numbers against differences, formulas against numbers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

from gradcli.errors import EvaluationError
from gradcli.explanation.build import explain
from gradcli.explanation.derivatives.total import derivatives, formulas, with_jacobians
from gradcli.explanation.values import value_of
from gradcli.language.parser import parse_program
from gradcli.language.tree import Program
from gradcli.language.unparser import unparse
from gradcli.source import Source

A = np.array([[1.0, -0.5], [0.25, 2.0], [-1.5, 0.75]])
SQUARE = np.array([[1.0, -0.5], [0.25, 2.0]])
CASES: dict[str, Mapping[str, Any]] = {
    "x**3*y": {"x": 2.0, "y": 3.0},
    "v = sin(x)*y; exp(v) + y**2": {"x": 0.5, "y": 1.5},
    "A @ x": {"A": A, "x": np.array([0.5, -1.0])},
    "x @ S @ x": {"S": SQUARE, "x": np.array([0.5, -1.0])},
    "sum(tanh(A @ x))": {"A": A, "x": np.array([0.5, -1.0])},
    "softmax(x)": {"x": np.array([0.5, -1.0, 0.25])},
    "mean((A @ x - y)**2)": {"A": A, "x": np.array([0.5, -1.0]), "y": np.array([1.0, 0.0, 2.0])},
    "sum(x**2)*y": {"x": np.array([0.5, -1.0]), "y": 3.0},
    "[x*y, sin(x), 3*y]": {"x": 0.5, "y": 3.0},
    "sin(y)*x": {"x": np.array([0.5, -1.0]), "y": 3.0},
    "2*y + x*0": {"x": np.array([0.5, -1.0]), "y": 3.0},
}
EVERY = pytest.mark.parametrize("text", CASES)


def program(text: str) -> Program:
    return parse_program(Source(text))


def moved(text: str, name: str, step: Any) -> dict[str, Any]:
    return {**CASES[text], name: CASES[text][name] + step}


@EVERY
@pytest.mark.parametrize("order", [1, 2])
def test_numbers_are_slopes_of_the_order_below(text: str, order: int) -> None:
    point = CASES[text]
    for found in derivatives(program(text), point, order, mixed=True):
        *before, by = found.by
        x = np.asarray(point[by])
        for place in np.ndindex(x.shape):
            step = np.zeros(x.shape)
            step[place] = 1e-6
            ends = [below(text, moved(text, by, sign * step), before) for sign in (1, -1)]
            slope = (ends[0] - ends[1]) / 2e-6
            np.testing.assert_allclose(np.asarray(found.value)[(..., *place)], slope, rtol=1e-6, atol=1e-7)


def below(text: str, point: Mapping[str, Any], by: list[str]) -> Any:
    if not by:
        return np.asarray(value_of(program(text).statements[-1].value, {**point, **computed(text, point)}))
    found = derivatives(program(text), point, 1, mixed=False)
    return next(np.asarray(one.value) for one in found if [*one.by] == by)


def computed(text: str, point: Mapping[str, Any]) -> dict[str, Any]:
    return {node.name: node.value for node in explain_all(text, point).nodes}


def explain_all(text: str, point: Mapping[str, Any]) -> Any:
    ones = derivatives(program(text), point, 1, mixed=False)[0]
    shape = np.shape(ones.value)[: np.ndim(ones.value) - np.ndim(point[ones.by[0]])]
    return explain(program(text), point, upstream=np.ones(shape) if shape else None)


@EVERY
@pytest.mark.parametrize("order", [1, 2])
def test_formulas_are_the_numbers(text: str, order: int) -> None:
    """A formula is the number; with upstream gradients it is that, summed with these over what they belong to."""
    point = CASES[text]
    draw = np.random.default_rng(7)
    numbers = derivatives(program(text), point, order, mixed=True)
    written = formulas(program(text), point, order, mixed=True)
    assert [one.by for one in numbers] == [one.by for one in written]
    for number, formula in zip(numbers, written, strict=True):
        value, at = np.asarray(number.value), dict(point)
        shape = value.shape
        sizes = [np.shape(point[name]) for name in formula.by]
        lead = shape[: len(shape) - sum(map(len, sizes))]
        for one in [lead, *sizes[:-1]]:
            if one and formula.upstreams:
                weight = draw.normal(size=one)
                name = next(x for x in ("upstream", "upstream_2") if x not in at)
                at[name] = weight
                value = np.tensordot(weight, value, len(one))
        assert formula.formula is not None
        found = value_of(formula.formula, at)
        np.testing.assert_allclose(np.broadcast_to(found, value.shape), value, rtol=1e-9, atol=1e-12)


def test_a_derivative_has_its_limits() -> None:
    with pytest.raises(EvaluationError, match="has 1,000,000 entries"):
        derivatives(program("x*2"), {"x": np.ones(1000)}, 1, mixed=False)


@EVERY
def test_a_local_jacobian_times_a_gradient_is_the_rule(text: str) -> None:
    explanation = with_jacobians(explain_all(text, CASES[text]))
    point, shown = {node.id: node.value for node in explanation.nodes}, 0
    for node in explanation.nodes:
        g = np.random.default_rng(3).normal(size=node.shape)
        for local in node.locals:
            if local.jacobian is not None:
                flow = value_of(local.rule, {**point, explanation.upstream_name: g})
                whole = np.broadcast_to(flow, np.shape(point[local.input]))
                np.testing.assert_allclose(np.ravel(g) @ local.jacobian, np.ravel(whole), atol=1e-12)
                shown += 1
    assert shown or not any(np.ndim(x) for x in CASES[text].values())


VECTOR, MATRIX = [0.5, -1.0, 2.0], [[1.0, 2.0, 0.5], [0.0, -1.0, 3.0]]


@pytest.mark.parametrize(
    ("text", "order", "expected"),
    [
        ("x*y", 1, "diag(y)"),
        ("A @ x", 1, "A"),
        ("tanh(A @ x)", 1, "diag(1 - tanh(A @ x)**2) @ A"),
        ("softmax(x, 0)", 1, "diag(softmax(x)) - outer(softmax(x), softmax(x))"),
        ("sum((A @ x)**2)", 2, "2*A.T @ A"),
        ("sum(x**3)", 2, "6*diag(x)"),
        ("x @ y", 2, "0"),
        ("x @ x", 2, "2*eye(3)"),
        ("exp(x)*sin(x*y)*y", 1, "diag(y*exp(x)*(y*cos(x*y) + sin(x*y)))"),
        ("x @ (A.T @ A @ x)", 2, "2*A.T @ A"),
    ],
)
def test_a_derivative_of_vectors_is_a_matrix(text: str, order: int, expected: str) -> None:
    point = {"x": np.array(VECTOR), "y": np.array(VECTOR), "A": np.array(MATRIX)}
    used = {name: value for name, value in point.items() if name in text.replace("tanh", "").replace("softmax", "")}
    (found,) = formulas(program(text), used, order, mixed=False, wrt=["x"])
    assert found.upstreams == ()
    assert found.formula is not None
    assert unparse(found.formula) == expected


@pytest.mark.parametrize("call", ["svd(A).S", "qr(A).R", "inverse(A)", "A @ A", "cholesky(A @ A.mT)"])
def test_batches_of_batches_in_single_precision(call: str) -> None:
    matrix = np.array([[[[2.0, 1.0], [1.0, 3.0]], [[1.0, 0.5], [0.0, 2.0]]]])
    (single,), (double,) = (
        derivatives(program(f"sum({call})"), {"A": matrix}, 2, mixed=False, dtype=dtype)
        for dtype in ("float32", "float64")
    )
    np.testing.assert_allclose(single.value, double.value, rtol=1e-3, atol=1e-4)
