"""The formulas that tell an update give the numbers that the step gives, for every optimizer and its options."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from gradcli.script.timeline.model import Update, Updated
from tests.programs import some
from tests.script.running import recorded
from tests.script.torch.optim.test_optimizers import CASES as DECLARED

CASES: list[tuple[str, dict[str, Any]]] = [*DECLARED, ("LBFGS", {"lr": 0.1, "max_iter": 3}), ("LBFGS", {})]
SHAPES = ["", "3", "2, 4"]
STEPS = 9


def snippet(name: str, options: dict[str, Any], shape: str) -> str:
    given = ", ".join(f"{option}={value!r}" for option, value in options.items())
    return f"""import torch
torch.manual_seed(1)
w = torch.randn({shape or "()"}, dtype=torch.float64, requires_grad=True)
target = torch.randn({shape or "()"}, dtype=torch.float64)
optimizer = torch.optim.{name}([w], {given})
def loss():
    optimizer.zero_grad()
    found = ((w - target)**2 * torch.exp(w)).sum()
    found.backward()
    return found
for step in range({STEPS}):
    {"optimizer.step(loss)" if name == "LBFGS" else "loss(); optimizer.step()"}
"""


@pytest.mark.slow
@pytest.mark.parametrize(("name", "options", "shape"), some(((*case, x) for case in CASES for x in SHAPES), 3))
def test_the_lines_of_an_update_are_the_step(name: str, options: dict[str, Any], shape: str) -> None:
    events = [one for one in recorded(snippet(name, options, shape), all=True).events if isinstance(one, Updated)]
    assert len(events) == STEPS
    kept: dict[str, Any] = {}
    for event in events:
        (update,) = event.updates
        ((_, before, after),) = event.parameters
        kept |= {line.target: line.value for line in update.lines}
        np.testing.assert_allclose(kept["w"], after[update.entry], 1e-6)
        if name != "LBFGS":
            start = first(update, "w")
            assert start == before[update.entry]
            np.testing.assert_allclose(kept["w"] - start, after[update.entry] - start, 1e-4, 1e-9)


def first(update: Update, name: str) -> Any:
    """Return the number that a name stands for where the lines first use it."""
    return next((value for line in update.lines for operand, value in line.operands if operand == name), None)
