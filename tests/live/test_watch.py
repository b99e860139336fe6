"""What a watch says of loops that clear gradients in other ways than by the optimizer."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch

import gradcli

CLEARING: dict[str, Callable[[torch.nn.Module], None]] = {
    "by the model": lambda net: net.zero_grad(),
    "to zeros": lambda net: net.zero_grad(set_to_none=False),
    "by hand": lambda net: [setattr(p, "grad", None) for p in net.parameters()] and None,
}


def codes(clear: Callable[[torch.nn.Module], None], *, is_late: bool = False) -> list[str]:
    """Return what is found in a loop that clears before its step, or `is_late` after its pass."""
    net = torch.nn.Linear(3, 1)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.01)
    with gradcli.watch(net, optimizer) as watch:
        for _ in range(4):
            if not is_late:
                clear(net)
            net(torch.ones(5, 3)).pow(2).mean().backward()
            if is_late:
                optimizer.zero_grad()
            optimizer.step()
    return [one.code for one in watch.findings]


@pytest.mark.parametrize("clear", CLEARING.values(), ids=CLEARING)
def test_gradients_that_are_cleared_are_not_added_to(clear: Callable[[torch.nn.Module], None]) -> None:
    assert codes(clear) == []


def test_gradients_that_nobody_clears_are() -> None:
    assert codes(lambda net: None) == ["accumulated"]


def test_an_early_clearing_is_one_finding() -> None:
    assert codes(lambda net: None, is_late=True) == ["cleared-early"]
