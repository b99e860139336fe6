"""The normal distribution of vectors."""

from __future__ import annotations

import math
from operator import attrgetter
from typing import Any

import numpy as np

from gradcli.engine.tensor import Tensor
from gradcli.ops.support.calling import ops
from gradcli.script.torch.distributions import constraints
from gradcli.script.torch.distributions.distribution import Distribution, derived, do, expanded, standard_normal

FORMS = {
    "covariance_matrix": constraints.POSITIVE_DEFINITE,
    "precision_matrix": constraints.POSITIVE_DEFINITE,
    "scale_tril": constraints.LOWER_CHOLESKY,
}


class MultivariateNormal(Distribution):
    """Given by its covariance, the inverse of it, or a triangle whose square it is."""

    __module__ = "torch.distributions.multivariate_normal"
    loc: Any
    arg_constraints = property(lambda self: {"loc": constraints.REAL_VECTOR, **FORMS})
    support = constraints.REAL_VECTOR
    mean = mode = property(attrgetter("loc"))
    has_rsample = True

    def __init__(
        self, loc: Any, covariance_matrix: Any = None, precision_matrix: Any = None, scale_tril: Any = None,
        validate_args: bool | None = None,
    ) -> None:  # fmt: skip
        if loc.ndim < 1:
            raise ValueError("loc must be at least one-dimensional.")
        forms = zip(FORMS, (covariance_matrix, precision_matrix, scale_tril), strict=True)
        given = {name: matrix for name, matrix in forms if matrix is not None}
        if len(given) != 1:
            raise ValueError("Exactly one of covariance_matrix or precision_matrix or scale_tril may be specified.")
        ((name, matrix),) = given.items()
        if matrix.ndim < 2:
            word = "scale_tril matrix" if name == "scale_tril" else name
            raise ValueError(f"{word} must be at least two-dimensional, with optional leading batch dimensions")
        batch, size = np.broadcast_shapes(matrix.shape[:-2], loc.shape[:-1]), loc.shape[-1]
        parameters = {"loc": expanded(loc, (*batch, size)), name: expanded(matrix, (*batch, *matrix.shape[-2:]))}
        super().__init__(batch, (size,), validate_args, **parameters)
        self._triangle = _triangle(name, matrix)

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        found = super().expand(batch_shape)
        found._triangle = self._triangle
        return found

    @derived
    def scale_tril(self) -> Any:
        return expanded(self._triangle, (*self._batch, *self._event, *self._event))

    @derived
    def covariance_matrix(self) -> Any:
        product = do("matmul", self._triangle, self._triangle.mT)
        return expanded(product, (*self._batch, *self._event, *self._event))

    @derived
    def precision_matrix(self) -> Any:
        return expanded(do("cholesky_inverse", self._triangle), (*self._batch, *self._event, *self._event))

    @property
    def variance(self) -> Any:
        return expanded(do("sum", do("pow", self._triangle, 2), -1), (*self._batch, *self._event))

    def rsample(self, sample_shape: Any = ()) -> Any:
        drawn = standard_normal(self._shape(sample_shape), self.loc.dtype)
        return self.loc + do("squeeze", do("matmul", self._triangle, drawn[..., None]), -1)

    def log_prob(self, value: Any) -> Any:
        self._check(value)
        distance = squared_distance(self._triangle, value - self.loc)
        return -0.5 * (self._event[0] * math.log(2 * math.pi) + distance) - self.half_log_det()

    def entropy(self) -> Any:
        found = 0.5 * self._event[0] * (1.0 + math.log(2 * math.pi)) + self.half_log_det()
        return expanded(found, self._batch) if self._batch else found

    def half_log_det(self) -> Any:
        """Return half the logarithm of the determinant of the covariance."""
        return do("sum", do("log", do("diagonal", self._triangle, dim1=-2, dim2=-1)), -1)


def _triangle(name: str, matrix: Tensor) -> Any:
    """Return the lower triangle whose square is the covariance."""
    if name != "precision_matrix":
        return matrix if name == "scale_tril" else ops.cholesky(matrix)
    flipped = ops.cholesky(do("flip", matrix, (-2, -1)))
    inverse = do("transpose", do("flip", flipped, (-2, -1)), -2, -1)
    one = Tensor(np.eye(matrix.shape[-1], dtype=matrix.dtype))
    return ops.solve_triangular(inverse, one, upper=False)


def squared_distance(triangle: Any, x: Any) -> Any:
    """Return the squared distance of vectors from 0, measured by the covariance."""
    if triangle.ndim == 2:
        columns = do("permute", do("reshape", x, (-1, 1, x.shape[-1])), (1, 2, 0))
        solved = ops.solve_triangular(triangle[None], columns, upper=False)
        return do("reshape", do("sum", do("pow", solved, 2), -2), x.shape[:-1])
    solved = ops.solve_triangular(triangle, x[..., None], upper=False)
    return do("sum", do("pow", solved, 2), (-2, -1))


def of_multivariate_normals(p: Any, q: Any) -> Any:
    """Return the Kullback-Leibler divergence of two of them."""
    half = q.half_log_det() - p.half_log_det()
    ratio = ops.solve_triangular(q.scale_tril, p.scale_tril, upper=False)
    trace = do("sum", do("pow", ratio, 2), (-2, -1))
    return half + 0.5 * (trace + squared_distance(q._triangle, q.loc - p.loc) - p._event[0])
