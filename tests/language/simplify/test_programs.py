"""The gradients of every example: simplified formulas have the value and the shape of the raw ones on the engine."""

from __future__ import annotations

import numpy as np
import pytest

from gradcli.explanation.values import value_of
from gradcli.language.parser import parse_expression
from gradcli.language.simplify.simplifier import simplify
from gradcli.language.simplify.trees import length
from gradcli.language.unparser import unparse
from gradcli.source import Source
from tests.programs import every_example, explained, listed_programs, some

PROGRAMS = {**every_example(), "programs": listed_programs()}


@pytest.mark.slow
@pytest.mark.parametrize("family", PROGRAMS)
def test_a_gradient_keeps_its_value_and_its_shape(family: str) -> None:
    for program in some(PROGRAMS[family], 8):
        explanation = explained(program)
        point = {node.name: node.value for node in explanation.nodes if node.kind == "leaf"}
        point["upstream"] = explanation.upstream
        shapes = {name: np.shape(x) for name, x in point.items()}
        for leaf in explanation.leaves:
            if leaf.formula is None:
                continue
            found = simplify(leaf.formula, shapes)
            text = unparse(found)
            assert length(found) <= length(leaf.formula), text
            assert parse_expression(Source(text)) == found
            assert unparse(simplify(found, shapes)) == text
            raw, short = np.asarray(value_of(leaf.formula, point)), np.asarray(value_of(found, point))
            assert short.shape == raw.shape, f"{program}: {text}"
            finite = np.isfinite(raw)
            np.testing.assert_allclose(short[finite], raw[finite], 1e-9, 1e-12, err_msg=f"{program}: {text}")
