"""Why a gradient is None or 0: the operation that lets none through, and no other."""

from __future__ import annotations

import numpy as np
import pytest

from gradcli.explanation.build import explain
from gradcli.explanation.causes.infinities import stopped
from gradcli.language.parser import parse_program
from gradcli.source import Source

WHY = {
    "floor(x)*3": "floor(x) has the derivative 0",
    "detach(x)*2": "detach(x) passes no gradient on",
    "detach(x) + 0*x": "0*x has the derivative 0",
    "floor(x) + detach(x)": "floor(x) has the derivative 0",
    "(x > 1)*2.0": "x > 1 passes no gradient on",
    "floor(x)*x": "",
    "x*y - x*y": "",
    "where(x > 3, x, 0)": "",
    "x": "",
}


@pytest.mark.parametrize("program", WHY)
def test_the_operation_that_stops_a_gradient_is_named(program: str) -> None:
    explanation = explain(parse_program(Source(program)), {"x": 2.5} | ({"y": 1.5} if "y" in program else {}))
    leaf = explanation.leaves[0]
    assert stopped(leaf, explanation.nodes, explanation.output) == WHY[program]
    assert not WHY[program] or leaf.gradient is None or not np.any(leaf.gradient)
