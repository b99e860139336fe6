"""Warnings of backward passes: of failures under anomaly detection, and once in a run of `create_graph`."""

from __future__ import annotations

import pytest

from gradcli.errors import AutogradError
from gradcli.script.interpreter import run
from gradcli.script.limits import Limits
from gradcli.script.machine import Machine
from gradcli.source import Source

CREATE = "x = torch.tensor(2., requires_grad=True)\n" + "(x ** 2).backward(create_graph=True)\nx.grad = None\n" * 2
FORWARD = """
torch.autograd.set_detect_anomaly(True)
x = torch.tensor([0.], requires_grad=True)
def root(t):
    return t.sqrt()
y = root(x) * 0
"""
LATE = "x = torch.tensor([0.], requires_grad=True)\ny = x.sqrt() * 0\ntorch.autograd.set_detect_anomaly(True)\n"
CHANGED = "torch.autograd.set_detect_anomaly(True)\nx = torch.ones(2, requires_grad=True)\ny = x.exp()\ny.add_(1)\n"


def heard(text: str) -> list[tuple[str, int]]:
    """The warnings of a snippet, each with its line; an error of autograd ends it."""
    found: list[tuple[str, int]] = []
    machine = Machine(Limits(), lambda text: None, lambda kind, message, source, line: found.append((message, line)))
    try:
        run([Source("import torch\n" + text, "lesson.py")], machine)
    except AutogradError as error:
        found.append((error.message, 0))
    return found


def test_a_graph_of_gradients_is_warned_of_once() -> None:
    ((message, line),) = heard(CREATE)
    assert message.startswith("Using backward() with create_graph=True will create a reference cycle")
    assert line == 3


@pytest.mark.parametrize("ask", ["y.backward()", "torch.autograd.grad(y, x)"])
def test_an_anomaly_names_the_line_that_made_the_node(ask: str) -> None:
    (message, line), (error, _) = heard(FORWARD + ask)
    assert message == (
        "Error detected in SqrtBackward0. Traceback of forward call that caused the error:\n"
        '  File "lesson.py", line 6\n    return t.sqrt()\n'
    )
    assert line == 8
    assert error == "Function 'SqrtBackward0' returned nan values in its 0th output."


def test_an_anomaly_of_a_node_from_before() -> None:
    (message, _), _ = heard(LATE + "y.backward()")
    assert message == (
        "Error detected in SqrtBackward0. No forward pass information available. Enable detect anomaly during forward "
        "pass for more information."
    )


def test_a_changed_tensor_under_anomaly_detection() -> None:
    (message, _), (error, _) = heard(CHANGED + "y.sum().backward()")
    assert message.startswith("Error detected in ExpBackward0.")
    assert error.endswith("The variable in question was changed in there or anywhere later. Good luck!")


def test_nothing_is_kept_for_the_next_snippet() -> None:
    heard(FORWARD + "y.backward()")
    assert heard("x = torch.tensor([0.], requires_grad=True)\n(x.sqrt() * 0).backward()\n") == []
