"""Leaves, what requires grad, and where gradients gather."""

from __future__ import annotations

import numpy as np
import pytest

import gradcli.ops
from gradcli.engine.graph import AccumulateGrad
from gradcli.engine.tensor import NON_LEAF_GRAD, Tensor, tensor
from gradcli.errors import AutogradError

gradcli.ops.load()


def leaf(data: object) -> Tensor:
    return tensor(np.array(data, dtype=np.float64), requires_grad=True)


def test_the_grad_of_a_result_warns() -> None:
    y = leaf(2) * 3
    with pytest.warns(UserWarning, match="not a leaf Tensor") as caught:
        assert y.grad is None
    assert str(caught[0].message) == NON_LEAF_GRAD
    assert NON_LEAF_GRAD.startswith("The .grad attribute of a Tensor that is not a leaf Tensor is being accessed. Its")


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
