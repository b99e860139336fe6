"""Square matrices: laws that hold without torch, and the edges where a matrix is singular."""

from __future__ import annotations

import numpy as np
import pytest

from gradcli.engine.tensor import tensor
from gradcli.errors import AutogradError
from gradcli.ops.linalg.determinants import zero_pivot
from gradcli.ops.support.surface import OPERATIONS
from tests.ops.gradients import value_and_gradients

A = [[1.0, 2.0], [3.0, 5.0]]
SINGULAR = [[1.0, 2.0], [2.0, 4.0]]


def test_the_gradient_of_a_determinant_holds_the_cofactors() -> None:
    value, gradient = value_and_gradients("det", A)
    assert value == pytest.approx(-1)
    np.testing.assert_allclose(gradient, [[5, -3], [-2, 1]])


def test_at_a_singular_matrix_torch_gives_zeros() -> None:
    assert value_and_gradients("det", SINGULAR) == (0, [[0, 0], [0, 0]])


def test_a_batch_is_solved_matrix_by_matrix() -> None:
    batch = np.array([A, [[2.0, 0.0], [1.0, 1.0]]])
    right = np.arange(8.0).reshape(2, 2, 2)
    found = OPERATIONS["solve"](tensor(batch), tensor(right)).value
    np.testing.assert_allclose(batch @ found, right, atol=1e-12)


def test_the_first_pivot_that_is_zero() -> None:
    assert zero_pivot(np.array(A)) == 0
    assert zero_pivot(np.array(SINGULAR)) == 2
    assert zero_pivot(np.zeros((3, 3))) == 1


@pytest.mark.parametrize(
    ("name", "arguments", "message"),
    [
        ("inverse", (SINGULAR,), "linalg.inv: The diagonal element 2 is zero"),
        ("solve", (SINGULAR, [1.0, 2.0]), "The solver failed because the input matrix is singular"),
        ("solve", (A, [1.0, 2.0, 3.0]), r"Incompatible shapes of A and B for the equation AX = B \(2x2 and 3x1\)"),
        ("det", ([[1.0, 2.0]],), "A must be batches of square matrices, but they are 1 by 2 matrices"),
        ("det", ([1.0],), "must have at least 2 dimensions"),
        ("cholesky", ([[1.0, 2.0], [2.0, 1.0]],), "leading minor of order 2 is not positive-definite"),
    ],
)
def test_what_torch_refuses_is_refused(name: str, arguments: tuple[list[float], ...], message: str) -> None:
    with pytest.raises(AutogradError, match=message):
        OPERATIONS[name](*map(tensor, arguments))
