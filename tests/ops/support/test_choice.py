"""Choosing without branches gives what numpy's `where` gives, to the last bit."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from gradcli.ops.nn.activations import sigmoid
from gradcli.ops.pointwise.selection import MANY, choose

SPECIAL = [0.0, -0.0, np.inf, -np.inf, np.nan, -np.nan, 1e-45, 65504.0]


def numbers(dtype: Any, seed: int) -> Any:
    """Numbers of all kinds, among them those that have no arithmetic."""
    random = np.random.default_rng(seed)
    x = random.standard_normal((64, MANY // 32)).astype(dtype)
    places = random.random(x.shape) < 0.3
    x[places] = random.choice(np.array(SPECIAL, dtype), places.sum())
    return x


@pytest.mark.parametrize("size", [1, 10, MANY, 70_000])
@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_conditions_that_are_no_masks_and_small_arrays(size: int, dtype: Any) -> None:
    x = np.linspace(-2, 2, size).astype(dtype)
    for condition in (np.arange(size) % 3, np.True_, False, np.arange(size) > 5):
        for a, b in ((x, 0), (0, x), (x, -x), (1, 2)):
            np.testing.assert_array_equal(choose(condition, a, b), np.where(condition, a, b), strict=True)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_a_large_sigmoid_is_its_formula_and_leaves_its_input(dtype: Any) -> None:
    x = np.linspace(-20, 20, 70_001).astype(dtype)
    before = x.copy()
    assert sigmoid.forward(x).tobytes() == (1 / (1 + np.exp(-x))).tobytes()
    assert x.tobytes() == before.tobytes()
