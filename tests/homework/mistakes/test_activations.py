"""Derivatives of activations at the wrong value, and masks."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tests.homework.asking import Wrong, check
from tests.homework.mistakes.test_rules import everywhere, steps
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


def test_the_derivative_at_the_wrong_value() -> None:
    check("pre-post-activation", wrong_side, scalars=40, networks=15)


def test_the_mask() -> None:
    check("relu-gate", gates, scalars=12, networks=20)
