"""Verdicts that can be trusted: never a false "disagrees", never a false "agrees", and a reason for each doubt."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from gradcli.errors import GradcliError
from gradcli.explanation.evaluate import evaluate
from gradcli.explanation.numeric.judge import Outcome
from gradcli.explanation.verify import Verification, verify
from gradcli.language.parser import parse_program
from gradcli.ops.pointwise.trigonometry import sin
from gradcli.source import Source
from tests.programs import EXAMPLES, family, of_every, run, some, upstream, wrong

SHAPES = [(0,), (0, 2), (2, 0), (2, 0, 2), (0, 0), (1, 0, 3, 0), (2, 1, 0)]
SCALES = (1e-12, -1e-6, 1e-3, 30.0, -1e3, 1e6, 1e12)
PLACES = (0.0, 1e-12, 1 - 1e-9, 1.0, -1 + 1e-12, 0.5, 3 + 1e-6)  # ends of domains, kinks, and beside them
JUMPS = ["x % 3", "x // 3", "ceil(x)", "round(x/4)", "threshold(x, 6, 3)"]
BENDS = ["relu6(x)", "hardtanh(x, 1, 6)", "clamp(x, max=6)", "prelu(x - 6, 0.25)"]
NOT_MEANT = ("eq(", "ne(")  # torch gives them a gradient of zeros


def verified(program: str, values: dict[str, Any], **options: Any) -> Verification:
    """A verification, with 1 as the gradient of each entry of the output."""
    parsed = parse_program(Source(program))
    output = evaluate(parsed, values, dtype=np.dtype(np.float64)).output
    assert output is not None
    return verify(parsed, values, upstream=np.ones(output.shape), **options)


@pytest.mark.parametrize(
    ("program", "x", "outcome", "reason"),
    [
        ("x**0.5", -1, Outcome.UNJUDGED, "0 < x"),
        ("x**2", 1e200, Outcome.UNJUDGED, "overflow"),
        ("log(x)", 1e-9, Outcome.AGREES, ""),
        ("exp(x)", 700, Outcome.AGREES, ""),
        ("relu(x)", 1e-9, Outcome.AGREES, ""),
        ("relu(x)", 0, Outcome.UNJUDGED, "kink"),
        ("relu(x - 1)", 1, Outcome.UNJUDGED, "kink"),
        ("abs(x)", 0, Outcome.UNJUDGED, "kink"),
        ("detach(x)*x", 3, Outcome.UNJUDGED, "detach(x)"),
        ("y = x.detach(); sin(y)*x", 3, Outcome.UNJUDGED, "detach()"),
        ("detach(x)*0 + x", 3, Outcome.AGREES, ""),
        ("sqrt(x)", 0, Outcome.UNJUDGED, "infinite"),
        ("sqrt(x)", 1e-300, Outcome.AGREES, ""),
        ("x**1.5", 0, Outcome.UNJUDGED, "domain"),
        ("sin(x)", 1e12, Outcome.AGREES, ""),
        ("sin(1e15*x)", 1, Outcome.UNJUDGED, "fast"),
        ("sin(x*1e8)", 1, Outcome.UNJUDGED, "turns within larger steps"),
        ("maximum(x, 1)", 1 + 1e-9, Outcome.UNJUDGED, "rounding"),
        ("floor(x)*x", 1000, Outcome.UNJUDGED, "convention"),
        ("tanh(x)", 15, Outcome.UNJUDGED, "rounding"),
        ("(1e20 + x) - 1e20", 3, Outcome.UNJUDGED, "rounding"),
        ("x % 3", 1e16, Outcome.UNJUDGED, "jumps"),
        ("floor(x)", 2.5, Outcome.AGREES, ""),
        *((program, 6, Outcome.UNJUDGED, "is at a jump") for program in JUMPS),
        *((program, 6, Outcome.UNJUDGED, "is at a kink") for program in BENDS),
        ("gelu(x)", -9, Outcome.AGREES, ""),
        ("gelu(x, approximate='tanh')", -8, Outcome.AGREES, ""),
        ("where(x > 0, log(x), 0.0)", 0, Outcome.UNJUDGED, "0 arrives"),
        ("x - x", 3, Outcome.AGREES, ""),
        ("exp(-x)", np.inf, Outcome.UNJUDGED, "from the start"),
        ("relu(-x)", np.inf, Outcome.UNJUDGED, "from the start"),
        ("where(x > 0, 1.0, x)", np.nan, Outcome.UNJUDGED, "from the start"),
        ("1/x", 5e-324, Outcome.UNJUDGED, "overflow"),
        ("x*1e-300", 5e-324, Outcome.AGREES, ""),
        ("1e308*x + x*0", 1, Outcome.AGREES, ""),
        ("exp(x)", 709.782712893384, Outcome.UNJUDGED, "overflow"),
        ("atanh(x)", 1 - 1e-12, Outcome.AGREES, ""),
    ],
)
def test_the_outcome_of_one_point(program: str, x: float, outcome: Outcome, reason: str) -> None:
    (row,) = verified(program, {"x": x}).rows
    assert (row.outcome, reason in row.reason) == (outcome, True), row


@pytest.mark.parametrize("program", ["asin(3*y**0)", "sum(log(floor([0.5, -3]*y)))"])
def test_an_operation_that_is_flat_passes_0_on_also_of_what_is_not_finite(program: str) -> None:
    """As in torch; the formula says the same, where `0*nan` would be nan."""
    row = verified(program, {"y": 1.0}).rows[-1]
    assert (row.engine, row.chain_rule, row.outcome) == (0, 0, Outcome.UNJUDGED)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("program", "x", "outcome", "reason"),
    [
        ("sum(x*x)", [1e-12, 3, 1e12], Outcome.AGREES, ""),
        ("sum(relu(x)*[1.0, 2.0])", [1e-9, -1e-9], Outcome.AGREES, ""),
        ("det(x)", [[1, 2], [2, 4]], Outcome.UNJUDGED, "determinant 0"),
        ("max(x)", [1, 1], Outcome.UNJUDGED, "tie"),
        ("norm(x)", [0, 0], Outcome.UNJUDGED, "kink"),
        ("var(x, 0)", [1, 1, 1], Outcome.AGREES, ""),
        ("sum(softmax(x, dim=0))", [1, 2, 3], Outcome.UNJUDGED, "rounding"),
        ("sum(sort(x).values*[1.0, 2.0])", [1, 1], Outcome.UNJUDGED, "kink or a jump"),
        ("sum(exp(x))", [1, 800], Outcome.UNJUDGED, "overflows"),
        ("sqrt(exp(-2*(x @ x)) + 8.39)", [6.004, 6.004], Outcome.UNJUDGED, "rounding"),
        ("x @ x", [1e200, 1], Outcome.UNJUDGED, "overflows"),
    ],
)
def test_the_outcome_for_a_tensor(program: str, x: Any, outcome: Outcome, reason: str) -> None:
    (row,) = verified(program, {"x": x}).rows
    assert (row.outcome, reason in row.reason) == (outcome, True), row


FLAT = [  # where a gradient is 0, which most courses ask about
    ("x**2", {"x": 0}),
    ("x**3", {"x": 0}),
    ("x*x*x*x", {"x": 0}),
    ("(x - 1)**2", {"x": 1}),
    ("1 - cos(x)", {"x": 0}),
    ("tanh(x)**2", {"x": 0}),
    ("x**y", {"x": 0, "y": 2}),
    ("mean((x - y)**2)", {"x": [1, 2], "y": [1, 2]}),
    ("sum(x*x)", {"x": [0, 0, 0]}),
    ("(1e6*x)**2", {"x": 0}),
    ("(1e-6*x)**2 + 3", {"x": 0}),
]


@pytest.mark.parametrize(("program", "point"), FLAT)
def test_a_gradient_of_0_agrees_where_the_function_is_flat(program: str, point: dict[str, Any]) -> None:
    assert verified(program, point).agrees


@pytest.mark.slow
@pytest.mark.parametrize("more", [1e-3, -1e-9])
@pytest.mark.parametrize(("program", "point"), FLAT)
def test_a_gradient_beside_0_disagrees_where_the_function_is_flat(
    program: str, point: dict[str, Any], more: float
) -> None:
    found = run(program, point)
    made = found.evaluation.line_of[id(found.output)]
    assert made.application is not None
    with wrong(made.application.primitive, more=more):
        assert not any(row.agrees and np.any(row.engine) for row in verified(program, point).rows)


@pytest.mark.parametrize("x", [[1e-9, 1, -2], [1e-9, 1e9, -1e-12]])
@pytest.mark.parametrize("program", ["sum(relu(x))", "mean(relu(x))", "mean(relu(x)**2)", "relu(x)"])
def test_a_small_entry_is_judged_by_its_own_change(program: str, x: list[float]) -> None:
    assert verified(program, {"x": x}).agrees


@pytest.mark.parametrize("x", [1e-5, 3e-6, 1e-7])
@pytest.mark.parametrize("program", ["sin(x)/x", "(exp(x) - 1)/x", "log(1 + x)/x", "(1 - cos(x))/x**2", "tan(x)/x**2"])
def test_rounding_is_no_disagreement(program: str, x: float) -> None:
    """A simplified formula rounds otherwise than the rules one after the other."""
    assert verified(program, {"x": x}).outcome is not Outcome.DISAGREES


@pytest.mark.slow
@pytest.mark.parametrize("x", [1e-12, 1e-3, 1.0, 1e3, 1e9])
def test_a_wrong_rule_is_found(x: float) -> None:
    assert verified("sin(x)", {"x": x}).outcome is Outcome.AGREES
    with wrong(sin):
        assert verified("sin(x)", {"x": x}).outcome is Outcome.DISAGREES
        assert verified("sin(x)*y", {"x": x, "y": [1, 2]}).outcome is Outcome.DISAGREES


@pytest.mark.slow
def test_a_wrong_rule_is_found_in_arrays_that_are_too_large_to_look_at_each_entry(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("gradcli.explanation.verify.MOST_ENTRIES", 20)
    point = {"x": np.linspace(0.1, 9, 600).reshape(20, 30)}
    assert verified("sum(sin(x))", point).outcome is Outcome.AGREES
    with wrong(sin):
        assert verified("sum(sin(x))", point).outcome is Outcome.DISAGREES


def points(program: str) -> Iterator[dict[str, Any]]:
    """Points of a program at all scales, and with one entry where functions break."""
    given = run(program).point
    for scale in SCALES:
        yield {name: x * scale for name, x in given.items()}
    for name, x in given.items():
        for place in PLACES if np.size(x) else ():
            moved = np.array(x)
            moved.flat[0] = place
            yield {name: moved[()]}


def some_points(program: str) -> Iterator[dict[str, Any]]:
    """The point of a program, and a third of all others, which are other ones for other programs."""
    yield run(program).point
    yield from some(points(program), 3, start=len(program))


def outcomes(program: str) -> Iterator[tuple[dict[str, Any], Any]]:
    """The rows of a verification at each point at which the program has a value."""
    for point in some_points(program):
        try:
            weights = upstream(run(program, point).output)
            yield from ((point, row) for row in verify(parse_program(Source(program)), point, upstream=weights).rows)
        except GradcliError:
            continue


FAMILY = [example for example in EXAMPLES if not any(word in example for word in NOT_MEANT)]


@pytest.mark.slow
@of_every(FAMILY[::72], family)
def test_no_gradient_is_called_wrong(program: str) -> None:
    for point, row in outcomes(program):
        assert row.outcome is not Outcome.DISAGREES, (point, row)
        assert row.reason or row.agrees, (point, row)


@pytest.mark.slow
@of_every(FAMILY[1::720], family)
def test_no_wrong_gradient_is_called_right(program: str) -> None:
    found = run(program)
    made = found.evaluation.line_of[id(found.output)]
    if made.application is not None:
        with wrong(made.application.primitive):
            for point, row in outcomes(program):
                assert not row.agrees or not np.any(row.engine), (point, row)


@pytest.mark.slow
@pytest.mark.parametrize("selected", ["x[x > 1]", "masked_select(x, x > 1)", "x[where(x > 1)[0]]"])
def test_a_selection_that_changes_has_no_slope_there(selected: str) -> None:
    found = verified(selected, {"x": [1.0, 2.0, 0.5]})
    assert found.outcome is Outcome.UNJUDGED
    np.testing.assert_array_equal(np.round(found.rows[0].differences, 6), [np.nan, 1, 0])


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("program", ["neg(x)", "2*x + zeros({0})*x", "x*x", "flip(x, 0)", "cat([x, x], 0)"])
def test_empty_arrays(program: str, shape: tuple[int, ...]) -> None:
    assert verified(program.format(shape), {"x": np.zeros(shape)}).agrees
