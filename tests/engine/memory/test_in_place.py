"""In-place changes: what torch refuses, what it lets through, and the versions that it counts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import gradcli.ops  # noqa: F401 - installs the methods
from gradcli.engine.tensor import Tensor, tensor
from gradcli.errors import AutogradError


def leaf(*values: float) -> Tensor:
    return tensor([float(value) for value in values], requires_grad=True)


@pytest.mark.parametrize(
    ("change", "node"),
    [
        (lambda b: b.add_(1), "AddBackward0"),
        (lambda b: b.exp_(), "ExpBackward0"),
        (lambda b: b.clamp_(0, 1), "ClampBackward1"),
        (lambda b: b.div_(2), "DivBackward0"),
    ],
)
def test_a_result_takes_the_node_of_what_changed_it(change: Callable[[Any], Any], node: str) -> None:
    b = leaf(1, 2) * 1
    change(b)
    assert b.grad_fn is not None
    assert (b.grad_fn.name(), b._version) == (node, 1)


def test_a_saved_value_may_not_change() -> None:
    b = leaf(1, 2) * 1
    square = b * b
    b.add_(1)  # type: ignore[attr-defined]
    with pytest.raises(
        AutogradError, match=r"\[torch\.DoubleTensor \[2\]\], which is output 0 of Add, is at version 1; e"
    ):
        square.backward([1, 1])
