"""Every rule that a page shows says why it holds, and the formulas of an operation as written give its rules."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from gradcli.engine.primitive import REGISTRY
from gradcli.explanation.folding import folded
from gradcli.explanation.index.evaluation import evaluated
from gradcli.explanation.index.printing import Writer
from gradcli.explanation.index.tree import variables
from gradcli.explanation.model import Local, Node, Why
from gradcli.explanation.reference import sentence
from gradcli.explanation.values import value_of
from gradcli.explanation.wholes.arrangements import ArrangedReason
from gradcli.language.unparser import unparse
from tests.programs import EXAMPLES, explained, family, listed_programs, of_every

ARRANGED = [
    ("A = [[1, 2], [3, 4]]; B = [[1, 0.5], [2, 1]]; kron(A, B)", "A", "v1[2·i + j,2·k + l] = A[i,k]·B[j,l]"),
    ("x = [1, 2]; y = [3, 4]; vstack((x, y))", "y", "v1[1,j] = y[j]"),
    ("A = [[1, 2, 3], [4, 5, 6]]; A.T.reshape(6)", "v1", "v2[i] = v1.flat[i]"),
    ("A = [[1, 2], [3, 4]]; reshape(A.T, (4, 1))", "v1", "v2[i,0] = v1.flat[i]"),
    ("x = [[1, 3, 0, 2]]; max_pool1d(x, 2)", "x", "v1[c,j] = max over b<2 of x[c,2·j + b]"),
    ("x = [[1, 2], [3, 4]]; w = [[[0.5, -1], [2, 1]]]; conv1d(x, w)", "w", "v1[o,i] = Σc,a x[c,i + a]·w[o,c,a]"),
]  # fmt: skip


def edges(program: str) -> Iterator[tuple[Node, Local]]:
    """The edges of a program, in the nodes that torch takes and in the operations that were written."""
    explanation = explained(program)
    for node in {id(node): node for one in (explanation, folded(explanation)) for node in one.nodes}.values():
        for local in node.locals:
            yield node, local


def names_of(program: str) -> set[str]:
    return {node.name for node in explained(program).nodes}


def letters_of(why: Why) -> set[str]:
    """The index letters of a reason."""
    equations = (*why.forward, *([why.gradient] if why.gradient else []))
    return {name for one in equations for side in (one.left, one.right) for name in variables(side)}


def test_no_index_has_the_name_of_a_variable() -> None:
    program = "b = [1, 2]; i = [[1, 2], [3, 4]]; j = [[[5, 6], [7, 8]], [[1, 1], [0, 1]]]; sum(i @ j + b)"
    found = [local.why for _, local in edges(program) if local.formula is None]
    assert all(why is not None and letters_of(why).isdisjoint({"b", "i", "j"}) for why in found)


@pytest.mark.slow
@of_every([*EXAMPLES, *listed_programs()], family, 4)
def test_every_rule_says_why(program: str) -> None:
    for node, local in edges(program):
        told = f"{unparse(node.expression)} by {local.input}"
        assert sentence(node), f"a sentence about {told}"
        if local.formula is None and "adjoint" not in REGISTRY[node.op or ""].traits:
            why = local.why
            assert why is not None, f"a reason of {told}"
            assert bool(why.gradient) != bool(why.differential), told
            assert names_of(program).isdisjoint(letters_of(why)), told


TWICE = [
    "A = [[1, 2], [3, -4]]; sum(kron(A, A)**2)",
    "A = [[1, 2, 3], [4, 5, 6]]; sum(kron(A, A)*2)",
    "x = [1, 2, -3]; sum(vstack((x, x))**2)",
]


@pytest.mark.slow
@of_every([*EXAMPLES, *listed_programs(), *TWICE], family, 4)
def test_the_formulas_of_an_operation_as_written_are_its_rules(program: str) -> None:
    """Also of one operand that is used twice, whose two parts are not mixed up."""
    explanation = explained(program)
    values = {node.id: node.value for node in explanation.nodes}
    for _, local in edges(program):
        reason = local.reason
        if isinstance(reason, ArrangedReason) and reason.gradient is not None and (found := reason.formulas):
            assert found.gradient is not None
            given = np.asarray(value_of(local.rule, {**values, explanation.upstream_name: reason.gradient}))
            value = evaluated(found.gradient, found.tensors, np.zeros(given.shape))
            np.testing.assert_allclose(value, given, rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize(("program", "input", "formula"), ARRANGED)
def test_entries_keep_the_places_that_the_user_knows(program: str, input: str, formula: str) -> None:
    (why,) = (
        local.why for node, local in edges(program) if node.is_whole and local.input == input and node.name in formula
    )
    assert why is not None
    assert [Writer().equation(one) for one in why.forward] == [formula]
