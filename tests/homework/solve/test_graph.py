"""The sweep over a graph, without changes and with them, beside the engine's own walk."""

from __future__ import annotations

import numpy as np
import pytest

from gradcli.engine.backward import grad
from gradcli.homework.solve.graph import OF_STRUCTURE, Graph
from gradcli.homework.solve.problem import sweep
from tests.homework.drawing import network_tape, scalar_tape
from tests.homework.tapes import FORWARD, Tape
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


@pytest.mark.parametrize("seed", range(60))
def test_random_programs_are_swept_as_the_engine_does(seed: int) -> None:
    for tape in (scalar_tape(seed), network_tape(seed)):
        done, graph = drawn(tape)
        assert_as_the_engine(done, graph, ROUNDED)
        found = sweep(graph, graph.output)
        for name in tape.named:
            if name in tape.right:
                np.testing.assert_allclose(found[graph.names[name]], tape.right[name], rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("seed", range(20))
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


@pytest.mark.parametrize("seed", range(40))
def test_a_graph_moves_to_other_values(seed: int) -> None:
    """`moved` and `forward` are the program run again, at another value of a variable."""
    for tape in (scalar_tape(seed), network_tape(seed)):
        _, graph = drawn(tape)
        name = list(tape.leaves)[seed % len(tape.leaves)]
        given = {name: 1.25 * tape.values[name] + 0.1}
        values = tape.forward(FORWARD, given)
        again = graph.forward({graph.names[name]: given[name]})
        found = sweep(graph.moved({graph.names[name]: given[name]}), graph.output)
        right = tape.gradients(values=values)
        for other in tape.named:
            np.testing.assert_allclose(again[graph.names[other]], values[other])
            if other in right:
                np.testing.assert_allclose(found[graph.names[other]], right[other], rtol=1e-9, atol=1e-12)


def test_many_seeds_run_side_by_side() -> None:
    for seed in range(40):
        tape = scalar_tape(seed)
        _, graph = drawn(tape)
        if graph.is_scalar:
            seeds = np.array([1.0, -2.0, 0.5])
            wide = sweep(graph, graph.output, seed=seeds)
            for name in tape.leaves:
                np.testing.assert_allclose(wide[graph.names[name]], seeds * tape.right[name], rtol=1e-9)


@pytest.mark.parametrize(
    ("program", "ops"),
    [("x = 2; z = 3/x", ["div"]), ("x = 2; z = 1/x", ["div"]), ("x = 2; z = reciprocal(x)", ["reciprocal"]),
     ("x = 2; r = reciprocal(x); z = r*3", ["reciprocal", "mul"]), ("x = 2; z = x/3", ["div"])],
)  # fmt: skip
def test_a_number_over_a_value_is_one_step(program: str, ops: list[str]) -> None:
    done = run(program)
    graph = Graph(done.evaluation, program)
    found = sweep(graph, graph.output)
    assert [v.op for i, v in enumerate(graph.vertices) if i in found and v.op] == ops


@pytest.mark.parametrize(
    ("program", "labels"),
    [("x = 2; z = sin((3/x))", ["3/x", "z"]), ("x = 2; z = (x + 1)*(x - 1)", ["x + 1", "x - 1", "z"]),
     ("x = 2; z = exp(-x)**2", ["-x", "exp(-x)", "z"])],
)  # fmt: skip
def test_a_step_is_called_as_it_is_written(program: str, labels: list[str]) -> None:
    done = run(program)
    graph = Graph(done.evaluation, program)
    found = sweep(graph, graph.output)
    assert [graph.label(i) for i, v in enumerate(graph.vertices) if i in found and v.op] == labels
