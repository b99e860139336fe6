"""The timeline answers what learners ask: why a gradient is None, why it doubled, why it is 0, who changed what."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TypeVar

import pytest

from gradcli.script.timeline.model import (
    REASONS,
    Asked,
    Backward,
    Changed,
    Event,
    Failed,
    Forward,
    Reset,
    Timeline,
    Updated,
)
from tests.script.running import recorded

Kind = TypeVar("Kind", bound=Event)

X = "import torch\nx = torch.tensor(3.0, requires_grad=True)\n"

QUESTIONS = {
    "y = x * 2\ny.grad": ("non-leaf", "it is the result of mul (line 3), not a leaf: call retain_grad() on it"),
    "y = x * 2\ny.retain_grad()\ny.grad": ("no-backward", "no backward pass has reached it yet"),
    "x.grad": ("no-backward", "no backward pass has run yet"),
    "c = torch.tensor(1.0)\nc.grad": ("constant", "make it with requires_grad=True"),
    "y = x.detach()\ny.grad": ("detached", "detach() at line 3"),
    "y = x.detach() * 2\ny.grad": ("detached", "detach() at line 3"),
    "y = x.data * 2\ny.grad": ("detached", ".data at line 3"),
    "with torch.no_grad():\n    y = x * 2\ny.grad": ("no-grad", "inside no_grad() at line 4"),
    "w = x * 1\nz = torch.tensor(1.0, requires_grad=True)\nw.backward()\nz.grad": (
        "not-reached",
        "no line has computed anything with it",
    ),
    "z = torch.tensor(1.0, requires_grad=True)\n(x.detach() * z).backward()\nx.grad": (
        "detached",
        "at line 4 cut it off",
    ),
    "z = torch.tensor(1.0, requires_grad=True)\nwith torch.no_grad():\n    y = x * 2\n(y * z).backward()\nx.grad": (
        "no-grad",
        "line 5 computed with it inside no_grad()",
    ),
    "x.sum().backward()\nx.grad = None\nx.grad": ("reset", "line 4 set it to None"),
    **{
        f"x.sum().backward()\n{zero}\nx.grad = None\nx.grad": ("reset", "line 5 set it to None")
        for zero in (
            "x.grad.zero_()",
            "x.grad.data.zero_()",
            "x.grad.fill_(0)",
            "x.grad *= 0",
            "x.grad = torch.zeros_like(x)",
            "x.grad[...] = 0",
        )
    },
    "opt = torch.optim.SGD([x], lr=1.0)\nx.sum().backward()\nopt.zero_grad()\nx.grad": (
        "reset",
        "line 5 set it to None",
    ),
}


def of_kind(timeline: Timeline, kind: type[Kind]) -> Iterator[Kind]:
    return (event for event in timeline.events if isinstance(event, kind))


@pytest.mark.parametrize(
    ("program", "answer"), QUESTIONS.items(), ids=[f"{c}-{i}" for i, (c, _) in enumerate(QUESTIONS.values())]
)
def test_why_a_gradient_is_none(program: str, answer: tuple[str, str]) -> None:
    timeline = recorded(X + program)
    asked = list(of_kind(timeline, Asked))[-1]
    code, words = answer
    assert asked.code == code
    assert words in asked.message
    assert asked.line == (X + program).count("\n") + 1


def test_every_reason_is_asked_for() -> None:
    assert {code for code, _ in QUESTIONS.values()} == set(REASONS)


RESETS = ["x.grad = None", "x.grad.zero_()", "x.grad.data.zero_()", "torch.optim.SGD([x], lr=1.0).zero_grad()"]


@pytest.mark.parametrize("reset", RESETS)
def test_a_reset_in_between_is_no_news(reset: str) -> None:
    timeline = recorded(f"{X}(x * 2).backward()\n{reset}\n(x * 5).backward()\n")
    assert [event.notes for event in of_kind(timeline, Backward)] == [(), ()]
    (event,) = of_kind(timeline, Reset)
    assert (event.line, event.names) == (4, ("x",))


def test_a_gradient_of_zero_names_the_node() -> None:
    timeline = recorded(X + "y = torch.relu(-x)\ny.backward()\n")
    (event,) = of_kind(timeline, Backward)
    assert [note.code for note in event.notes] == ["zero-gradient"]
    assert "relu" in event.notes[0].message


def test_nan_names_the_node() -> None:
    timeline = recorded(
        "import torch\nx = torch.tensor(0.0, requires_grad=True)\ny = torch.sqrt(x) * 0\ny.backward()\n"
    )
    (event,) = of_kind(timeline, Backward)
    assert event.explanation is not None
    assert any(note.code == "gradient-not-finite" for note in event.explanation.notes)


def test_a_pass_is_explained_in_the_names_of_the_snippet() -> None:
    timeline = recorded(X + "def square(t):\n    return t * t\ny = square(x) + 1\ny.backward()\n")
    (event,) = of_kind(timeline, Backward)
    assert event.output == "y"
    assert event.explanation is not None
    assert [node.name for node in event.explanation.nodes if node.kind == "op"] == ["v1", "y"]
    assert [step.total for step in event.explanation.steps][-1] == 6
    lines = [(fact.line, fact.made[0].name) for fact in of_kind(timeline, Forward)]
    assert lines == [(4, "v1"), (5, "y")]


def test_an_optimizer_tells_what_it_changed() -> None:
    timeline = recorded(X + "opt = torch.optim.SGD([x], lr=0.5)\n(x * 2).backward()\nopt.step()\n")
    (event,) = of_kind(timeline, Updated)
    assert (event.optimizer, event.parameters) == ("SGD", (("x", 3, 2),))


def test_repetitions_are_counted() -> None:
    program = X + "for i in range(10):\n    y = x * (i + 1)\n    y.backward()\n"
    short, whole = recorded(program), recorded(program, all=True)
    passes = list(of_kind(short, Backward))
    assert [event.times for event in passes] == [1, 9]
    assert len(list(of_kind(whole, Backward))) == 10


def test_leaves_at_the_end() -> None:
    timeline = recorded(X + "z = torch.tensor(1.0, requires_grad=True)\n(x * 2).backward()\n")
    found = {leaf.name: leaf for leaf in timeline.leaves}
    assert found["x"].grad == 2
    assert found["z"].grad is None
    assert re.search("no line has computed anything with it", found["z"].reason)


def test_a_view_from_no_grad_outlives_a_change_of_its_base() -> None:
    lesson = """
import torch
w = torch.ones(2, 1, requires_grad=True)
optimizer = torch.optim.SGD([w], lr=0.1)
for _ in range(2):
    (w.T @ w).sum().backward()
    optimizer.step()
    with torch.no_grad():
        seen = w.T * 2
optimizer.step()
"""
    timeline = recorded(lesson)
    assert {leaf.name for leaf in timeline.leaves} == {"w"}
    assert not [event for event in timeline.events if isinstance(event, Failed)]


def test_a_gradient_is_followed_after_it_was_zeroed() -> None:
    program = "x.sum().backward()\nx.grad.zero_()\nx.grad.fill_(2)\nx.sum().backward()\nx.grad.zero_()\nx.grad = None"
    timeline = recorded(X + program)
    assert [(event.line, event.to_none) for event in of_kind(timeline, Reset)] == [(4, False), (7, False), (8, True)]
    assert [(event.line, event.name) for event in of_kind(timeline, Changed)] == [(5, "x.grad")]
    assert not [note for event in of_kind(timeline, Backward) for note in event.notes]  # no pass left the 2
