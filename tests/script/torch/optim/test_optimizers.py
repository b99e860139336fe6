"""Optimizers step as torch's do: after a hundred steps the numbers agree."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from gradcli.engine.modes import switched
from gradcli.engine.tensor import Tensor
from gradcli.script.torch.optim.module import OPTIMIZERS
from tests.script.agreement import REFUSED_BY_KIND, agree
from tests.script.running import ours

SHAPES = [(16, 2), (16,), (), (3,), (1, 1)]
STEPS = 100

CASES: list[tuple[str, dict[str, Any]]] = [
    ("SGD", {"lr": 0.013}),
    ("SGD", {"lr": 0.013, "momentum": 0.9}),
    ("SGD", {"lr": 0.013, "momentum": 0.9, "nesterov": True, "weight_decay": 0.01}),
    ("SGD", {"lr": 0.013, "momentum": 0.9, "dampening": 0.3, "maximize": True}),
    ("SGD", {"lr": 1.0, "weight_decay": 0.1}),
    ("Adam", {"lr": 0.013}),
    ("Adam", {"betas": (0.3, 0.8), "weight_decay": 0.1, "amsgrad": True}),
    ("AdamW", {"lr": 0.013}),
    ("AdamW", {"amsgrad": True, "maximize": True}),
    ("RMSprop", {}),
    ("RMSprop", {"momentum": 0.9, "centered": True, "weight_decay": 0.01}),
    ("Adagrad", {}),
    ("Adagrad", {"lr_decay": 0.1, "weight_decay": 0.01}),
]


def stepped(
    make: Callable[[list[Any]], Any], leaf: Callable[[Any], Any], value: Callable[[Any], Any], dtype: str
) -> tuple[list[Any], list[Any], list[int]]:
    """The parameters, the states and the versions after a hundred steps along random gradients."""
    numbers = np.random.default_rng(0)
    parameters = [leaf(numbers.standard_normal(shape).astype(dtype)) for shape in SHAPES]
    optimizer = make(parameters)
    for _ in range(STEPS):
        for parameter, shape in zip(parameters, SHAPES, strict=True):
            gradient = leaf(numbers.standard_normal(shape).astype(dtype))
            parameter.grad = gradient.detach()
        optimizer.step()
    states = [{name: value(x) for name, x in optimizer.state[p].items()} for p in parameters if p in optimizer.state]
    return [value(p) for p in parameters], states, [p._version for p in parameters]


def both(name: str, options: dict[str, Any], dtype: str) -> tuple[Any, Any]:
    torch = pytest.importorskip("torch")
    with switched(default_dtype=np.dtype("float32")):
        here = stepped(
            lambda p: OPTIMIZERS[name](p, **options),  # type: ignore[call-arg]
            lambda x: Tensor(np.array(x)[()]).requires_grad_(),
            lambda x: np.array(x.value),
            dtype,
        )
    there = stepped(
        lambda p: getattr(torch.optim, name)(p, **options),
        lambda x: torch.tensor(x, requires_grad=True),
        lambda x: x.detach().numpy(),
        dtype,
    )
    return here, there


def compare_states(here: list[Any], there: list[Any]) -> None:
    assert [list(state) for state in here] == [list(state) for state in there]
    for mine, theirs in zip(here, there, strict=True):
        for name, value in mine.items():
            np.testing.assert_allclose(value, theirs[name], 1e-4, 1e-6)


@pytest.mark.slow
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize(("name", "options"), CASES)
def test_steps_agree_with_torch(name: str, options: dict[str, Any], dtype: str) -> None:
    here, there = both(name, options, dtype)
    tolerance = 1e-5 if dtype == "float32" else 1e-13
    for mine, theirs in zip(here[0], there[0], strict=True):
        np.testing.assert_allclose(mine, theirs, tolerance, tolerance)
    compare_states(here[1], there[1])
    assert here[2] == there[2]


START = f"""import torch
from torch import optim
{REFUSED_BY_KIND}
a = torch.ones(2, requires_grad=True)
b = torch.zeros(1, requires_grad=True)
def ready():
    a.grad = torch.ones(2)
    b.grad = torch.ones(1) * 2
