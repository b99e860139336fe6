"""Operations that torch takes several nodes for: one row where they are read, every node where they are counted."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradcli.explanation.build import explain
from gradcli.explanation.folding import folded
from gradcli.explanation.index.contractions import contraction
from gradcli.explanation.model import Explanation
from gradcli.explanation.values import value_of
from gradcli.language.parser import parse_program
from gradcli.render.documents.explanation import explanation_document
from gradcli.render.lesson.reasons import reason
from gradcli.render.lesson.terms import Terms
from gradcli.render.text.looks import Looks
from gradcli.source import Source

MATRIX, VECTOR = [[1.0, 2.0], [3.0, 4.0]], [0.5, -1.0]
WRITTEN = {  # the operation, and its rules by input
    "x @ M": {"x": "g @ M.T", "M": "outer(x, g)"},
    "linear(x, M)": {"x": "g @ M", "M": "outer(g, x)"},
    "linear(x, M, y)": {"x": "g @ M", "M": "outer(g, x)", "y": "g"},
    "linear(M, N, y)": {"M": "g @ N", "N": "g.T @ M", "y": "sum(g, dim=0)"},
    "einsum('ij,jk->ik', M, N)": {"M": "g @ N.T", "N": "M.T @ g"},
    "einsum('i,ij,j->', x, M, y)": {"x": "g*(M @ y)", "M": "g*outer(x, y)", "y": "g*(x @ M)"},
    "einsum('ij,kl->ijkl', M, N)": {"M": "einsum('ijkl,kl->ij', g, N)", "N": "einsum('ijkl,ij->kl', g, M)"},
    "T @ M": {"T": "g @ M.T", "M": "sum(T.mT @ g, dim=0)"},
    "T @ x": {"T": "einsum('bi,j->bij', g, x)", "x": "einsum('bi,bij->j', g, T)"},
    "linear(T, M, y)": {"T": "g @ M", "M": "sum(g.mT @ T, dim=0)", "y": "sum(g, dim=(0, 1))"},
    "outer(x, y)": {"x": "g @ y", "y": "g.T @ x"},
    "1/x": {"x": "-g/x**2"},
    "softsign(x)": {"x": "g/(abs(x) + 1)**2"},
    "M[0, 1]": {"M": "index_backward(g, 0, 1, shape=(2, 2), dims=(0, 1))"},
    "cross_entropy(x, 1)": {"x": "g*(softmax(x) - one_hot(1, 2))"},
    "cross_entropy(M, [1, 0])": {"M": "g*(softmax(M, dim=1) - one_hot([1, 0], 2))/2"},
}


def explained(text: str) -> Explanation:
    values = {"x": VECTOR, "y": VECTOR, "M": MATRIX, "N": MATRIX, "T": [MATRIX, MATRIX]}
    used = {name: value for name, value in values.items() if re.search(rf"\b{name}\b", text)}
    return explain(parse_program(Source(f"sum({text})")), used)


@pytest.mark.parametrize("text", WRITTEN)
def test_the_document_has_every_node_and_says_which_were_inserted(text: str) -> None:
    nodes = explanation_document(explained(text))["nodes"]
    inserted = [node for node in nodes if node["inserted"]]
    assert inserted
    assert {node["part_of"] for node in inserted} == {"v1"}
    assert all(node["name"].startswith("v1_") for node in inserted)
    (whole,) = (node["whole"] for node in nodes if node["whole"])
    assert whole["expression"] == text


LETTERS = st.text("ijkb", min_size=1, max_size=3).filter(lambda text: len(set(text)) == len(text))


@given(st.lists(LETTERS, min_size=2, max_size=3), st.data())
def test_the_rules_of_any_product_are_those_of_numpy(terms: list[str], data: st.DataObject) -> None:
    """A rule is the sum that `einsum` does with the gradient in place of the operand."""
    result = "".join(data.draw(st.permutations(sorted(set("".join(terms))))))[: data.draw(st.integers(0, 4))]
    size = {"i": 2, "j": 3, "k": 4, "b": 5}
    values = {
        name: np.random.default_rng(1).normal(size=[size[x] for x in term])
        for name, term in zip("xyz", terms, strict=False)
    }
    shapes = {name: value.shape for name, value in values.items()}
    text = f"einsum('{','.join(terms)}->{result}', {', '.join(values)})"
    found = contraction(parse_program(Source(text)).statements[0].value, shapes)
    g = np.random.default_rng(2).normal(size=[size[x] for x in result])
    for place, name in enumerate(values if found else ()):
        others = {"g": (g, result)} | {
            one: (values[one], term) for one, term in zip(values, terms, strict=True) if one != name
        }
        expected = np.einsum(
            f"{','.join(x for _, x in others.values())}->{found.terms[place][1]}", *(x for x, _ in others.values())
        )
        np.testing.assert_allclose(value_of(found.rule(place, "g"), {**values, "g": g}), expected, atol=1e-9)


@pytest.mark.parametrize(
    "text", ["outer(x, x)", "einsum('ij,kj->ik', M, M)", "einsum('ij,jk->ki', M, M)", "linear(M, M, x)"]
)
def test_a_tensor_that_is_two_factors_gets_each_contribution_by_its_own_rule(text: str) -> None:
    program = parse_program(Source(f"sum([[1, 2], [3, 5]]*{text})"))
    point = {
        name: value for name, value in {"x": VECTOR, "M": MATRIX}.items() if f"{name}," in text or f"{name})" in text
    }
    explanation = folded(explain(program, point))
    values = {node.id: node.value for node in explanation.nodes}
    for step in explanation.steps:
        contribution = value_of(step.rule, {**values, explanation.upstream_name: step.upstream})
        np.testing.assert_allclose(contribution, step.contribution)
    assert sum(step.node == explanation.steps[-1].node for step in explanation.steps) > 1


CROSS_ENTROPIES = [
    f"cross_entropy({scores}, {target}, reduction='{reduction}')"
    for scores, targets in (("x", ["1", "labels"]), ("M", ["[1, 0]", "rows"]))
    for target in targets
    for reduction in ("mean", "sum", "none")
]


@pytest.mark.parametrize("text", CROSS_ENTROPIES)
def test_one_rule_gives_all_that_comes_through_the_steps(text: str) -> None:
    values = {"x": VECTOR, "M": MATRIX}
    used = {name: value for name, value in values.items() if re.search(rf"\b{name}\b", text)}
    labels = "labels = 1; " * ("labels" in text) + "rows = [1, 0]; " * ("rows" in text)
    explanation = folded(explain(parse_program(Source(f"{labels}z = {text}; sum(z*z)")), used, wrt=[*used]))
    assert "z" in {node.name for node in explanation.nodes if node.whole}
    point = {node.id: node.value for node in explanation.nodes}
    of_whole = [step for step in explanation.steps if step.node == "z"]
    assert {step.input for step in of_whole} == used.keys()
    for step in of_whole:
        found = value_of(step.rule, {**point, explanation.upstream_name: step.upstream})
        np.testing.assert_allclose(np.broadcast_to(found, np.shape(step.contribution)), step.contribution, atol=1e-12)


WITHOUT_ONES = {
    "mse_loss(x, y)": "v1 = (Σi (x[i] - y[i])**2)/2, so ∂v2/∂x[i] = 2·(x[i] - y[i])·g/2",
    "ravel(M)": "v1[i] = M.flat[i], so ∂v2/∂M.flat[i] = g[i]",
    "roll(x, 1)": "v1[1 - i] = x[i], so ∂v2/∂x[i] = g[1 - i]",
    "pad(x, (1, 1))": "v1[i + 1] = x[i], so ∂v2/∂x[i] = g[i + 1]",
    "M[1:, 0]": "v1[0] = M[1,0], so ∂v2/∂M[1,0] = g[0], 0 elsewhere",
}


@pytest.mark.parametrize("text", WITHOUT_ONES)
def test_dimensions_that_torch_adds_are_not_in_the_index_formula(text: str) -> None:
    explanation = folded(explained(text))
    local, *_ = explanation.node("v1").locals
    assert reason(local, Terms(explanation, Looks()), in_full=False).startswith(WITHOUT_ONES[text])
