"""Leaves, what requires grad, and where gradients gather."""

from __future__ import annotations

import numpy as np
import pytest

import gradcli.ops
from gradcli.engine.checks.gradients import NON_LEAF_GRAD
from gradcli.engine.graph import AccumulateGrad
from gradcli.engine.modes import set_grad_enabled
from gradcli.engine.tensor import Tensor, tensor
from gradcli.errors import AutogradError

gradcli.ops.load()


def leaf(data: object) -> Tensor:
    return tensor(np.array(data, dtype=np.float64), requires_grad=True)


def test_a_result_requires_grad_when_an_input_does() -> None:
    x, c = leaf(2), tensor(3.0)
    assert x.is_leaf
    assert c.is_leaf
    assert (x * c).requires_grad
    assert not (x * c).is_leaf
    assert not (c * c).requires_grad
    assert (c * c).is_leaf
    assert (c * c).grad_fn is None
    assert x.grad_fn is None
    assert not (x > c).requires_grad


def test_gradients_accumulate_into_the_same_object() -> None:
    x = leaf([1, 2])
    (x * x).sum().backward()
    first = x.grad
    assert first is not None
    (3 * x).sum().backward()
    assert x.grad is first
    np.testing.assert_array_equal(first.value, [5, 7])


def test_a_first_gradient_shares_no_memory() -> None:
    x, y, g = leaf([1, 2]), leaf([3, 4]), np.ones(2)
    (x + y).backward(g)
    assert x.grad is not None
    assert y.grad is not None
    g[0] = 7
    x.grad.array[1] = 9
    np.testing.assert_array_equal(x.grad.value, [1, 9])
    np.testing.assert_array_equal(y.grad.value, [1, 1])


def test_zero_is_not_none() -> None:
    w, unused = leaf(2), leaf(3)
    (w * 0).backward()
    assert w.grad is not None
    assert w.grad.item() == 0
    assert unused.grad is None


def test_the_grad_of_a_result_warns() -> None:
    y = leaf(2) * 3
    with pytest.warns(UserWarning, match="not a leaf Tensor") as caught:
        assert y.grad is None
    assert str(caught[0].message) == NON_LEAF_GRAD
    assert NON_LEAF_GRAD.startswith("The .grad attribute of a Tensor that is not a leaf Tensor is being accessed. Its")


def test_detach_leaves_the_graph_and_keeps_the_memory() -> None:
    x = leaf([1, 2])
    y = x * 1
    d = y.detach()
    assert d.is_leaf
    assert not d.requires_grad
    assert d.array is y.value
    (y * d).backward(np.ones(2))
    assert x.grad is not None
    np.testing.assert_array_equal(x.grad.value, [1, 2])


def test_no_grad_records_nothing() -> None:
    x = leaf(2)
    with set_grad_enabled(False):
        y = x * x
        with set_grad_enabled(True):
            z = x * x
    assert not y.requires_grad
    assert z.requires_grad
    assert (x * x).requires_grad


def test_grad_mode_comes_back_after_an_error() -> None:
    x = leaf(2)
    with pytest.raises(ZeroDivisionError), set_grad_enabled(False):
        raise ZeroDivisionError
    assert (x * x).requires_grad


def test_requires_grad_can_change_on_leaves_alone() -> None:
    x = tensor(1.5).requires_grad_()
    assert isinstance(x.node, AccumulateGrad)
    y = x * 2
    with pytest.raises(AutogradError) as caught:
        y.requires_grad = False
    assert str(caught.value) == (
        "you can only change requires_grad flags of leaf variables. If you want to use a computed variable in a "
        "subgraph that doesn't require differentiation use var_no_grad = var.detach()."
    )
    y.requires_grad = True  # it does already
    x.requires_grad = False
    assert not (x * 2).requires_grad


def test_numpy_and_item() -> None:
    x = leaf([1, 2])
    with pytest.raises(AutogradError) as caught:
        x.numpy()
    assert str(caught.value) == "Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead."
    view = x.detach().numpy()
    view[0] = 5
    assert x.value[0] == 5
    with pytest.raises(AutogradError, match="a Tensor with 2 elements cannot be converted to Scalar"):
        x.item()
    assert leaf([[4]]).item() == 4
    assert leaf(4).detach().numpy().shape == ()
