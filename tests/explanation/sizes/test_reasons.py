"""Why a rule holds is said for shapes without numbers, too, in the names of sizes."""

from __future__ import annotations

import pytest

from gradcli.explanation.chain.links import trace
from gradcli.explanation.sizes.generic import explain_at_any_size
from gradcli.explanation.sizes.merging import Dims
from gradcli.language.parser import parse_program
from gradcli.render.latex.pages import derivations
from gradcli.render.lesson.reasons import reason
from gradcli.render.lesson.terms import Terms
from gradcli.render.lesson.trace import trace_document
from gradcli.render.text.looks import Looks
from gradcli.source import Source

SAID = {
    "mean((X @ w)**2)": [
        "v1[i] = Σj X[i,j]·w[j], so ∂v3/∂X[i,j] = g[i]·w[j]",
        "v1[i] = Σj X[i,j]·w[j], so ∂v3/∂w[j] = Σi X[i,j]·g[i]",
        "v3 = (Σi v2[i])/n, so ∂v3/∂v2[i] = g/n",
    ],
    "sum(X[0]*w)": [
        "v1[i] = X[0,i], so ∂v3/∂X[0,i] = g[i], 0 elsewhere",
        "v3 = Σi v2[i], so ∂v3/∂v2[i] = g",
    ],
}


@pytest.mark.parametrize("text", SAID)
def test_a_rule_holds_at_every_size(text: str) -> None:
    dims = {"X": Dims(("n", "d")), "w": Dims(("d",))}
    explanation = explain_at_any_size(parse_program(Source(text)), dims, {})
    locals = [local for node in explanation.nodes for local in node.locals if local.reason is not None]
    assert [reason(local, Terms(explanation, Looks()), in_full=False) for local in locals] == SAID[text]


def test_json_and_latex_say_it_too() -> None:
    dims = {"X": Dims(("n", "d")), "w": Dims(("d",))}
    explanation = explain_at_any_size(parse_program(Source("mean((X @ w)**2)")), dims, {})
    traces = [trace(explanation, name, None) for name in "Xw"]
    leaves = trace_document(explanation, traces)["leaves"]
    found = [why["gradient"] for leaf in leaves for line in leaf["lines"] for why in line["why"]]
    assert found == ["dL/dv2[i] = g/n", "dL/dX[i,j] = g[i]*w[j]", "dL/dv2[i] = g/n", "dL/dw[j] = sum_i X[i,j]*g[i]"]
    text = derivations(explanation, traces, why=True)
    assert r"\frac{\partial v_{3}}{\partial X_{i,j}} = g_{i} \cdot w_{j}" in text
