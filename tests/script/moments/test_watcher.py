"""The moments of a run: each tensor as it stood after each statement, what was printed by then, and why no gradient."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from gradcli.script.execution import execute
from gradcli.script.limits import Limits
from gradcli.script.machine import Machine
from gradcli.script.moments.model import Moments, TensorState
from gradcli.script.moments.watcher import MOST, Watcher
from gradcli.script.reading import read_snippet
from gradcli.script.timeline.model import Backward, Timeline


def watched(text: str) -> tuple[Moments, Timeline, str]:
    printed: list[str] = []
    machine = Machine(Limits(), printed.append)
    machine.timeline = watcher = Watcher(machine, printed)
    _, timeline = execute(read_snippet(f"import torch\n{text}", "snippet.py"), machine)
    assert timeline is not None
    return watcher.moments, timeline, "".join(printed)


def states(found: Moments, name: str) -> Iterator[tuple[int, TensorState]]:
    """How a tensor stood, with the lines at which it changed."""
    for moment in found.moments:
        yield from ((moment.line, state) for state in moment.changed if state.name == name)


def test_a_tensor_from_line_to_line() -> None:
    found, _, _ = watched("w = torch.tensor(2., requires_grad=True)\ny = w*w\ny.backward()\nw.grad = None\n")
    lines = {line: (state.has_grad, state.reason) for line, state in states(found, "w")}
    assert list(lines) == [2, 4, 5]
    assert lines[2] == (False, "no backward pass has run yet: call backward() on what is computed from it")
    assert lines[4] == (True, "")
    assert lines[5][1].startswith("line 5 set it to None")
    ((_, y), *_) = states(found, "y")
    assert (y.is_leaf, y.grad_fn, y.requires_grad, float(y.value)) == (False, "MulBackward0", True, 4.0)


@pytest.mark.parametrize(
    ("change", "version"),
    [("w.add_(1)", 1), ("w.data.add_(1)", 0), ("w[0] = 3", 1), ("w.numpy()[0] = 3", 0)],
)
def test_changes_with_and_without_a_trace(change: str, version: int) -> None:
    found, _, _ = watched(f"w = torch.zeros(2)\n{change}\n")
    *_, (line, state) = states(found, "w")
    assert (line, state.version) == (3, version)
    assert np.any(state.value)


def test_names_come_and_go() -> None:
    found, _, _ = watched("a = torch.ones(2)\nb = a\ndel a\nb = 3\n")
    assert [(moment.line, moment.gone) for moment in found.moments if moment.gone] == [(4, ("a",)), (5, ("b",))]


def test_what_was_printed_by_then() -> None:
    found, _, printed = watched("print('one')\nx = torch.ones(1)\nprint(x)\n")
    assert [(moment.line, printed[: moment.printed]) for moment in found.moments] == [
        (2, "one\n"),
        (3, "one\n"),
        (4, "one\ntensor([1.])\n"),
    ]


def test_the_graph_of_a_pass_is_kept_as_it_stood() -> None:
    found, timeline, _ = watched(
        "w = torch.tensor(2., requires_grad=True)\ny = w*3\ny.backward()\nwith torch.no_grad(): w += 1\n"
    )
    (number,) = found.graphs
    event = timeline.events[number]
    assert isinstance(event, Backward)
    assert event.explanation is not None
    assert [line.name for line in found.graphs[number].lines] == [node.id for node in event.explanation.nodes]
    assert float(found.graphs[number].lines[0].tensor.value) == 2.0


def test_events_belong_to_one_moment_each() -> None:
    loop = "for _ in range(5):\n    (w*w).backward()\n    w.grad = None\n"
    found, timeline, _ = watched(f"w = torch.tensor(2., requires_grad=True)\n{loop}raise ValueError('no')\n")
    counts = [moment.events for moment in found.moments]
    assert counts == sorted(counts)
    assert counts[-1] == len(timeline.events)


@pytest.mark.slow
def test_a_long_run_is_cut() -> None:
    found, _, _ = watched(f"x = torch.zeros(1)\nfor _ in range({MOST} + 9):\n    x.add_(1)\n")
    assert (len(found.moments), found.is_cut) == (MOST, True)
