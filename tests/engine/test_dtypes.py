"""Single and double precision, integers and booleans: what a result is made of."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import gradcli.ops
from gradcli.engine.backward import grad
from gradcli.engine.modes import switched
from gradcli.engine.tensor import Tensor, tensor
from gradcli.errors import AutogradError
from gradcli.ops.support.surface import OPERATIONS

gradcli.ops.load()
SINGLE, DOUBLE = np.dtype(np.float32), np.dtype(np.float64)


def test_integers_never_widen() -> None:
    with switched(default_dtype=SINGLE):
        x = tensor([1.5, 2.5], requires_grad=True)
        n = tensor([2, 3])
        for result in (x * n, n * x, x / n, n - x, x**n, OPERATIONS["stack"]([x, n])):
            assert result.dtype == SINGLE
        assert (n / n).dtype == SINGLE
        assert (n * n).dtype == np.int64
        assert (x * tensor(np.array([1.0, 2.0]))).dtype == DOUBLE
        assert (x * 2.5).dtype == SINGLE


def test_a_gradient_has_the_dtype_of_its_leaf() -> None:
    x = tensor(np.array([1.5, 2.5], SINGLE), requires_grad=True)
    y = tensor(np.array([2.0, 3.0]), requires_grad=True)
    for create_graph in (False, True):
        by_x, by_y = grad([x * y], [x, y], [np.ones(2)], create_graph=create_graph)
        assert by_x is not None
        assert by_y is not None
        assert (by_x.dtype, by_y.dtype) == (SINGLE, DOUBLE)
        np.testing.assert_array_equal(by_x.value, [2, 3])
    again = grad([by_x], [y], [np.ones(2)])[0]  # through the change of dtype
    assert again is not None
    np.testing.assert_array_equal(again.value, [1, 1])
    assert by_x.grad_fn is not None
    assert by_x.grad_fn.name() == "ToCopyBackward0"


@pytest.mark.parametrize("data", [[1, 2], True])
def test_only_fractions_require_grad(data: Any) -> None:
    with pytest.raises(AutogradError, match="Only Tensors of floating point and complex dtype can require gradients"):
        tensor(data, requires_grad=True)
    x: Tensor = tensor(data)
    with pytest.raises(AutogradError, match="only Tensors of floating point dtype can require gradients"):
        x.requires_grad_()


@pytest.mark.parametrize("data", ["word", [1, None], [1, "two"], ..., 10**30])
def test_a_tensor_holds_numbers_or_booleans(data: Any) -> None:
    with pytest.raises(TypeError, match="a tensor holds numbers or booleans, not"):
        tensor(data)
