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


@pytest.mark.parametrize(
    ("name", "operands", "options", "message"),
    [
        (
            "conv1d",
            [(2, 3, 5), (4, 3, 3, 3)],
            {},
            "Expected 4-dimensional input for 4-dimensional weight [4, 3, 3, 3], but got 3-dimensional input of size "
            "[2, 3, 5] instead",
        ),
        ("conv2d", [(2, 3, 5, 5), (4, 3, 3, 3), (3,)], {}, "expected bias to be 1-dimensional with 4 elements"),
        ("conv2d", [(2, 4, 5, 5), (3, 2, 3, 3)], {"groups": 2}, "expected weight to be divisible by 2 at dimension 0"),
        ("conv2d", [(2, 3, 5, 5), (4, 3, 3, 3)], {"padding": -1}, "negative padding is not supported"),
        (
            "conv2d",
            [(2, 3, 5, 5), (4, 3, 3, 3)],
            {"padding": "same", "stride": 2},
            "padding='same' is not supported for strided convolutions",
        ),
        ("pad", [(2, 3)], {"pad": (-2, -2)}, "narrow(): length must be non-negative."),
    ],
)
def test_refusals(name: str, operands: list[tuple[int, ...]], options: dict[str, Any], message: str) -> None:
    with pytest.raises(AutogradError) as error:
        OPERATIONS[name](*[leaf(*shape) for shape in operands], **options)
    assert message in error.value.message
