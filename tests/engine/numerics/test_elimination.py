"""Factors, determinants and solutions of small systems have torch's last digits."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradcli.engine.numerics.elimination import KNOWN, TOGETHER, determinant, factored, log_determinant, solved
from tests.engine.orders import FLOATS, OF_KNOWN_ORDER, SEEDS, numbers

torch = pytest.importorskip("torch")

SHAPES = st.sampled_from([(), (), (1,), (3,), (2, 2)])


def close(found: Any, expected: Any) -> None:
    """Assert that numbers are nearly the same, and the same on a processor whose order is known."""
    expected = expected.numpy()
    if OF_KNOWN_ORDER:
        np.testing.assert_array_equal(found, expected)
    else:
        np.testing.assert_allclose(found, expected, rtol=1e-2, atol=1e-2)


def matrices(seed: int, batch: tuple[int, ...], size: int, dtype: Any, transposed: bool) -> Any:
    A = numbers(seed, (*batch, size, size), dtype) + 3 * np.eye(size, dtype=dtype)
    return A.swapaxes(-2, -1) if transposed else A


@given(SEEDS, SHAPES, st.integers(1, KNOWN), FLOATS, st.booleans())
def test_factors_and_determinants(seed: int, batch: tuple[int, ...], size: int, dtype: Any, transposed: bool) -> None:
    A = matrices(seed, batch, size, dtype, transposed)
    x = torch.from_numpy(A)
    both, pivots = torch.linalg.lu_factor(x)
    close(factored(A)[0], both)
    np.testing.assert_array_equal(factored(A)[1] + 1, pivots.numpy())
    close(determinant(A), torch.linalg.det(x))
    sign, logarithm = log_determinant(A)
    np.testing.assert_array_equal(sign, torch.linalg.slogdet(x).sign.numpy())
    np.testing.assert_allclose(logarithm, torch.linalg.slogdet(x).logabsdet.numpy(), rtol=1e-5, atol=1e-5)


@given(SEEDS, SHAPES, st.integers(1, KNOWN), st.integers(1, TOGETHER), FLOATS, st.booleans())
def test_solutions(seed: int, batch: tuple[int, ...], size: int, sides: int, dtype: Any, transposed: bool) -> None:
    sides = 1 if size > TOGETHER else sides
    A, B = matrices(seed, batch, size, dtype, transposed), numbers(seed + 1, (*batch, size, sides), dtype)
    close(solved(A, B), torch.linalg.solve(torch.from_numpy(A), torch.from_numpy(B)))


SINGULAR = np.array([[1, 2, 3], [4, 5, 6], [7, 8, 9]])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("A", [SINGULAR, SINGULAR.T, SINGULAR[::-1], np.ones((2, 2)), np.zeros((3, 3)), SINGULAR / 10])
def test_a_matrix_is_singular_where_torch_says_so(A: Any, dtype: Any) -> None:
    A = np.ascontiguousarray(A.astype(dtype))
    x = torch.from_numpy(A)

    def refused(compute: Callable[[], Any], error: type[Exception]) -> bool:
        try:
            compute()
        except error:
            return True
        return False

    if OF_KNOWN_ORDER:
        assert float(determinant(A)) == float(torch.linalg.det(x))
        here = refused(lambda: solved(A, np.eye(3, dtype=dtype)[: len(A), : len(A)]), np.linalg.LinAlgError)
        assert here == refused(lambda: torch.linalg.inv(x), RuntimeError)
