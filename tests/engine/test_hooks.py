"""Hooks: their order, what they see, what they may change."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import gradcli.ops
from gradcli.engine.backward import grad
from gradcli.engine.tensor import Tensor, tensor
from gradcli.errors import AutogradError

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
    (y * y).backward()
    assert seen == [("tensor", 12), ("prehook", 12), ("posthook", (36, 12)), ("leaf", 36)]


def test_what_a_hook_returns_takes_the_place_of_the_gradient() -> None:
    x = leaf(2)
    y = x * 3
    y.retain_grad()
    y.register_hook(lambda g: g * 10)
    y.register_hook(lambda g: g + 1)
    x.register_hook(lambda g: -g)
    y.backward()
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
    y.backward()
    assert y.grad is not None
    assert x.grad is not None
    assert (y.grad.item(), x.grad.item()) == (1, 15)


def test_a_hook_sees_the_whole_gradient_once() -> None:
    seen: list[float] = []
    x = leaf(2)
    y = x * 1
    y.register_hook(lambda g: seen.append(g.item()))
    x.register_hook(lambda g: seen.append(g.item()))
    (y * y + y).backward()
    assert seen == [5, 5]


def test_a_removed_hook_is_not_called() -> None:
    seen: list[float] = []
    x = leaf(2)
    handle = x.register_hook(lambda g: seen.append(g.item()))
    (x * 3).backward()
    handle.remove()
    handle.remove()  # once more does nothing
    (x * 3).backward()
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
