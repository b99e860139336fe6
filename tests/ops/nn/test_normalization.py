"""Layer norm and embedding: flat inputs, padding rows, torch's refusals."""

from __future__ import annotations

import numpy as np
import pytest

from gradcli.engine.backward import grad
from gradcli.engine.tensor import tensor
from gradcli.ops.support.surface import OPERATIONS
from tests.ops.structure import structure


@pytest.mark.parametrize(("x", "size"), [([[1.0], [2.0]], 1), ([[2.0, 2, 2]], 3)])
def test_layer_norm_of_equal_entries(x: list[list[float]], size: int) -> None:
    leaf = tensor(x, requires_grad=True)
    out = OPERATIONS["layer_norm"](leaf, size)
    assert structure(out.grad_fn) == "NativeLayerNorm(leaf, None, None)"
    (gradient,) = grad([out], [leaf], [np.ones(out.shape)])
    assert gradient is not None
    assert not out.value.any()
    assert not gradient.value.any()
