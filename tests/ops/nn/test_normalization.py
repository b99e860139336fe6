"""Normalization: what it leaves behind, what it gives of equal entries, and what it refuses."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from gradcli.engine.backward import grad
from gradcli.engine.tensor import tensor
from gradcli.errors import AutogradError
from gradcli.ops.support.surface import OPERATIONS
from tests.ops.structure import structure

X = [[1.0, 2.0], [3.0, 8.0]]


def test_training_moves_the_running_averages() -> None:
    mean, var = tensor([0.0, 0.0]), tensor([1.0, 1.0])
    out = OPERATIONS["batch_norm"](tensor(X), mean, var, training=True, momentum=0.5)
    np.testing.assert_allclose(out.value, [[-1, -1], [1, 1]], rtol=1e-4)
    np.testing.assert_allclose(mean.value, [1, 2.5])  # halfway to 2 and 5
    np.testing.assert_allclose(var.value, [1.5, 9.5])  # halfway to 2 and 18, which divide by one less
    assert (mean._version, var._version) == (1, 1)


@pytest.mark.parametrize(
    ("name", "arguments", "options", "message"),
    [
        ("batch_norm", (X[:1], None, None), {"training": True}, "Expected more than 1 value per channel when training"),
        ("group_norm", (X, 3), {}, "to be divisible by num_groups"),
        ("rms_norm", (X, 3), {}, r"expected input with shape \[\*, 3\], but got input of size\[2, 2\]"),
    ],
)
def test_what_torch_refuses_is_refused(
    name: str, arguments: tuple[Any, ...], options: dict[str, Any], message: str
) -> None:
    with pytest.raises(AutogradError, match=message):
        OPERATIONS[name](*arguments, **options)


@pytest.mark.parametrize(("x", "size"), [([[1.0], [2.0]], 1), ([[2.0, 2, 2]], 3)])
def test_layer_norm_of_equal_entries(x: list[list[float]], size: int) -> None:
    leaf = tensor(x, requires_grad=True)
    out = OPERATIONS["layer_norm"](leaf, size)
    assert structure(out.grad_fn) == "NativeLayerNorm(leaf, None, None)"
    (gradient,) = grad([out], [leaf], [np.ones(out.shape)])
    assert gradient is not None
    assert not out.value.any()
    assert not gradient.value.any()
