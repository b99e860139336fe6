"""The backward pass of the backward pass: its gradients are the second derivatives, and Newton's step is theirs."""

from __future__ import annotations

import pytest

from gradcli.errors import UsageError
from gradcli.explanation.build import explain
from gradcli.explanation.second import newton, twice
from gradcli.language.parser import parse_program
from gradcli.language.tree import names
from gradcli.source import Source

SECOND = {  # by program and point: the second derivatives, row by row
    ("s=x**2; p=s+1; m=s-1; q=p*m", (("x", 2.0),)): [[48.0]],
    ("x**2*y + y**3", (("x", 1.0), ("y", 2.0))): [[4.0, 2.0], [2.0, 12.0]],
    ("exp(x)*y - 3", (("x", 0.0), ("y", 2.0))): [[2.0, 1.0], [1.0, 0.0]],
    ("relu(w*2)**2 + c", (("w", 3.0), ("c", 1.0))): [[8.0, 0.0], [0.0, 0.0]],
    ("x/y", (("x", 1.0), ("y", 2.0))): [[0.0, -0.25], [-0.25, 0.25]],
    ("sum(x*[1, 2]**2)*x", (("x", 3.0),)): [[10.0]],
    ("3*x", (("x", 2.0),)): [[0.0]],
}


@pytest.mark.parametrize(("text", "point"), SECOND)
def test_second_derivatives(text: str, point: tuple[tuple[str, float], ...]) -> None:
    first = explain(parse_program(Source(text)), dict(point))
    seconds = twice(first)
    rows = [[leaf.gradient or 0.0 for leaf in one.leaves] for one in seconds]
    assert rows == [pytest.approx(row) for row in SECOND[text, point]]
    for one, leaf in zip(seconds, first.leaves, strict=True):
        assert one.value == pytest.approx(leaf.gradient)
        assert {node.name for node in one.variables} - {one.output} <= dict(point).keys(), "a number became a variable"
        for formula in (leaf.formula for leaf in one.leaves if leaf.formula is not None):
            assert names(formula) <= dict(point).keys()


def test_newton_reaches_the_minimum_of_a_parabola() -> None:
    first = explain(parse_program(Source("(x - 3)**2 + x*y + y**2")), {"x": 1.0, "y": 1.0})
    assert [step.after for step in newton(first, twice(first))] == pytest.approx([4.0, -2.0])


@pytest.mark.parametrize("text", ["3*x", "expm1((x/0.469/(x/3))**1.5) + 0.51*x"])  # in one of which rounding is left
def test_newton_has_no_step_where_the_second_derivative_is_0(text: str) -> None:
    flat = explain(parse_program(Source(text)), {"x": 0.5})
    assert [step.after for step in newton(flat, twice(flat))] == [None]


@pytest.mark.parametrize(("text", "x"), [("sum(x**2)", [1.0, 2.0]), ("+".join(f"x{n}" for n in range(9)), 1.0)])
def test_tensors_and_many_variables_are_refused(text: str, x: object) -> None:
    with pytest.raises(UsageError):
        twice(explain(parse_program(Source(text)), dict.fromkeys(["x"] if "(" in text else text.split("+"), x)))


def test_a_gradient_that_is_that_of_another_node_has_one_name() -> None:
    first = explain(parse_program(Source("5*(y - x**2)**2")), {"x": -1.0, "y": 2.0})
    assert [second.output for second in twice(first)] == ["v4_y", "v4_x"]
    assert "v4_y = v4_" not in twice(first)[0].program
