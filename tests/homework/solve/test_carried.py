"""Credit for what follows from an earlier wrong number, on random programs."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from gradcli.homework.grading import Grader
from gradcli.homework.model import Marked
from tests.homework.asking import apart, assignment, marked, question, typed
from tests.homework.drawing import network_tape, scalar_tape
from tests.homework.tapes import FORWARD, Tape
from tests.programs import some


def on_from_a_value(tape: Tape) -> Iterator[tuple[str, float, str, float]]:
    """A wrong value of a step, and the values above that follow from it."""
    for name in tape.named[len(tape.leaves) :]:
        slip = 1.7 * tape.values[name] + 0.35
        values = tape.forward(FORWARD, {name: slip})
        for other in tape.named[len(tape.leaves) :]:
            if other != name and apart(values[other], tape.values[other]) and apart(slip, tape.values[name]):
                yield name, slip, other, values[other]


def on_from_a_gradient(tape: Tape) -> Iterator[tuple[str, float, str, float]]:
    """A wrong gradient of a step, and the gradients below that follow from it."""
    for name in tape.named[len(tape.leaves) : -1]:
        if name in tape.right:
            slip = 1.7 * tape.right[name] + 0.35
            found = tape.gradients(given={name: slip})
            for other in tape.below(name):
                if apart(found[other], tape.right[other]) and apart(slip, tape.right[name]):
                    z = tape.output
                    yield f"d{z}/d{name}", slip, f"d{z}/d{other}", found[other]


def graders(tape: Tape) -> tuple[Grader, Grader]:
    """Graders that ask for every value and gradient, first ones first; the second carries nothing forward."""
    gradients = [f"d{tape.output}/d{name}" for name in reversed(tape.named) if name in tape.right]
    asked = question(tape, [*tape.named, *gradients])
    return assignment(asked), assignment(asked, "carry_forward = false")


def grades(grader: Grader, first: str, slip: float, then: str, number: float) -> dict[str, Marked]:
    return marked(grader, {first: typed(slip), then: typed(number)})


@pytest.mark.slow
@pytest.mark.parametrize("seed", some(range(6), 2))
@pytest.mark.parametrize("of", [on_from_a_value, on_from_a_gradient])
def test_what_follows_from_a_slip_is_carried(of, seed: int) -> None:  # type: ignore[no-untyped-def]
    for tape in (scalar_tape(seed), network_tape(seed)):
        carrying, strict = graders(tape)
        for first, slip, then, number in list(of(tape))[:3]:
            found = grades(carrying, first, slip, then, number)
            assert found[first].verdict == "wrong"
            assert (found[then].verdict, found[then].points) == ("carried", 1.0), f"{tape.text}\n{tape.leaves}\n{found}"
            assert first in found[then].remark
            alone = grades(strict, first, slip, then, number)[then]
            assert (alone.verdict, alone.points) == ("wrong", 0.0)


@pytest.mark.slow
@pytest.mark.parametrize("seed", some(range(10), 2))
def test_a_right_answer_after_a_slip_is_correct(seed: int) -> None:
    for tape in (scalar_tape(seed), network_tape(seed)):
        grader, _ = graders(tape)
        for first, slip, then, _ in list(on_from_a_gradient(tape))[:2]:
            answer = grades(grader, first, slip, then, tape.right[then.split("/d")[1]])[then]
            assert answer.verdict == "correct"


@pytest.mark.parametrize("slip", ["7", "0.5", "-3.25", "1e-3", "[1, 2]", "1e300", "-0"])
def test_any_number_can_come_before_an_answer_in_a_program_with_tensors(slip: str) -> None:
    body = "program = 'p = x**2; L = mean([p*x, sin(p)])'\nat = { x = 3 }\nask = ['p', 'dL/dp', 'dL/dx']\n"
    found = marked(assignment(body), {"p": slip, "dL/dp": slip, "dL/dx": "1.25"})
    assert {answer.verdict for answer in found.values()} <= {"wrong", "shape"}
