"""Convolution: torch's graph, and its words for what does not fit."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from gradcli.engine.tensor import Tensor, tensor
from gradcli.errors import AutogradError
from gradcli.ops.support.surface import OPERATIONS
from tests.ops.structure import structure


def leaf(*shape: int) -> Tensor:
    return tensor(np.ones(shape), requires_grad=True)


@pytest.mark.filterwarnings("ignore:Using padding=.same. with even kernel lengths:UserWarning")
@pytest.mark.parametrize(
    ("operands", "options", "expected"),
    [
        ([(2, 3, 5, 6), (4, 3, 3, 3)], {}, "Convolution(leaf, leaf, None)"),
        ([(2, 3, 5, 6), (4, 3, 3, 3), (4,)], {"padding": "same"}, "Convolution(leaf, leaf, leaf)"),
        ([(2, 3, 5, 6), (4, 3, 2, 2), (4,)], {"padding": "same"}, "Convolution(ConstantPadNd(leaf), leaf, leaf)"),
        ([(3, 5, 6), (4, 3, 3, 3)], {}, "SqueezeBackward1(Convolution(Unsqueeze(leaf), leaf, None))"),
    ],
)
def test_graph(operands: list[tuple[int, ...]], options: dict[str, Any], expected: str) -> None:
    out = OPERATIONS["conv2d"](*[leaf(*shape) for shape in operands], **options)
    assert structure(out.grad_fn) == expected


def test_no_images() -> None:
    out = OPERATIONS["conv1d"](leaf(0, 2, 5), leaf(3, 2, 2))
    out.backward(np.ones((0, 3, 4)))
    assert out.shape == (0, 3, 4)


def test_single_precision_stays() -> None:
    x, w, b = (tensor(np.ones(shape, np.float32), requires_grad=True) for shape in [(1, 1, 3), (1, 1, 2), (1,)])
    out = OPERATIONS["conv1d"](x, w, b, padding=1)
    out.backward(np.ones(out.shape))
    assert {t.dtype for t in (out, x.grad, w.grad, b.grad) if t is not None} == {np.dtype(np.float32)}


@pytest.mark.parametrize(
    ("name", "operands", "options", "message"),
    [
        (
            "conv2d",
            [(8, 4, 50, 100), (16, 3, 3, 3)],
            {},
            "Given groups=1, weight of size [16, 3, 3, 3], expected input[8, 4, 50, 100] to have 3 channels, but got 4 "
            "channels instead",
        ),
        (
            "conv2d",
            [(1, 1, 1), (1, 1, 3, 3)],
            {},
            "Calculated padded input size per channel: (1 x 1). Kernel size: (3 x 3). Kernel size can't be greater "
            "than actual input size",
        ),
        (
            "conv1d",
            [(2, 3, 5), (4, 3, 3, 3)],
            {},
            "Expected 4-dimensional input for 4-dimensional weight [4, 3, 3, 3], but got 3-dimensional input of size "
            "[2, 3, 5] instead",
        ),
        ("conv2d", [(1, 1), (1, 1, 3, 3)], {}, "Expected 3D (unbatched) or 4D (batched) input to conv2d"),
        ("conv2d", [(2, 3, 5, 5), (4, 3, 3, 3), (3,)], {}, "expected bias to be 1-dimensional with 4 elements"),
        ("conv2d", [(2, 4, 5, 5), (3, 2, 3, 3)], {"groups": 2}, "expected weight to be divisible by 2 at dimension 0"),
        ("conv2d", [(2, 3, 5, 5), (4, 3, 3, 3)], {"stride": 0}, "non-positive stride is not supported"),
        ("conv2d", [(2, 3, 5, 5), (4, 3, 3, 3)], {"padding": -1}, "negative padding is not supported"),
        ("conv2d", [(2, 3, 5, 5), (4, 3, 3, 3)], {"padding": "foo"}, "Invalid padding string: 'foo'"),
        (
            "conv2d",
            [(2, 3, 5, 5), (4, 3, 3, 3)],
            {"padding": "same", "stride": 2},
            "padding='same' is not supported for strided convolutions",
        ),
        ("pad", [(2, 3)], {"pad": (1,)}, "Padding length must be divisible by 2"),
        ("pad", [(2, 3)], {"pad": (-2, -2)}, "narrow(): length must be non-negative."),
    ],
)
def test_refusals(name: str, operands: list[tuple[int, ...]], options: dict[str, Any], message: str) -> None:
    with pytest.raises(AutogradError) as error:
        OPERATIONS[name](*[leaf(*shape) for shape in operands], **options)
    assert message in error.value.message
