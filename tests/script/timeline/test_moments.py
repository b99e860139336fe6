"""What a row shows is what was there when it ran: rows, derivatives and formulas hold at the values beside them."""

from __future__ import annotations

import random
from collections.abc import Iterator

import numpy as np
import pytest

from gradcli.explanation.model import Explanation
from gradcli.language.tree import Expression
from gradcli.language.unparser import unparse
from gradcli.script.timeline.model import Backward, Forward
from tests.script.running import recorded

START = """\
import torch
a = torch.tensor([2.0, 4.0], requires_grad=True)
b = torch.tensor([3.0, 0.5], requires_grad=True)
k = torch.tensor([1.5, 2.0])
"""
FUNCTIONS = {name: getattr(np, name) for name in ("exp", "sum", "tanh", "where", "mean", "ones", "zeros")}
FUNCTIONS["expand"] = np.broadcast_to
OPERATIONS = ["{x} * {y}", "{x} + {y}", "{x} - {y}", "torch.tanh({x})", "({x} * 0.5).exp_()", "{x} * {x}"]
CHANGES = ["k.mul_(2)", "k.zero_()", "{x}.data.mul_(3)", "{x}.detach().add_(1)", "{x}.data[0] = 0.25"]


def snippet(seed: int) -> str:
    """Return a program that computes, changes memory in several ways in between, and passes backward."""
    draw = random.Random(seed)
    names, lines = ["a", "b", "k"], []
    for number in range(5):
        x, y = draw.choice(names), draw.choice(names)
        lines.append(f"r{number} = {draw.choice(OPERATIONS).format(x=x, y=y)} + 0 * a")
        names.append(f"r{number}")
        if draw.random() < 0.5:
            lines.append(draw.choice(CHANGES).format(x=draw.choice(names)))
    lines += ["try:", f"    (r4 * {draw.choice(names)}).sum().backward()", "except RuntimeError:", "    pass"]
    return START + "\n".join(lines) + "\n"


def value_of(tree: Expression, values: dict[str, object]) -> object:
    return eval(unparse(tree), {}, {**FUNCTIONS, **values})


def rows(explanation: Explanation) -> Iterator[tuple[str, Expression, object]]:
    """Yield what is printed as equal: forward rows, local derivatives, formulas of gradients."""
    for node in explanation.nodes:
        if node.kind == "op":
            yield node.name, node.expression, node.value
        for local in node.locals:
            if local.formula is not None and local.value is not None:
                yield f"{node.name} by {local.input}", local.formula, local.value
    for leaf in explanation.leaves:
        if leaf.formula is not None:
            yield f"gradient of {leaf.name}", leaf.formula, leaf.gradient


@pytest.mark.parametrize("seed", range(40))
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_every_row_holds_at_the_values_beside_it(seed: int) -> None:
    timeline = recorded(snippet(seed))
    for event in timeline.events:
        if isinstance(event, Backward) and event.explanation is not None:
            values = {node.name: node.value for node in event.explanation.nodes}
            for name, tree, value in rows(event.explanation):
                close = np.allclose(np.broadcast_to(value_of(tree, values), np.shape(value)), value, rtol=1e-4)
                assert close, f"{name} = {unparse(tree)} is not {value} in\n{snippet(seed)}"


def test_a_result_is_shown_as_it_was_made() -> None:
    timeline = recorded(f"{START}y = (k * 2).exp_()\n")
    first, second = (made for event in timeline.events if isinstance(event, Forward) for made in event.made)
    assert unparse(first.expression) == "2*k"
    assert np.array_equal(np.asarray(first.value), [3, 4])
    assert unparse(second.expression).startswith("exp(")
