"""The sweep over a graph, without changes and with them, beside the engine's own walk."""

from __future__ import annotations

import numpy as np
import pytest

from gradcli.engine.backward import grad
from gradcli.homework.solve.graph import OF_STRUCTURE, Graph
from gradcli.homework.solve.problem import sweep
from tests.homework.drawing import network_tape, scalar_tape
from tests.homework.tapes import Tape
from tests.programs import SMOOTH, Run, family, of_every, run

ROUNDED = 1e-12  # `3/x` is one step here and two in the engine


def drawn(tape: Tape) -> tuple[Run, Graph]:
    done = run(tape.text, dict(tape.leaves))
    return done, Graph(done.evaluation, tape.text)


def assert_as_the_engine(done: Run, graph: Graph, rtol: float) -> None:
    """Every leaf has the gradient that the engine gives it."""
    places = {id(vertex.line.tensor): index for index, vertex in enumerate(graph.vertices)}
    expected = grad([done.output], list(done.leaves.values()), [done.upstream], allow_unused=True)
    found = sweep(graph, graph.output, seed=done.upstream)
    for (name, leaf), right in zip(done.leaves.items(), expected, strict=True):
        if right is None:
            assert places[id(leaf)] not in found
        else:
            np.testing.assert_allclose(found[places[id(leaf)]], right.value, rtol=rtol, atol=rtol, err_msg=name)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::UserWarning")
@of_every(SMOOTH, family, 3)
def test_every_operation_is_swept_as_the_engine_does(program: str) -> None:
    done = run(program)
    if done.leaves and done.output.requires_grad:
        assert_as_the_engine(done, Graph(done.evaluation, program), ROUNDED)


@pytest.mark.parametrize("seed", range(15))
def test_random_programs_are_swept_as_the_engine_does(seed: int) -> None:
    for tape in (scalar_tape(seed), network_tape(seed)):
        done, graph = drawn(tape)
        assert_as_the_engine(done, graph, ROUNDED)
        found = sweep(graph, graph.output)
        for name in tape.named:
            if name in tape.right:
                np.testing.assert_allclose(found[graph.names[name]], tape.right[name], rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("seed", range(6))
def test_a_moved_graph_keeps_what_its_structure_tells(seed: int) -> None:
    """What is kept of a graph at other values is what would be found there."""
    for tape in (scalar_tape(seed), network_tape(seed)):
        _, graph = drawn(tape)
        for name in OF_STRUCTURE:  # known before it moves
            getattr(graph, name)
        moved = graph.nudged(0.01)
        fresh = moved.over(moved.vertices)
        for name in OF_STRUCTURE - {"order", "labels"}:
            assert getattr(moved, name) == getattr(fresh, name), name
        changed = frozenset(moved.leaves[:1])
        assert moved.order.after(changed) == fresh.order.after(changed)
        assert [moved.label(n) for n in range(len(moved.vertices))] == [
            fresh.label(n) for n in range(len(moved.vertices))
        ]
