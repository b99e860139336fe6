"""Right numbers that were not asked for, and angles in degrees."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from tests.homework.asking import (
    Wrong,
    apart,
    assignment,
    check,
    exam,
    explains,
    graded_answer,
    marked,
    names_mistake,
    of_program,
    question,
    typed,
)
from tests.homework.drawing import scalar_tape
from tests.homework.tapes import FORWARD, LOCAL, Site, Step, Tape, slope

DEGREE = np.pi / 180


def of_another(tape: Tape) -> Iterator[Wrong]:
    known = [name for name in tape.named if name in tape.right and name != tape.output]
    yield from (Wrong(by, tape.right[other], by) for by in known for other in known if other != by)


def value_or_step(tape: Tape) -> Iterator[Wrong]:
    for by in tape.named:
        yield Wrong(by, tape.values[by], by)
        yield Wrong(by, tape.values[tape.output], by)
        for rate in (1.0, 0.5, 0.1, 0.01, 0.001):
            yield Wrong(by, tape.values[by] - rate * tape.right[by], by)


def in_degrees(tape: Tape) -> dict[str, float]:
    """The values with a calculator in degrees."""
    degrees = {"sin": lambda x: np.sin(x * DEGREE), "cos": lambda x: np.cos(x * DEGREE)}
    return tape.forward({**FORWARD, **degrees})


def gradients_in_degrees(tape: Tape) -> Iterator[Wrong]:
    """sin' = cos and cos' = -sin in degrees, without the factor pi/180 and with it."""
    values = in_degrees(tape)
    if not np.all(np.isfinite(list(values.values()))):
        return
    for factor in (1.0, DEGREE):
        changes = {}
        for step in tape.steps:
            if step.op in ("sin", "cos"):
                (x,) = tape.inputs(step, values)
                changes[Site(step.name, 0)] = slope(factor * LOCAL[step.op][0](x * DEGREE))
        found = tape.gradients(changes, values=values)
        yield from (Wrong(by, found[by]) for by in tape.named if changes)


@pytest.mark.slow
def test_the_gradient_of_another_variable() -> None:
    check("swapped-variable", of_another, scalars=80, networks=50)


def test_the_derivatives_by_all_variables_added_up() -> None:
    """For one of them, for each entry of the gradient, and as one number in place of the gradient."""
    draw = np.random.default_rng(7)
    for _ in range(6):
        x, y = np.round(draw.uniform(0.6, 2.6, 2), 2)
        both = (2 * x * y + 3 * y**2) + (x**2 + 6 * x * y)
        asks = ("df/dx", "∇f")
        body = of_program("f = x**2*y + 3*x*y**2", f"x = {x}, y = {y}", *asks)
        names_mistake(body, {"df/dx": both, "∇f": [both, both]}, "df/dx", "swapped-variable")
        names_mistake(body, {"∇f": [both, both]}, "∇f", "swapped-variable")
        names_mistake(body, {"∇f": both}, "∇f", "swapped-variable")


def test_a_mistake_in_a_jacobian_is_named_by_its_rows() -> None:
    draw = np.random.default_rng(8)
    for _ in range(4):
        z = np.round(draw.uniform(-1.5, 1.5, 3), 2)
        p = np.exp(z) / np.exp(z).sum()
        diagonal = np.diag(p * (1 - p))
        body = of_program("p = softmax(z, 0)", f"z = {z.tolist()}", "jacobian p z")
        right = np.diag(p) - np.outer(p, p)
        assert graded_answer(body, {"jacobian p z": right}, "jacobian p z").verdict == "correct"
        for wrong in (diagonal, 2 * diagonal - right):  # alone, and with the other sign beside it
            names_mistake(body, {"jacobian p z": wrong}, "jacobian p z", "softmax")


@pytest.mark.slow
def test_a_value_or_a_step_of_descent() -> None:
    check("not-a-gradient", value_or_step, scalars=80, networks=50)


def test_gradients_in_degrees() -> None:
    check("degrees", gradients_in_degrees, scalars=25)


@pytest.mark.slow
def test_values_in_degrees() -> None:
    seen = 0
    for seed in range(120):
        tape, grader = exam(scalar_tape, seed)
        values = in_degrees(tape)
        for name in tape.named:
            if apart(values[name], tape.values[name]):
                explains("degrees", grader, tape, Wrong(name, values[name]), name)
                seen += 1
    assert seen > 20


def test_the_node_is_the_first_angle() -> None:
    tape = Tape({"x": 0.7}, (Step("p", "sin", ("x",)), Step("z", "pow", ("p", 2.0))))
    tape_value = np.sin(0.7 * DEGREE) ** 2
    answer = marked(assignment(question(tape, ["z"])), {"z": typed(tape_value)})["z"]
    assert [(one.code, one.node) for one in answer.diagnoses] == [("degrees", "p")]
