"""Optimizers with each set of options that torch's own tests try: parameters, state and options after a reload."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from gradcli.script.torch.optim.module import OPTIMIZERS
from tests.script.running import ours, torchs
from tests.script.torch.alike import alike, difference

START = """import copy, torch
def tried(kind, **options):
    torch.manual_seed(0)
    w = [torch.randn(size, dtype=torch.float64).requires_grad_() for size in ((3, 4), (4,), ())]
    x = torch.randn(6, 3, dtype=torch.float64)
    def closure():
        optimizer.zero_grad()
        loss = ((x @ w[0] + w[1]).tanh() * w[2]).pow(2).mean() + (w[0] - 1).pow(2).sum() * 0.1
        loss.backward()
        return loss
    try:
        optimizer = kind(w, **options)
        print(optimizer)
        for step in range(4):
            print(optimizer.step(closure).item())
            if step == 2:
                saved = copy.deepcopy(optimizer.state_dict())
                optimizer = kind(w, **options)
                optimizer.load_state_dict(saved)
        print(w, optimizer.state_dict())
    except Exception as error:
        print(type(error).__name__, error)
"""


def written(value: Any) -> str:
    import torch

    return f"torch.{value!r}" if isinstance(value, torch.Tensor) else repr(value)


def tries(name: str) -> Iterator[str]:
    """Yield a line for each set of options, valid or not, but for those whose step is refused here."""
    from torch.testing._internal.common_optimizers import optim_db

    (info,) = [info for info in optim_db if info.optim_cls.__name__ == name]
    wrong = info.optim_error_inputs_func("cpu", None) if info.optim_error_inputs_func else []
    for given in [*info.optim_inputs_func("cpu"), *(one.optimizer_error_input for one in wrong)]:
        if not given.kwargs.get("capturable"):
            options = "".join(f", {key}={written(value)}" for key, value in given.kwargs.items())
            yield f"tried(torch.optim.{name}{options})"


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(OPTIMIZERS.keys() - {"Optimizer"}))
def test_optimizers_take_torchs_options(name: str) -> None:
    pytest.importorskip("torch.testing._internal.common_optimizers")
    program = "\n".join([START, *tries(name)])
    here, there = ours(program), torchs(program)
    assert alike(here, there), difference(here, there)
