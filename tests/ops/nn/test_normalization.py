"""Layer norm and embedding: flat inputs, padding rows, torch's refusals."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from gradcli.engine.backward import grad
from gradcli.engine.tensor import tensor
from gradcli.errors import AutogradError
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


def test_the_padding_row_takes_no_gradient() -> None:
    weight = tensor([[1.0, 2], [3, 4], [5, 6]], requires_grad=True)
    rows = OPERATIONS["embedding"]([[0, 1], [1, 0]], weight, padding_idx=-2)
    upstream = tensor(np.ones((2, 2, 2)), requires_grad=True)
    (gradient,) = grad([rows], [weight], [upstream], create_graph=True)
    assert gradient is not None
    assert gradient.value.tolist() == [[2, 2], [0, 0], [0, 0]]
    (second,) = grad([gradient], [upstream], [np.ones((3, 2))])
    assert second is not None
    assert second.value.tolist() == [[[1, 1], [0, 0]], [[0, 0], [1, 1]]]


@pytest.mark.parametrize(
    ("name", "operands", "message"),
    [
        (
            "layer_norm",
            [[[1.0, 2]], 3],
            "Given normalized_shape=[3], expected input with shape [*, 3], but got input of size[1, 2]",
        ),
        (
            "layer_norm",
            [[[1.0, 2]], 2, [1.0]],
            "Expected weight to be of same shape as normalized_shape, but got weight of shape [1] and "
            "normalized_shape = [2]",
        ),
        ("embedding", [[3], [[1.0, 2], [3, 4]]], "index out of range in self"),
        ("embedding", [[0], [1.0, 2]], "'weight' must be 2-D"),
        ("embedding", [[0], [[1.0, 2]], 1], "Padding_idx must be within num_embeddings"),
    ],
)
def test_refusals(name: str, operands: list[Any], message: str) -> None:
    with pytest.raises(AutogradError) as error:
        OPERATIONS[name](*operands)
    assert error.value.message == message
