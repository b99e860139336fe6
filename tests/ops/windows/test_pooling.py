"""Pooling: ties, nan and borders as torch has them, and its words for what does not fit."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from gradcli.engine.tensor import tensor
from gradcli.ops.support.surface import OPERATIONS

INF, NAN = float("inf"), float("nan")


@pytest.mark.parametrize(
    ("name", "options", "x", "value", "gradient"),
    [
        ("max_pool2d", {}, [[1.0, 1, 0], [1, 0, 1]], [[1]], [[1, 0, 0], [0, 0, 0]]),
        ("max_pool2d", {}, [[NAN, 3], [1, 2]], [[NAN]], [[1, 0], [0, 0]]),
        (
            "avg_pool2d",
            {"ceil_mode": True},
            [[1.0, 2, 3], [4, 5, 6], [7, 8, 9]],
            [[3, 4.5], [7.5, 9]],
            [[0.25, 0.25, 0.5], [0.25, 0.25, 0.5], [0.5, 0.5, 1]],
        ),
    ],
)
def test_edges(name: str, options: dict[str, Any], x: Any, value: Any, gradient: Any) -> None:
    leaf = tensor([x], requires_grad=True)
    out = OPERATIONS[name](leaf, 2, **options)
    np.testing.assert_array_equal(out.value, [value])
    out.backward(np.ones(out.shape))
    assert leaf.grad is not None
    np.testing.assert_array_equal(leaf.grad.value, [gradient])


def test_an_infinite_gradient_goes_to_the_largest_alone() -> None:
    leaf = tensor([[[1.0, 2], [3, 4]]], requires_grad=True)
    OPERATIONS["max_pool2d"](leaf, 2).backward([[[INF]]])
    assert leaf.grad is not None
    np.testing.assert_array_equal(leaf.grad.value, [[[0, 0], [0, INF]]])
