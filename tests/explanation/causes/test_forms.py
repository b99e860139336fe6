"""Forms that keep digits are named where digits are lost, and only there."""

from __future__ import annotations

import re
from typing import Any

import mpmath
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from gradcli.explanation.build import explain
from gradcli.explanation.causes.forms import LOST
from gradcli.explanation.evaluate import evaluate
from gradcli.explanation.values import value_of
from gradcli.language.parser import parse_expression, parse_program
from gradcli.language.rewrite import substitute
from gradcli.language.unparser import unparse
from gradcli.source import Source
from tests.language.simplify.evaluation import NotFiniteError, value

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
    ("log(exp(x) + exp(2*x))", "logaddexp(x, 2*x)", 1000, 1),
    (
        "log(exp(x[0]) + exp(x[1]) + exp(x[2]))",
        "logaddexp(logaddexp(x[0], x[1]), x[2])",
        [-1000, -1000, -1001],
        [1, 2, 3],
    ),
    ("exp(x) - 1", "expm1(x)", 1e-12, 1),
    ("1 - exp(x)", "-expm1(x)", 1e-12, 1),
    ("exp(x)/sum(exp(x))", "softmax(x, dim=0)", [1000, 0], [1, 2]),
    ("exp(x)/sum(exp(x), 1, keepdim=True)", "softmax(x, dim=1)", [[1000, 0], [0, 1]], [[1, 2], [0, 1]]),
    ("1 - sigmoid(x)", "sigmoid(-x)", 40, 1),
    ("sigmoid(x) - 1", "-sigmoid(-x)", 40, 1),
    ("exp(x)/(1 + exp(x))", "sigmoid(x)", 1000, 1),
    ("1/(1 + exp(-x))", "sigmoid(x)", -1000, 1),
    ("exp(2*x)/sum(exp(2*x))", "softmax(2*x, dim=0)", [1000, 0], [1, 2]),
    ("log(1 - sigmoid(2*x))", "logsigmoid(-2*x)", 500, 1),
    ("1/(exp(x) + 1)", "sigmoid(-x)", 1000, 1),
]
OF_NUMBERS = [program for program, _, lost, _ in FORMS if not isinstance(lost, list)]
FAULT = re.compile(r"(has lost its digits|overflows on the way) here: write (.*), which is exact")
DIGITS = 900  # 1 - sigmoid(800) keeps a few hundred of them
BEYOND_FLOATS = mpmath.mpf("1e1000000")


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
    found = FAULT.search(message)
    assert found is not None
    assert found[2] == better
    assert unstable(program, kept) == []


@settings(max_examples=60)
@given(
    st.sampled_from(OF_NUMBERS),
    st.sampled_from(["x", "-x", "2*x", "x/2"]),
    st.floats(-14, 2.9),
    st.sampled_from([1, -1]),
)
def test_a_form_is_named_exactly_where_digits_are_lost(program: str, inner: str, size: float, sign: int) -> None:
    """The oracle computes with hundreds of digits and knows no overflow."""
    whole = substitute(parse_expression(Source(program)), {"x": parse_expression(Source(inner))})
    x = sign * 10**size
    try:
        true = value(whole, {"x": x}, BEYOND_FLOATS, DIGITS)
    except NotFiniteError:
        assume(False)
    assume(1e-300 < abs(true) < 1e300)
    notes = [note for note in unstable(unparse(whole), x) if note.startswith(f"{unparse(whole)} ")]
    apart = relative(value_of(whole, {"x": x}), true)
    if apart > 10 * LOST:
        assert notes, f"{unparse(whole)} at {x} is {apart} off"
    for note in notes:
        found = FAULT.search(note)
        assert found is not None
        better = parse_expression(Source(found[2]))
        assert apart > LOST / 10 or found[1] == "overflows on the way"
        assert relative(value_of(better, {"x": x}), true) < 1e-9
        assert mpmath.almosteq(value(better, {"x": x}, BEYOND_FLOATS, DIGITS), true, 1e-20)


def relative(found: Any, true: Any) -> float:
    return float(abs(mpmath.mpf(float(found)) - true) / abs(true)) if np.isfinite(found) else np.inf
