"""Activations at their kinks and far out; values and gradients as torch gives them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from gradcli.engine.backward import grad
from gradcli.engine.tensor import tensor
from gradcli.ops.support.surface import OPERATIONS
from tests.ops.gradients import value_and_gradients

POINTS = [-1000.0, -1.0, 0.0, 1.0, 6.0, 1000.0]

CASES: list[tuple[str, dict[str, Any], list[float], list[float]]] = [
    ("relu", {}, [0, 0, 0, 1, 6, 1000], [0, 0, 0, 1, 1, 1]),
    ("elu", {"alpha": 2}, [-2, -1.2642411176571153, 0, 1, 6, 1000], [0, 0.7357588823428847, 2, 1, 1, 1]),
    (
        "selu",
        {},
        [-1.7580993408473766, -1.1113307378125625, 0, 1.0507009873554805, 6.304205924132883, 1050.7009873554805],
        [0, 0.646768603034814, 1.7580993408473766, 1.0507009873554805, 1.0507009873554805, 1.0507009873554805],
    ),
    (
        "gelu",
        {"approximate": "tanh"},
        [0, -0.15880800939172324, 0, 0.8411919906082768, 5.9999999999156035, 1000],
        [0, -0.08296408384578252, 0.5, 1.0829640838457826, 1.0000000007709977, 1],
    ),
    (
        "mish",
        {},
        [0, -0.30340146137410895, 0, 0.8650983882673103, 5.999926634065252, 1000],
        [0, 0.059216755877395014, 0.6, 1.0490362200997922, 1.00013414050621, 1],
    ),
    (
        "logsigmoid",
        {},
        [-1000, -1.3132616875182228, -0.6931471805599453, -0.31326168751822286, -0.0024756851377304495, 0],
        [1, 0.7310585786300049, 0.5, 0.2689414213699951, 0.0024726231566347748, 0],
    ),
    ("relu6", {}, [0, 0, 0, 1, 6, 6], [0, 0, 0, 1, 0, 0]),
]
IDS = [name + "".join(f"-{value}" for value in options.values()) for name, options, *_ in CASES]


@pytest.mark.parametrize(("name", "options", "values", "gradients"), CASES, ids=IDS)
def test_kinks_and_far_out(name: str, options: dict[str, Any], values: list[float], gradients: list[float]) -> None:
    np.testing.assert_allclose(value_and_gradients(name, POINTS, **options), (values, gradients), rtol=1e-12)


@pytest.mark.parametrize(("name", "options"), [case[:2] for case in CASES], ids=IDS)
def test_second_derivatives_are_finite_far_out(name: str, options: dict[str, Any]) -> None:
    x = tensor(np.array(POINTS), requires_grad=True)
    upstream = tensor(np.ones(len(POINTS)), requires_grad=True)
    (first,) = grad([OPERATIONS[name](x, **options)], [x], [upstream], create_graph=True)
    assert first is not None
    second = grad([first], [x, upstream], [np.ones(len(POINTS))], allow_unused=True)
    assert all(g is None or np.isfinite(g.value).all() for g in second)
