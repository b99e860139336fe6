"""Functions in double precision nearly always have torch's last digit."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from gradcli.engine.modes import switched
from gradcli.engine.numerics import precision

torch = pytest.importorskip("torch")

POWER = 2.7
IS_WIDER = np.finfo(np.longdouble).nmant > np.finfo(np.float64).nmant
FUNCTIONS: dict[str, Callable[[Any], Any]] = {
    "exp": precision.exp,
    "expm1": precision.expm1,
    "log": precision.log,
    "tanh": precision.tanh,
    "pow": lambda x: precision.raised(x, POWER),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_digits(name: str) -> None:
    x = np.random.default_rng(0).uniform(0.01, 4, precision.FEW)
    expected = getattr(torch, name)(torch.from_numpy(x), *[POWER] * (name == "pow")).numpy()
    with switched(strict=True):
        found = FUNCTIONS[name](x)
    np.testing.assert_allclose(found, expected, rtol=1e-14)
    assert not IS_WIDER or (found != expected).mean() < 0.04
