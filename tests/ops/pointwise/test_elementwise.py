"""Functions of one number at the edges of their domains; values and gradients as torch gives them."""

from __future__ import annotations

import math

import numpy as np
import pytest

from gradcli.engine.primitive import REGISTRY
from tests.ops.gradients import value_and_gradients

INF, NAN = math.inf, math.nan


@pytest.mark.parametrize(
    ("name", "point", "value", "gradient"),
    [
        ("abs", 0.0, 0.0, 0.0),
        ("sign", -2.0, -1.0, 0.0),
        ("sqrt", 0.0, 0.0, INF),
        ("sqrt", -1.0, NAN, NAN),
        ("log", 0.0, -INF, INF),
        ("log1p", -1.0, -INF, INF),
        ("acos", -1.0, math.pi, -INF),
        ("tanh", 1000.0, 1.0, 0.0),
        ("erf", 1000.0, 1.0, 0.0),
        ("round", 1.5, 2.0, 0.0),
    ],
)
def test_edges(name: str, point: float, value: float, gradient: float) -> None:
    np.testing.assert_allclose(value_and_gradients(name, point), (value, gradient), rtol=1e-15)


@pytest.mark.parametrize(
    ("y", "x", "value", "gradients"),
    [
        (0.0, 0.0, 0.0, (0.0, 0.0)),
        (0.0, -1.0, math.pi, (-1.0, 0.0)),
        (1.0, 0.0, math.pi / 2, (0.0, -1.0)),
    ],
)
def test_the_angle_at_and_around_the_origin(y: float, x: float, value: float, gradients: tuple[float, float]) -> None:
    assert value_and_gradients("atan2", y, x) == (value, *gradients)


def test_flat_functions_stop_an_infinite_gradient() -> None:
    assert REGISTRY["floor"].rules[0](np.float64(INF), 0.0, 0.5) == 0  # type: ignore[misc]
