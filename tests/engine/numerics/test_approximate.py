"""Square roots and logarithms in single precision have the digits of torch, where its library has the code of AMD's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from gradcli.engine.numerics import approximate, precision

torch = pytest.importorskip("torch")

FUNCTIONS = {"sqrt": (approximate.sqrt, np.sqrt), "log": (approximate.log, precision.log)}
ABOVE_ONE = np.float32(1) + np.arange(1024, 1028, dtype=np.float32) * 2**-23  # 1 + 2**-13 has a root that is missed
OF_AMD = bool((torch.sqrt(torch.from_numpy(ABOVE_ONE)).numpy() != np.sqrt(ABOVE_ONE)).any())
ALL = (np.arange(0x00800000, 0x7F800000, 3 * 2**12 - 1, dtype=np.int32)).view(np.float32)
SPECIAL = np.array([0, -0.0, -1, np.inf, -np.inf, np.nan, 1e-40, 1], np.float32)


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("x", [*np.array_split(ALL, 3), SPECIAL, np.float32(2), ALL.reshape(-1, 4)[:, 1]])
def test_digits(name: str, x: Any) -> None:
    function, exact = FUNCTIONS[name]
    with np.errstate(all="ignore"):
        found, nearest = function(x), exact(x)
    expected = getattr(torch, name)(torch.from_numpy(np.asarray(x))).numpy()
    assert found.dtype == np.float32
    assert np.shape(found) == np.shape(x)
    np.testing.assert_allclose(found, nearest, rtol=3e-7, atol=1e-7)
    if OF_AMD:
        np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_double_precision(name: str) -> None:
    function, exact = FUNCTIONS[name]
    x = np.linspace(0.1, 3, 50)
    np.testing.assert_array_equal(function(x), exact(x))
    assert function(2.0) == exact(2.0)
