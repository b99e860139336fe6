"""Eigenvectors and singular vectors by single steps: laws that hold without torch."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from gradcli.engine.numerics.rotations import bidiagonal, eigenvectors


def matrices(size: int) -> list[Any]:
    random = np.random.default_rng(size).normal(size=(size, size))
    return [
        random + random.T,
        np.eye(size),
        np.zeros((size, size)),
        np.ones((size, size)),
        np.diag(np.arange(size) - 1.0),
    ]


@pytest.mark.parametrize("lower", [True, False])
@pytest.mark.parametrize("size", [1, 2, 3, 5, 25])
def test_eigenvectors_are_orthogonal_and_give_the_matrix(size: int, lower: bool) -> None:
    for A in matrices(size):
        values, vectors = eigenvectors(A, lower=lower)
        np.testing.assert_allclose(values, np.linalg.eigvalsh(A), atol=1e-12)
        np.testing.assert_allclose(vectors @ vectors.T, np.eye(size), atol=1e-12)
        np.testing.assert_allclose(vectors * values @ vectors.T, A, atol=1e-12)


def test_one_triangle_is_read() -> None:
    A = np.array([[1.0, 9, 9], [2, 3, 9], [4, 5, 6]])
    whole = np.tril(A) + np.tril(A, -1).T
    np.testing.assert_array_equal(eigenvectors(A)[1], eigenvectors(whole)[1])
    np.testing.assert_array_equal(eigenvectors(A.T, lower=False)[1], eigenvectors(whole, lower=False)[1])


def test_the_signs_are_those_that_torch_printed() -> None:
    A = np.array([[2.0, -1, 0, 3], [-1, 1, 4, 0], [0, 4, -2, 1], [3, 0, 1, 1]])
    assert np.sign(eigenvectors(A)[1]).tolist() == [[1, 1, 1, -1], [1, 1, 1, 1], [-1, 1, 1, 1], [1, -1, 1, -1]]


@pytest.mark.parametrize("shape", [(1, 2), (2, 4), (3, 6), (5, 20)])
def test_a_wide_matrix_becomes_bidiagonal(shape: tuple[int, int]) -> None:
    for A in (np.random.default_rng(1).normal(size=shape), np.eye(*shape), np.zeros(shape), np.ones(shape)):
        Q, B, P = bidiagonal(A)
        np.testing.assert_allclose(Q @ B @ P[: shape[0]], A, atol=1e-12)
        np.testing.assert_array_equal(B, np.triu(B) - np.triu(B, 2))
        np.testing.assert_allclose(P @ P.T, np.eye(shape[1]), atol=1e-12)
