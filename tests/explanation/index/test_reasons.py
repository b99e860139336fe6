"""Every rule that a page shows says why it holds, and the formulas of an operation as written give its rules."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from gradcli.engine.primitive import REGISTRY
from gradcli.explanation.folding import folded
from gradcli.explanation.index.tree import variables
from gradcli.explanation.model import Local, Node, Why
from gradcli.explanation.reference import sentence
from gradcli.language.unparser import unparse
from tests.programs import EXAMPLES, explained, family, listed_programs, of_every


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
            why, primitive = local.why, REGISTRY[node.op or ""]
            is_declared = (isinstance(primitive.index, str) and primitive.index) or primitive.differential
            if why is None and (node.is_whole or not is_declared):  # of several nodes of torch, or rarely looked at
                continue
            assert why is not None, f"a reason of {told}"
            assert bool(why.gradient) != bool(why.differential), told
            assert names_of(program).isdisjoint(letters_of(why)), told
