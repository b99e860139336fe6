"""Operations that torch takes several nodes for: one row where they are read, every node where they are counted."""

from __future__ import annotations

import pytest

from gradcli.explanation.build import explain
from gradcli.explanation.folding import folded
from gradcli.explanation.model import Explanation
from gradcli.language.parser import parse_program
from gradcli.language.unparser import unparse
from gradcli.render.documents.explanation import explanation_document
from gradcli.source import Source

MATRIX, VECTOR = [[1.0, 2.0], [3.0, 4.0]], [0.5, -1.0]
WRITTEN = {  # the operation, and its rules by input
    "x @ M": {"x": "g @ M.T", "M": "outer(x, g)"},
    "linear(x, M)": {"x": "g @ M", "M": "outer(g, x)"},
    "linear(x, M, y)": {"x": "g @ M", "M": "outer(g, x)", "y": "g"},
    "linear(M, N, y)": {"M": "g @ N", "N": "g.T @ M", "y": "sum(g, dim=0)"},
    "einsum('ij,jk->ik', M, N)": {"M": "einsum('ik,jk->ij', g, N)", "N": "einsum('ij,ik->jk', M, g)"},
}


def explained(text: str) -> Explanation:
    values = {"x": VECTOR, "y": VECTOR, "M": MATRIX, "N": MATRIX}
    used = {name: value for name, value in values.items() if name in text.replace("einsum", "")}
    return explain(parse_program(Source(f"sum({text})")), used)


@pytest.mark.parametrize("text", WRITTEN)
def test_one_row_for_what_was_written(text: str) -> None:
    explanation = explained(text)
    (row, _) = (node for node in folded(explanation).nodes if node.kind == "op")
    assert (row.name, unparse(row.expression)) == ("v1", text)
    assert {local.input: unparse(local.rule) for local in row.locals} == WRITTEN[text]
    assert row.grad_fn in ("MmBackward0", "AddmmBackward0", "BmmBackward0", "MvBackward0")


@pytest.mark.parametrize("text", WRITTEN)
def test_the_document_has_every_node_and_says_which_were_inserted(text: str) -> None:
    nodes = explanation_document(explained(text))["nodes"]
    inserted = [node for node in nodes if node["inserted"]]
    assert inserted
    assert {node["part_of"] for node in inserted} == {"v1"}
    assert all(node["name"].startswith("v1_") for node in inserted)
    (whole,) = (node["whole"] for node in nodes if node["whole"])
    assert whole["expression"] == text


def test_what_computes_twice_is_two_rows() -> None:
    explanation = explain(parse_program(Source("cross_entropy(z, 1)")), {"z": [1.0, 2.0, 3.0]})
    assert folded(explanation) is explanation
    assert [node.name for node in explanation.nodes if node.kind == "op"] == ["v1", "v2"]


@pytest.mark.parametrize("program", ["sum(cov(A))", "sum(matrix_power(A, 2))"])
def test_an_operand_that_stands_there_twice_is_two_inputs(program: str) -> None:
    explanation = folded(explain(parse_program(Source(program)), {"A": MATRIX}))
    (product,) = (node for node in explanation.nodes if [local.use for local in node.locals] == [1, 2])
    assert [local.input for local in product.locals] == list(product.inputs)
