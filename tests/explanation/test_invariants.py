"""What is printed is what was computed: the invariants of explanations, for every example and every listed program."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from gradcli.explanation.build import explain
from gradcli.explanation.folding import folded
from gradcli.explanation.model import Explanation
from gradcli.explanation.values import value_of
from gradcli.language.parser import parse_expression, parse_program
from gradcli.language.tree import Expression
from gradcli.language.unparser import unparse
from gradcli.source import Source
from tests.programs import EXAMPLES, SMOOTH, explained, family, listed_programs, of_every, run

EVERY = EXAMPLES + listed_programs()


def readings(program: str) -> list[Explanation]:
    """The explanation node by node, and in the operations that the program has where these are others."""
    explanation = explained(program)
    whole = folded(explanation)
    return [explanation] if whole is explanation else [explanation, whole]


def read_back(tree: Expression) -> Expression:
    """The tree that the printed text gives."""
    again = parse_expression(Source(unparse(tree)))
    assert again == tree
    return again


def close(found: Any, expected: Any, what: str) -> None:
    scale = float(np.max(np.abs(expected), initial=1.0, where=np.isfinite(expected)))
    np.testing.assert_allclose(np.asarray(found, np.float64), expected, rtol=1e-9, atol=1e-12 * scale, err_msg=what)


def values(explanation: Explanation) -> dict[str, Any]:
    return {node.id: node.value for node in explanation.nodes}


@pytest.mark.slow
@of_every(EVERY, family, 2)
def test_each_node_is_what_its_expression_says(program: str) -> None:
    for explanation in readings(program):
        names = values(explanation)
        assert names[explanation.output] is explanation.value
        for node in explanation.nodes:
            if node.kind == "op":
                close(value_of(read_back(node.expression), names), node.value, node.id)


@pytest.mark.slow
@of_every(EVERY, family, 2)
def test_each_contribution_is_its_printed_rule(program: str) -> None:
    for explanation in readings(program):
        names = values(explanation)
        for step in explanation.steps:
            if "==" in unparse(step.rule) and np.isnan(names[step.node]).any():
                continue  # the tie of nan with itself, which no equation can say
            found = value_of(read_back(step.rule), {**names, "g": step.upstream})
            found = np.broadcast_to(found, step.contribution.shape)
            close(found, step.contribution, f"{step.node} to {step.input}: {unparse(step.rule)}")


@of_every(EVERY, family, 2)
def test_each_local_derivative_is_its_printed_formula(program: str) -> None:
    for explanation in readings(program):
        names = values(explanation)
        for node in explanation.nodes:
            for local in node.locals:
                read_back(local.rule)
                if local.formula is not None:
                    found = value_of(read_back(local.formula), names)
                    assert local.value.shape == node.shape
                    close(np.broadcast_to(found, node.shape), local.value, f"{node.id} by {local.input}")


@of_every(EVERY, family, 2)
def test_contributions_sum_to_the_gradient(program: str) -> None:
    for explanation in readings(program):
        totals: dict[str, Any] = {explanation.output: explanation.upstream}
        for step in explanation.steps:
            np.testing.assert_array_equal(step.upstream, totals[step.node])  # complete before it flows on
            totals[step.input] = totals.get(step.input, 0) + step.contribution
            np.testing.assert_array_equal(step.total, totals[step.input])
        for node in explanation.nodes:
            if node.requires_grad:
                np.testing.assert_array_equal(node.grad, totals.get(node.id))


@of_every(SMOOTH, family, 2)
def test_the_printed_gradient_is_the_gradient(program: str) -> None:
    check_gradients(program)


def check_gradients(program: str) -> None:
    explanation = explained(program)
    point = {name: leaf.value for name, leaf in run(program).leaves.items()}
    assert [leaf.name for leaf in explanation.leaves] == list(point)
    for leaf in explanation.leaves:
        if leaf.formula is not None:
            found = value_of(read_back(leaf.formula), point)
            assert np.shape(found) == leaf.gradient.shape
            close(found, leaf.gradient, f"{leaf.name}: {unparse(leaf.formula)}")


NAMED = {
    "a number": ("c = 2*3; x*c", {"x": 2.0}),
    "a list": ("c = [1/2, 3]; x*c", {"x": 2.0}),
    "an output that is a list": ("y = [x, 2*x, 3]", {"x": 2.0}),
    "a variable called g": ("g*x + sum(g*[1, 2])", {"g": 2.0, "x": 3.0}),
    "a variable called g, twice": ("g = g0*2; g = g*g; sum(g[None]*3)", {"g0": 2.0}),
    "a tuple": ("s = (2, 3); expand(x, s)*2", {"x": 2.0}),
}


@pytest.mark.parametrize(("program", "given"), NAMED.values(), ids=NAMED)
def test_names_lead_to_nodes(program: str, given: dict[str, float]) -> None:
    """Whatever the user calls things, expressions and rules can be evaluated by the names of nodes."""
    explanation = explain(parse_program(Source(program)), given, upstream=run(program, given).upstream)
    names = values(explanation)
    assert explanation.upstream_name not in names
    assert [leaf.name for leaf in explanation.leaves] == list(given)
    for node in explanation.nodes:
        close(value_of(node.expression, {**given, **names}), node.value, node.id)
    for step in explanation.steps:
        found = value_of(step.rule, {**names, explanation.upstream_name: step.upstream})
        close(np.broadcast_to(found, step.contribution.shape), step.contribution, unparse(step.rule))
    for leaf in explanation.leaves:
        close(value_of(leaf.formula, given), leaf.gradient, leaf.name)
