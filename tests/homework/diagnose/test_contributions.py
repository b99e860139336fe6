"""The mistakes about each contribution of a backward pass: never the right number, and those that a teacher expects."""

from __future__ import annotations

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
