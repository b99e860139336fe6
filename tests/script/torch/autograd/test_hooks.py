"""Hooks: their order, what they see, what they may change."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import gradcli.ops
from gradcli.engine.tensor import Tensor, tensor
from gradcli.errors import AutogradError
from gradcli.script.torch.autograd.rites import grad
from tests.script.passes import backward

gradcli.ops.load()


def leaf(data: object) -> Tensor:
    return tensor(np.array(data, dtype=np.float64), requires_grad=True)


def test_the_order_of_hooks() -> None:
    seen: list[tuple[str, Any]] = []
    x = leaf(2)
    y = x * 3
    assert y.grad_fn is not None
    y.grad_fn.register_hook(lambda gave, got: seen.append(("posthook", (gave[0].item(), got[0].item()))))
    y.grad_fn.register_prehook(lambda got: seen.append(("prehook", got[0].item())))
    y.register_hook(lambda g: seen.append(("tensor", g.item())))
    x.register_hook(lambda g: seen.append(("leaf", g.item())))
    backward(y * y)
    assert seen == [("tensor", 12), ("prehook", 12), ("posthook", (36, 12)), ("leaf", 36)]


def test_what_a_hook_returns_takes_the_place_of_the_gradient() -> None:
    x = leaf(2)
    y = x * 3
    y.retain_grad()
    y.register_hook(lambda g: g * 10)
    y.register_hook(lambda g: g + 1)
    x.register_hook(lambda g: -g)
    backward(y)
    assert y.grad is not None
    assert x.grad is not None
    assert y.grad.item() == 11  # after all hooks, though asked for first
    assert x.grad.item() == -33


def test_a_prehook_changes_what_flows_and_not_what_is_retained() -> None:
    x = leaf(2)
    y = x * 3
    y.retain_grad()
    assert y.grad_fn is not None
    y.grad_fn.register_prehook(lambda got: (got[0] * 5,))
    backward(y)
    assert y.grad is not None
    assert x.grad is not None
    assert (y.grad.item(), x.grad.item()) == (1, 15)


def test_a_hook_sees_the_whole_gradient_once() -> None:
    seen: list[float] = []
    x = leaf(2)
    y = x * 1
    y.register_hook(lambda g: seen.append(g.item()))
    x.register_hook(lambda g: seen.append(g.item()))
    backward(y * y + y)
    assert seen == [5, 5]


def test_a_removed_hook_is_not_called() -> None:
    seen: list[float] = []
    x = leaf(2)
    handle = x.register_hook(lambda g: seen.append(g.item()))
    backward(x * 3)
    handle.remove()
    handle.remove()  # once more does nothing
    backward(x * 3)
    assert seen == [3]


def test_a_gradient_is_captured_after_the_hooks_unless_it_flows_on() -> None:
    x = leaf(2)
    y = x * 3
    y.register_hook(lambda g: g * 2)
    by_x, by_y = grad([y * y], [x, y])
    (alone,) = grad([y * y], [y])
    assert by_x is not None
    assert by_y is not None
    assert alone is not None
    assert (by_x.item(), by_y.item(), alone.item()) == (72, 12, 24)


def test_a_hook_may_use_the_graph_under_create_graph() -> None:
    x = leaf(3)
    y = x * x
    y.register_hook(lambda g: g * x)
    (first,) = grad([y], [x], create_graph=True)
    assert first is not None
    (second,) = grad([first], [x])
    assert second is not None
    assert (first.item(), second.item()) == (18, 12)


def test_constants_take_no_hooks() -> None:
    with pytest.raises(AutogradError, match="cannot register a hook on a tensor that doesn't require gradient"):
        tensor(1.0).register_hook(lambda g: g)


def test_only_the_hooks_of_what_is_between_run() -> None:
    ran = []
    x, y = leaf(2), leaf(3)
    a, b = x * x, y * y
    assert b.grad_fn is not None
    b.grad_fn.register_hook(lambda gave, got: ran.append("b"))
    z = a * b
    grad([z], [x], retain_graph=True)
    assert ran == []
    grad([z], [y])
    assert ran == ["b"]


def test_retain_grad_keeps_the_gradient_of_a_result() -> None:
    x = leaf(2)
    y = x * 3
    y.retain_grad()
    x.retain_grad()  # a leaf keeps its own anyway
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert y.grad is None
    backward(y * y)
    assert y.retains_grad
    assert not x.retains_grad
    assert y.grad is not None
    assert y.grad.item() == 12
    with pytest.raises(AutogradError, match="can't retain_grad on Tensor that has requires_grad=False"):
        tensor(1.0).retain_grad()


def test_what_hooks_saw_stays() -> None:
    x, seen = leaf(np.full(10, 0.5)), list[Tensor]()
    y = x * 2
    x.register_hook(seen.append)
    y.register_hook(seen.append)
    assert y.node is not None
    y.node.register_hook(lambda gave, got: seen.extend(g for g in (*gave, *got) if g is not None))  # type: ignore[arg-type]
    y.retain_grad()
    backward(y * 3 + y * 4 + x * 5, np.ones(10))
    x.grad.value[...] = np.nan  # type: ignore[union-attr]
    assert sorted({float(g.value[0]) for g in seen}) == [7, 14, 19]
    assert all((g.value == g.value[0]).all() for g in seen)
    assert (y.grad.value == 7).all()  # type: ignore[union-attr]


def test_what_a_hook_put_in_its_place_stays() -> None:
    x, other = leaf(np.full(10, 0.5)), np.full(10, 3.0)
    x.register_hook(lambda g: Tensor(other))
    backward(x * 2, np.ones(10))
    x.grad.value[...] = 7  # type: ignore[union-attr]
    assert (other == 3).all()
