"""Pooling: ties, nan and borders as torch has them, and its words for what does not fit."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from gradcli.engine.primitive import REGISTRY
from gradcli.engine.tensor import tensor
from gradcli.errors import AutogradError
from gradcli.ops.support.surface import OPERATIONS

INF, NAN = float("inf"), float("nan")


@pytest.mark.parametrize(
    ("name", "options", "x", "value", "gradient"),
    [
        ("max_pool2d", {}, [[1.0, 1, 0], [1, 0, 1]], [[1]], [[1, 0, 0], [0, 0, 0]]),
        ("max_pool2d", {}, [[NAN, NAN], [1, 2]], [[NAN]], [[0, 1], [0, 0]]),
        ("max_pool2d", {}, [[NAN, 3], [1, 2]], [[NAN]], [[1, 0], [0, 0]]),
        ("max_pool2d", {"padding": 1}, [[-INF, -INF], [-INF, -INF]], [[-INF, -INF], [-INF, -INF]], [[1, 1], [1, 1]]),
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


def test_ties_are_kinks() -> None:
    kinks: Any = REGISTRY["max_pool2d"].kinks
    mask = kinks(
        np.array([[[1.0, 1, 2], [0, 1, 3]]]),
        kernel_size=(2, 2),
        stride=(1, 1),
        padding=(0, 0),
        dilation=(1, 1),
        ceil_mode=False,
    )
    assert mask.tolist() == [[[True, True, False], [False, True, False]]]


@pytest.mark.parametrize(
    ("shape", "options", "message"),
    [
        ((1, 1, 1, 5, 5), {"kernel_size": 2}, "non-empty 3D or 4D (batch mode) tensor expected for input"),
        ((5, 0, 5), {"kernel_size": 2}, "tensor with optional 0 dim batch size for input, but got:[5, 0, 5]"),
        (
            (1, 5, 5),
            {"kernel_size": 6},
            "Given input size: (1x5x5). Calculated output size: (1x0x0). Output size is too small",
        ),
        (
            (1, 5, 5),
            {"kernel_size": 2, "padding": 2},
            "pad should be at most half of effective kernel size, but got pad=2, kernel_size=2 and dilation=1",
        ),
        ((1, 5, 5), {"kernel_size": 2, "padding": -1}, "pad must be non-negative, but got pad: -1"),
        ((1, 5, 5), {"kernel_size": 2, "stride": 0}, "stride should not be zero"),
        ((1, 5, 5), {"kernel_size": (2, 2, 2)}, "kernel_size must either be a single int, or a tuple of two ints"),
    ],
)
@pytest.mark.parametrize("name", ["max_pool2d", "avg_pool2d"])
def test_refusals(name: str, shape: tuple[int, ...], options: dict[str, Any], message: str) -> None:
    with pytest.raises(AutogradError) as error:
        OPERATIONS[name](tensor(np.ones(shape)), **options)
    assert message in error.value.message
