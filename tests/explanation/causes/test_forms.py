"""Forms that keep digits are named where digits are lost, and only there."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from gradcli.explanation.build import explain
from gradcli.explanation.evaluate import evaluate
from gradcli.language.parser import parse_program
from gradcli.source import Source

FORMS = [
    ("log(sigmoid(x))", "logsigmoid(x)", -1000, 1),
    ("log(softmax(x, dim=0))", "log_softmax(x, dim=0)", [-800, 0], [1, 2]),
    ("log(softmax(x, 1))", "log_softmax(x, dim=1)", [[-800, 0]], [[1, 2]]),
    ("log(sum(exp(x)))", "logsumexp(x, dim=0)", [1000, 1], [1, 2]),
    ("log(sum(exp(x)))", "logsumexp(x, dim=(0, 1))", [[1000, 1]], [[1, 2]]),
    ("log(sum(exp(x), dim=1, keepdim=True))", "logsumexp(x, dim=1, keepdim=True)", [[-1000, -1001]], [[1, 2]]),
    ("log(1 + x)", "log1p(x)", 1e-12, 1),
    ("log(x + 1)", "log1p(x)", -1e-14, 1),
    ("log(1 - x)", "log1p(-x)", 1e-12, 0.5),
    ("log(1 + exp(x))", "softplus(x)", 1000, 1),
    ("log(1 - sigmoid(x))", "logsigmoid(-x)", 1000, 1),
    ("log(1 - sigmoid(x))", "logsigmoid(-x)", [40, 0], [2, 0]),
    ("log(exp(x) + exp(2*x))", "logaddexp(x, v2)", 1000, 1),
    ("log(exp(x[0]) + exp(x[1]) + exp(x[2]))", "logaddexp(logaddexp(v1, v3), v6)", [-1000, -1000, -1001], [1, 2, 3]),
    ("exp(x) - 1", "expm1(x)", 1e-12, 1),
    ("1 - exp(x)", "-expm1(x)", 1e-12, 1),
    ("exp(x)/sum(exp(x))", "softmax(x, dim=0)", [1000, 0], [1, 2]),
]


def unstable(program: str, x: Any) -> list[str]:
    """The messages about forms that lose digits."""
    parsed = parse_program(Source(program))
    output = evaluate(parsed, {"x": x}, dtype=np.dtype(np.float64)).output
    assert output is not None
    notes = explain(parsed, {"x": x}, upstream=np.ones(output.shape)).notes
    return [note.message for note in notes if note.code == "unstable"]


@pytest.mark.parametrize(("program", "better", "lost", "kept"), FORMS)
def test_a_form_that_keeps_digits_is_named_where_it_matters(program: str, better: str, lost: Any, kept: Any) -> None:
    (message,) = unstable(program, lost)
    assert message.endswith(f"has lost its digits here: write {better}, which is exact")
    assert unstable(program, kept) == []
