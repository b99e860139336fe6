"""In-place changes: what torch refuses, what it lets through, and the versions that it counts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import gradcli.ops  # noqa: F401 - installs the methods
from gradcli.engine.modes import set_grad_enabled
from gradcli.engine.tensor import Tensor, tensor
from gradcli.errors import AutogradError

LEAF = "a leaf Variable that requires grad is being used in an in-place operation."
VIEW = "a view of a leaf Variable that requires grad is being used in an in-place operation."


def leaf(*values: float) -> Tensor:
    return tensor([float(value) for value in values], requires_grad=True)


@pytest.mark.parametrize(
    ("change", "text"),
    [
        (lambda a: a.add_(1), LEAF),
        (lambda a: a.exp_(), LEAF),
        (lambda a: a[0].mul_(2), VIEW),
        (lambda a: a[:2].sub_(1), VIEW),
        (lambda a: a.view(3).add_(1), VIEW),
    ],
)
def test_a_leaf_that_requires_grad_is_not_changed(change: Callable[[Any], Any], text: str) -> None:
    with pytest.raises(AutogradError) as refusal:
        change(leaf(1, 2, 3))
    assert refusal.value.message == text


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


def test_the_gradient_follows_the_change() -> None:
    a = leaf(0, 1)
    b = a * 2
    b.exp_()  # type: ignore[attr-defined]
    b.backward([1, 1])
    assert a.grad is not None
    np.testing.assert_allclose(a.grad.value, 2 * np.exp([0, 2]))


def test_a_saved_value_may_not_change() -> None:
    b = leaf(1, 2) * 1
    square = b * b
    b.add_(1)  # type: ignore[attr-defined]
    with pytest.raises(
        AutogradError, match=r"\[torch\.DoubleTensor \[2\]\], which is output 0 of Add, is at version 1; e"
    ):
        square.backward([1, 1])


def test_a_saved_result_may_not_change() -> None:
    b = leaf(1, 2).exp()  # type: ignore[attr-defined]
    b.mul_(2)
    with pytest.raises(AutogradError, match="which is output 0 of Exp, is at version 1; expected version 0"):
        b.backward([1, 1])


def test_a_value_that_no_rule_needs_may_change() -> None:
    a = leaf(1)
    b = a * 2
    shifted = b + 1
    b.add_(5)  # type: ignore[attr-defined]
    shifted.backward([1])
    assert a.grad is not None
    assert a.grad.value == 2


def test_aliases_share_memory_and_version() -> None:
    b = leaf(1, 2) * 1
    b.detach().add_(1)  # type: ignore[attr-defined]
    assert (b._version, b.value.tolist()) == (1, [2, 3])


def test_a_leaf_may_change_where_nothing_is_recorded() -> None:
    a = leaf(1, 2)
    with set_grad_enabled(False):
        a.sub_(1)  # type: ignore[attr-defined]
    assert (a.value.tolist(), a.is_leaf, a.requires_grad, a._version) == ([0, 1], True, True, 1)


@pytest.mark.parametrize(
    ("target", "other", "text"),
    [
        (tensor([0.0, 0, 0]), tensor([[1.0], [2.0]]), "output with shape [3] doesn't match the broadcast shape [2, 3]"),
        (tensor([1, 2]), tensor(1.5), "result type Double can't be cast to the desired output type Long"),
    ],
)
def test_shape_and_kind_stay(target: Any, other: Tensor, text: str) -> None:
    with pytest.raises(AutogradError) as refusal:
        target.add_(other)
    assert refusal.value.message == text


def test_a_part_is_assigned_and_the_gradient_goes_to_the_value() -> None:
    a, v = leaf(1, 2, 3), leaf(5)
    b: Any = a * 1
    b[1:2] = v
    (b * b).backward([1, 1, 1])
    assert (b.value.tolist(), b._version) == ([1, 5, 3], 1)
    assert a.grad is not None
    assert v.grad is not None
    assert (a.grad.value.tolist(), v.grad.value.tolist()) == ([2, 0, 6], [10])


def test_a_view_changes_its_base_and_the_other_views() -> None:
    a = leaf(1, 2, 3)
    b: Any = a * 1
    row, other = b[:2], b.view(3)
    row.mul_(10)
    assert b.value.tolist() == other.value.tolist() == [10, 20, 3]
    assert b.grad_fn.name() == "torch::autograd::CopySlices"
    assert other.grad_fn.name() == row.grad_fn.name() == "AsStridedBackward0"
    other.backward([1, 1, 1])
    assert a.grad is not None
    assert a.grad.value.tolist() == [10, 10, 1]


def test_data_has_a_version_of_its_own() -> None:
    a = leaf(1, 2)
    a.data.add_(1)  # type: ignore[attr-defined]
    assert (a.value.tolist(), a._version) == ([2, 3], 0)


def test_gradients_accumulate_in_the_same_memory() -> None:
    a = leaf(1, 2)
    (a * 2).backward([1, 1])
    assert a.grad is not None
    seen, alias = a.grad.numpy(), a.grad
    (a * 2).backward([1, 1])
    assert a.grad is alias
    assert seen.tolist() == [4, 4]
