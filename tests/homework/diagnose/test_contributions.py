"""The mistakes about each contribution of a backward pass: never the right number, and those that a teacher expects."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

from gradcli.explanation.model import Explanation
from gradcli.homework.diagnose.contributions import ENTRIES, MOST, Contributions, graph_of
from tests.programs import some
from tests.render.programs import CASES, explained


def mistaken(explanation: Explanation) -> dict[tuple[str, str, int], dict[float, str]]:
    """The messages by wrong number, by edge, of contributions that are one number."""
    graph = graph_of(explanation)
    assert graph is not None
    return {
        move.edge: {float(one.value): one.message for one in found if np.size(one.value) == 1}
        for move, found in Contributions(explanation, graph).mistakes()
    }


def test_the_diamond() -> None:
    found = mistaken(explained("s=x**2; p=s+1; m=s-1; q=p*m", {"x": 2}))
    assert found["x", "s", 0][12] == "you kept the branch through p; s also feeds m, which adds 5"
    assert found["x", "s", 0][4].startswith("this is the local derivative ∂s/∂x")
    assert found["s", "p", 0][8] == "this is the sum so far; asked is what comes through p"
    assert "through" not in found["s", "m", 0].get(3, ""), "the other branch is no part of this question"
    assert found["p", "q", 0][-3] == "∂q/∂p has the other sign"


PART = re.compile(r"this is what arrives at (\w+) if (\w+) gets what comes through (\w+) alone")
SEVERAL = [
    ("s=x**2; p=s+1; m=s-1; q=p*m", {"x": 2}),
    ("s = y - x; t = tanh(s); q = t*s + x", {"x": 1.7, "y": 1.1}),
    ("a = x*y; b = sin(a); c = a*b + y; q = c*a - b", {"x": 0.7, "y": 1.3}),
]


@pytest.mark.parametrize(("program", "point"), SEVERAL)
def test_what_arrives_by_a_part_of_a_gradient_is_what_the_steps_say(program: str, point: dict[str, float]) -> None:
    """The backward pass again, in which one node gets one contribution alone, gives the number."""
    explanation, told = explained(program, point), 0
    for (source, target, _), numbers in mistaken(explanation).items():
        arrived: dict[str, Any] = {explanation.output: 1.0}
        for step in explanation.steps:
            if step.input != source or step.node == target:
                share = arrived.get(step.node, 0.0) / step.upstream if step.upstream else 0.0
                arrived[step.input] = arrived.get(step.input, 0.0) + share * step.contribution
        for number, message in numbers.items():
            if part := PART.match(message):
                assert part.groups()[1:] == (source, target)
                assert arrived[part[1]] == pytest.approx(number)
                told += 1
    assert told


def test_nobody_learns_by_one_contribution_and_a_corner_is_neither_side() -> None:
    found = mistaken(explained("loss = relu(x) + 2*x", {"x": 0.0}))
    messages = [message for numbers in found.values() for message in numbers.values()]
    assert not any("gradient descent" in message for message in messages)
    assert found["x", "v1", 0][1] == "you let the gradient through v1 also where x is not positive"


@pytest.mark.slow
@pytest.mark.parametrize("name", some(sorted(CASES.keys() - {"long"}), 3))
def test_no_mistake_is_right(name: str) -> None:
    explanation = CASES[name].explain()
    graph = graph_of(explanation)
    assert graph is not None
    found = list(Contributions(explanation, graph).mistakes())
    assert [move.fact for move, _ in found] == list(explanation.steps)
    for move, mistakes in found:
        assert len(mistakes) <= MOST
        truth: Any = move.fact.contribution
        for one in mistakes:
            assert np.size(truth) <= ENTRIES
            assert one.message
            assert np.shape(one.value) != np.shape(truth) or not np.allclose(one.value, truth, rtol=1e-7, atol=1e-12)


@pytest.mark.slow
def test_a_long_chain_has_its_mistakes() -> None:
    lines = "; ".join(f"h{n} = tanh(h{n - 1}*w)" for n in range(1, 30))
    found = mistaken(explained(f"h0 = x*w; {lines}; h29**2", {"x": 0.5, "w": 0.9}))
    for edge, numbers in found.items():
        signs = f"/∂{edge.source} has the other sign", f"the sign of what comes through {edge.target} has slipped"
        assert any(sign in message for message in numbers.values() for sign in signs), edge
    assert any(one.startswith("this is the local derivative ∂h9/∂v") for one in found["v9", "h9", 0].values())
