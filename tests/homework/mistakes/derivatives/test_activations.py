"""Derivatives of activations at the wrong value, and masks."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from tests.homework.asking import Wrong, assignment, check, marked
from tests.homework.mistakes.derivatives.test_rules import everywhere, steps
from tests.homework.tapes import SIGMOID, Site, Tape, slope


def wrong_side(tape: Tape) -> Iterator[Wrong]:
    for step in steps(tape, "sigmoid", "tanh"):
        (z,) = tape.inputs(step)
        if step.op == "sigmoid":
            again = SIGMOID(SIGMOID(z))
            slips = [z * (1 - z), again * (1 - again)]
        else:
            slips = [1 - z**2, 1 - np.tanh(z), 1 - np.tanh(np.tanh(z)) ** 2]
        for slipped in slips:
            yield from everywhere(tape, {Site(step.name, 0): slope(slipped)}, step.name)


def gates(tape: Tape) -> Iterator[Wrong]:
    """No mask, the opposite mask, and the sign of the gradient for one."""
    for step in steps(tape, "relu"):
        (z,) = tape.inputs(step)
        for change in (
            slope(1.0),
            slope(np.where(z > 0, 0.0, 1.0)),
            lambda g, contribution: np.maximum(g, 0.0),
        ):
            yield from everywhere(tape, {Site(step.name, 0): change}, step.name)


@pytest.mark.slow
def test_the_derivative_at_the_wrong_value() -> None:
    check("pre-post-activation", wrong_side, scalars=40, networks=15)


@pytest.mark.parametrize("call", ["maximum(z, 0)", "clamp(z, 0)", "relu(z)", "where(z > 0, z, 0)", "leaky_relu(z)"])
def test_a_mask_by_another_name(call: str) -> None:
    grader = assignment(f"program = 'q = sum({call}*w)'\nat = {{ z = [1.5, -2.5], w = [3.2, 7.1] }}\nask = ['dq/dz']")
    leak = 0.01 if "leaky" in call else 0.0
    for wrong in ([3.2, 7.1], [3.2 * leak, 7.1]):
        found = marked(grader, {"dq/dz": str(wrong)})["dq/dz"].diagnoses
        assert found[0].code == "relu-gate", (call, wrong)


def test_a_mask_that_is_ignored_is_not_taken_for_a_slip_of_the_chain_first() -> None:
    body = (
        "program = 'h = relu(w*x + b); q = (h - t)**2/2'\nat = { w = -1.3, x = 2.1, b = 0.4, t = 1.7 }\nask = ['dq/dw']"
    )
    found = marked(assignment(body), {"dq/dw": "-3.57"})["dq/dw"].diagnoses
    assert found[0].code == "relu-gate"


@pytest.mark.slow
def test_the_mask() -> None:
    check("relu-gate", gates, scalars=12, networks=20)
