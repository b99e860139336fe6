"""Square matrices: laws that hold without torch, and the edges where a matrix is singular."""

from __future__ import annotations

import numpy as np
import pytest

from gradcli.engine.tensor import tensor
from gradcli.errors import AutogradError
from gradcli.ops.linalg.equations import zero_pivot
from gradcli.ops.support.surface import OPERATIONS
from tests.ops.gradients import value_and_gradients

A = [[1.0, 2.0], [3.0, 5.0]]
SINGULAR = [[1.0, 2.0], [2.0, 4.0]]


def test_at_a_singular_matrix_torch_gives_zeros() -> None:
    assert value_and_gradients("det", SINGULAR) == (0, [[0, 0], [0, 0]])


def test_the_first_pivot_that_is_zero() -> None:
    assert zero_pivot(np.array(A)) == 0
    assert zero_pivot(np.array(SINGULAR)) == 2
    assert zero_pivot(np.zeros((3, 3))) == 1


@pytest.mark.parametrize(
    ("name", "arguments", "message"),
    [
        ("solve", (SINGULAR, [1.0, 2.0]), "The solver failed because the input matrix is singular"),
        ("solve", (A, [1.0, 2.0, 3.0]), r"Incompatible shapes of A and B for the equation AX = B \(2x2 and 3x1\)"),
        ("det", ([1.0],), "must have at least 2 dimensions"),
    ],
)
def test_what_torch_refuses_is_refused(name: str, arguments: tuple[list[float], ...], message: str) -> None:
    with pytest.raises(AutogradError, match=message):
        OPERATIONS[name](*map(tensor, arguments))