"""
SNIPPETS = [
    "def closure():\n    o.zero_grad(); l = ((a - 3)**4).sum() + (a[0] * b - 1)[0]**2\n    l.backward(); return l\n"
    "o = optim.LBFGS([a, b], lr=0.1, max_iter=3)\n"
    "for _ in range(4): print(round(o.step(closure).item(), 3), [round(v, 3) for v in (*a.tolist(), b.item())])\n"
    "print(o.state[a]['n_iter'], o.state[a]['func_evals'])",
    "refused(lambda: optim.LBFGS([{'params': [a]}, {'params': [b]}])); "
    "refused(lambda: optim.LBFGS([a]).step())",
    "o = optim.SGD([{'params': [a], 'lr': 0.5}, {'params': b}], lr=0.1, momentum=0.9); print(o)\n"
    "for g in o.param_groups: g['lr'] *= 0.1\nready(); o.step(); print(a, b, o.state, o.state_dict(), str(o))",
    "o = optim.SGD([a, b], lr=0.1); ready(); o.zero_grad(); print(a.grad, b.grad)\n"
    "ready(); o.zero_grad(set_to_none=False); print(a.grad, b.grad)",
    "o = optim.SGD([a, b], lr=0.1)\ndef closure():\n    o.zero_grad()\n    l = (a * a).sum()\n"
    "    l.backward()\n    return l\n"
    "print(o.step(closure), a, b, a.grad)",
    "o = optim.Adam([a, b], lr=0.1); ready(); o.step(); p = optim.Adam([a, b], lr=0.3); "
    "p.load_state_dict(o.state_dict())\n"
    "print(p, p.state_dict()); ready(); p.step(); print(a, b, p.state[a]['step'])",
    "refused(lambda: optim.SGD([], lr=0.1)); refused(lambda: optim.SGD(a, lr=0.1)); "
    "refused(lambda: optim.SGD([a * 2]))",
    "refused(lambda: optim.SGD([a], lr=-1)); refused(lambda: optim.SGD([a], momentum=-1)); "
    "refused(lambda: optim.SGD())",
    "refused(lambda: optim.SGD([a], weight_decay=-1)); refused(lambda: optim.SGD([a], lr=0.1, nesterov=True))",
    "refused(lambda: optim.Adam([a], betas=(1.0, 0.9))); refused(lambda: optim.Adam([a], betas=(0.9, -0.9)))",
    "refused(lambda: optim.RMSprop([a], alpha=-1)); refused(lambda: optim.Adagrad([a], lr_decay=-1))",
    "refused(lambda: optim.SGD([1.0])); refused(lambda: optim.SGD(['w'])); refused(lambda: optim.SGD(5))",
    "refused(lambda: optim.SGD([{'params': [a]}, {'params': [a]}], lr=0.1)); refused(lambda: optim.SGD({a}).step(5))",
    "refused(lambda: optim.SGD([{'params': {a}}], lr=0.1))",
    "o = optim.SGD([a]); refused(lambda: o.load_state_dict(optim.SGD([a, b]).state_dict()))\n"
    "refused(lambda: o.load_state_dict(optim.SGD([{'params': [a]}, {'params': [b]}]).state_dict()))",
    "print(optim.SGD([a], lr=torch.tensor(0.1)))",
]  # fmt: skip


@pytest.mark.parametrize("snippet", SNIPPETS)
def test_optimizers_print_what_torchs_print(snippet: str) -> None:
    agree(START + snippet)


def test_first_steps_are_known() -> None:
    """By hand: SGD goes down by the rate times the gradient, Adam by the rate."""
    for name, expected in (("SGD", 2 - 0.1 * 6), ("Adam", 2 - 0.1), ("AdamW", 2 * (1 - 0.1 * 0.01) - 0.1)):
        weight = Tensor(np.float64(2)).requires_grad_()
        weight.grad = Tensor(np.float64(6))
        OPTIMIZERS[name]([weight], lr=0.1).step()  # type: ignore[call-arg, attr-defined]
        assert weight.item() == pytest.approx(expected, 1e-8)


@pytest.mark.parametrize("option", ["capturable", "differentiable"])
def test_steps_of_another_kind_are_refused(option: str) -> None:
    text = f"import torch\ntorch.optim.Adam([torch.ones(1, requires_grad=True)], {option}=True)"
    assert f"Adam({option}=...) is not supported here" in ours(text)
