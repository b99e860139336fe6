"""Causes in live graphs of torch: planted faults are found, right models are not blamed, and nothing changes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import gradcli

torch = pytest.importorskip("torch")
nn = torch.nn
Live = tuple[Any, Any, Any]


def right() -> Live:
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(3, 6), nn.ReLU(), nn.Linear(6, 1))
    loss = (model(torch.randn(8, 3)) - torch.randn(8, 1)).pow(2).mean()
    return loss, model, torch.optim.SGD(model.parameters(), lr=0.1)


def column() -> Live:
    _, model, optimizer = right()
    return (model(torch.randn(8, 3)) - torch.randn(8)).pow(2).mean(), model, optimizer


def dead() -> Live:
    _, model, optimizer = right()
    nn.init.constant_(model[0].bias, -100.0)
    return model(torch.randn(8, 3)).mean(), model, optimizer


def root_of_zero() -> Live:
    _, model, optimizer = right()
    return (model(torch.randn(8, 3)) * 0).pow(2).sum().sqrt(), model, optimizer


def masked() -> Live:
    _, model, optimizer = right()
    out = model(torch.randn(8, 3)) * 0
    return torch.where(out > 0, out.log(), out).sum(), model, optimizer


def forgotten_head() -> Live:
    loss, model, _ = right()
    both = nn.ModuleDict({"used": model, "head": nn.Linear(1, 1)})
    return loss, both, torch.optim.SGD(both.parameters(), lr=0.1)


def replaced() -> Live:
    _, model, optimizer = right()
    model[2] = nn.Linear(6, 1)
    return model(torch.randn(8, 3)).mean(), model, optimizer


def half_held() -> Live:
    loss, model, _ = right()
    return loss, model, torch.optim.SGD(model[0].parameters(), lr=0.1)


def saturated() -> Live:
    model = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 1))
    nn.init.constant_(model[0].weight, 1e4)
    return model(torch.ones(5, 3)).mean(), model, torch.optim.SGD(model.parameters(), lr=0.1)


def deep(scale: float) -> Live:
    torch.manual_seed(0)
    model = nn.Sequential(*(nn.Linear(8, 8, bias=False) for _ in range(8)))
    for layer in model:
        nn.init.normal_(layer.weight, std=scale)
    return model(torch.randn(4, 8)).mean(), model, torch.optim.SGD(model.parameters(), lr=0.1)


FAULTS: dict[str, list[Callable[[], Live]]] = {
    "broadcast-loss": [column],
    "dead-units": [dead],
    "nan-at-edge": [root_of_zero, masked],
    "unused-parameter": [forgotten_head],
    "optimizer-stale": [replaced],
    "not-registered": [half_held],
    "saturated": [saturated],
    "vanishing": [lambda: deep(0.01)],
    "exploding": [lambda: deep(8.0)],
}


@pytest.mark.parametrize(("code", "make"), [(code, make) for code, makes in FAULTS.items() for make in makes])
def test_a_planted_fault_is_found_first_and_nothing_changes(code: str, make: Callable[[], Live]) -> None:
    loss, model, optimizer = make()
    before = [p.detach().clone() for p in model.parameters()]
    found = gradcli.why(loss, model, optimizer)
    assert found[0].code == code
    assert repr(found).startswith(found[0].name[:20])
    assert all(p.grad is None and torch.equal(p, old) for p, old in zip(model.parameters(), before, strict=True))
    loss.backward()


@pytest.mark.parametrize("make", [right, lambda: deep(0.4)])
def test_nothing_is_said_of_a_right_model(make: Callable[[], Live]) -> None:
    assert repr(gradcli.why(*make())) == "nothing suspicious in this graph: all that it holds"


def trained(order: str, lr: float = 0.1) -> list[str]:
    _, model, _ = right()
    x, y = torch.randn(8, 3), torch.randn(8, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=lr)
    with gradcli.watch(model, optimizer) as watched:
        for _ in range(4):
            loss = (model(x) - y).pow(2).mean()
            for call in order:
                {"z": optimizer.zero_grad, "b": loss.backward, "s": optimizer.step}[call]()
    assert "zero_grad" not in vars(optimizer)
    assert torch.Tensor.backward.__module__ == "torch._tensor"
    return [one.code for one in watched.findings]


def test_the_order_of_calls_is_watched() -> None:
    assert trained("zbs") == []
    assert trained("bsz") == []
    assert trained("bs")[0] == "accumulated"
    assert trained("bzs")[0] == "cleared-early"
    assert "diverging" in trained("zbs", lr=300.0)
    assert trained("zsb")[0] == "step-without-backward"
