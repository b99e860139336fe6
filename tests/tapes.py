"""The applications of primitives in a program, in its backward pass, and in the backward pass of that."""

from __future__ import annotations

from typing import Any

from gradcli.engine.backward import grad
from gradcli.engine.modes import set_grad_enabled
from gradcli.engine.recorder import Application, record
from gradcli.engine.tensor import Tensor
from tests.programs import run


def tape_of(program: str) -> list[Application]:
    """The applications, as they ran."""
    found = run(program)
    used = [line.application for line in found.evaluation.lines if line.application is not None]
    outputs, leaves = [found.output], list(found.leaves.values())
    with record() as tape, set_grad_enabled(True):
        seed: Any = Tensor(found.upstream)
        for _ in range(2):
            if not outputs[0].requires_grad:
                break
            given = grad(outputs, leaves, [seed] * len(outputs), create_graph=True, allow_unused=True)
            flows = [g for g in given if g is not None and g.requires_grad]
            if not flows:
                break
            outputs = [sum_of_squares(flows)]
            seed = None
    return [*used, *tape]


def sum_of_squares(tensors: list[Tensor]) -> Tensor:
    total: Any = 0.0
    for x in tensors:
        total = total + (x * x).sum()
    return total  # type: ignore[no-any-return]
