"""Bounds, ties and masks; values and gradients as torch gives them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from gradcli.engine.tensor import Tensor, tensor
from gradcli.errors import AutogradError
from gradcli.ops.support.surface import OPERATIONS
from tests.ops.gradients import value_and_gradients

INF, NAN = math.inf, math.nan


def leaf(*values: float) -> Tensor:
    return tensor(np.array(values, dtype=np.float64), requires_grad=True)


@pytest.mark.parametrize(
    ("name", "gradients"),
    [("maximum", ([0.5, 0, 1], [0.5, 1, 0])), ("minimum", ([0.5, 1, 0], [0.5, 0, 1]))],
)
def test_a_tie_is_halved(name: str, gradients: tuple[list[float], list[float]]) -> None:
    assert value_and_gradients(name, [2, 1, 5], [2, 3, 4])[1:] == gradients


def test_clamp_passes_the_gradient_at_its_bounds() -> None:
    assert value_and_gradients("clamp", [-2, -1, 0, 1, INF], min=-1, max=1) == ([-1, -1, 0, 1, 1], [0, 1, 1, 1, 0])
    assert np.isnan(value_and_gradients("clamp", NAN, min=0)[0])


def test_an_infinite_gradient_does_not_pass_where_nothing_was_chosen() -> None:
    x: Any = leaf(0, 4)
    root = OPERATIONS["sqrt"](OPERATIONS["where"](x > 0, x, 1))
    root.backward(np.array([INF, 1.0]))
    assert x.grad is not None
    assert x.grad.value.tolist() == [0, 0.25]


def test_where_of_two_numbers_is_a_constant() -> None:
    x: Any = leaf(1, -1)
    chosen = OPERATIONS["where"](x > 0, 1.5, 0)
    assert (chosen.value.tolist(), chosen.requires_grad) == ([1.5, 0.0], False)


@pytest.mark.parametrize(
    ("name", "arguments", "message"),
    [
        ("clamp", (), "torch.clamp: At least one of 'min' or 'max' must not be None"),
        ("where", (0, 1), "where expected condition to be a boolean tensor, but got a tensor with dtype Double"),
        ("masked_fill", (leaf(1, 0), 1), "masked_fill_ only supports boolean masks, but got mask with dtype double"),
        (
            "masked_fill",
            ([True, False], [1, 2]),
            "masked_fill_ only supports a 0-dimensional value tensor, but got tensor with 1 dimension(s).",
        ),
        (
            "maximum",
            (leaf(1, 2, 3),),
            "The size of tensor a (2) must match the size of tensor b (3) at non-singleton dimension 0",
        ),
    ],
)
def test_refusals_are_in_the_words_of_torch(name: str, arguments: tuple[Any, ...], message: str) -> None:
    with pytest.raises(AutogradError) as refused:
        OPERATIONS[name](leaf(1, 2), *arguments)
    assert refused.value.message == message
