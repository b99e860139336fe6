"""The walk through every example and every listed program: its states follow from the facts, and nothing is early."""

from __future__ import annotations

from itertools import pairwise, product

import numpy as np
import pytest

from gradcli.explanation.folding import folded
from gradcli.explanation.model import Explanation
from gradcli.explanation.steps.walk import Accumulated, Computed, Contributed, Look, Walk, edges, looks, walk
from tests.explanation.test_invariants import EVERY, explained
from tests.programs import family, of_every
from tests.render.programs import CASES

RANKS: dict[Look, int] = {"idle": 0, "forward": 1, "done": 2}


def of_case(name: str) -> Walk:
    return walk(CASES[name].explain())


def test_the_steps_of_the_square() -> None:
    found = of_case("square")
    assert [move.phase for move in found.moves] == ["forward"] * 3 + ["backward"] * 5 + ["accumulate"] * 3
    assert (found.turn, found.last) == (4, 11)
    before, after = found.states[3], found.states[4]
    assert before.gradients == {}
    assert {name: float(value) for name, value in after.gradients.items()} == {"z": 1, "v2": 14}
    assert (after.nodes["z"], after.nodes["v2"], after.nodes["v1"]) == ("done", "active", "forward")
    assert {name: float(value) for name, value in found.states[-1].grads.items()} == {"x1": 14, "a": 42, "x2": 28}


@pytest.mark.slow
@of_every(product(EVERY[::5], [False, True]), lambda case: family(case[0]))
def test_the_states_follow_from_the_facts(case: tuple[str, bool]) -> None:
    program, is_folded = case
    check(walk(folded(explained(program)) if is_folded else explained(program)))


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
def test_the_states_of_each_case(name: str) -> None:
    check(of_case(name))


def check(found: Walk) -> None:
    explanation = found.explanation
    phases = [["forward", "backward", "accumulate"].index(move.phase) for move in found.moves]
    assert phases == sorted(phases)
    assert [state.number for state in found.states] == list(range(found.last + 1))
    assert all(not state.gradients and not state.grads for state in found.states[: found.turn])
    check_ends(explanation, found)
    for state, move in zip(found.states[1:], found.moves, strict=True):
        active = {place for place, look in (*state.nodes.items(), *state.edges.items()) if look == "active"}
        match move:
            case Computed(node):
                assert active == {node, *found.edges_into[node]}
                assert set(explanation.node(node).inputs) <= state.values, "a value is computed from values"
            case Contributed(edge, fact):
                assert active == {edge.source, edge}
                np.testing.assert_array_equal(state.gradients[edge.target], fact.upstream)
                assert state.nodes[edge.target] == "done", "a gradient is complete before it flows on"
            case Accumulated(node):
                assert active == {node}
    for earlier, later in pairwise(found.states):
        assert earlier.gradients.keys() <= later.gradients.keys()
        assert earlier.values <= later.values
    seen: dict[object, int] = {}
    for _, place, look in looks(found.states):
        if look in RANKS:
            assert seen.get(place, 0) <= RANKS[look], "nothing is undone"
            seen[place] = RANKS[look]


def check_ends(explanation: Explanation, found: Walk) -> None:
    first, last = found.states[0], found.states[-1]
    assert first.values == {node.id for node in explanation.nodes if node.kind != "op"}
    assert set(last.edges) == {edge for node in explanation.nodes for edge, _ in edges(node)}
    assert last.values == {node.id for node in explanation.nodes}
    for node in explanation.nodes:
        if found.turn <= found.last:
            np.testing.assert_array_equal(last.gradients.get(node.id), node.grad)
    for leaf in explanation.leaves:
        np.testing.assert_array_equal(last.grads.get(leaf.node), leaf.gradient)
