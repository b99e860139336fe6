"""`torch.nn.utils.parametrizations.orthogonal`: weights whose columns, or rows, are orthonormal (Lezcano 2019)."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradcli.engine.modes import set_grad_enabled
from gradcli.engine.tensor import Tensor
from gradcli.ops.support.calling import ops
from gradcli.script.machine import running
from gradcli.script.python.text.formatting import represent
from gradcli.script.torch.nn.base.base import Module
from gradcli.script.torch.nn.parametrize import register_parametrization
from gradcli.script.torch.tensor.dtypes import Size

MAPS = ("matrix_exp", "cayley", "householder")
NO_INVERSE = (
    "It is not possible to assign to the matrix exponential or the Cayley parametrizations when "
    "use_trivialization=False."
)


def turned(x: Any) -> Any:
    return ops.transpose(x, -2, -1)


def eye(count: int, like: Tensor) -> Tensor:
    return Tensor(np.eye(count, dtype=like.dtype))


def reflections(matrix: Any) -> tuple[Any, Any]:
    """Return R above the Householder vectors, and their factors, as LAPACK's `geqrf` does."""
    h, tau = np.linalg.qr(matrix, mode="raw")
    return np.swapaxes(h, -1, -2), tau


def orthonormal(matrix: Any) -> Any:
    """Return an orthonormal basis of the columns, which keeps their orientation."""
    q, r = np.linalg.qr(matrix)
    return q * np.sign(np.diagonal(r, axis1=-2, axis2=-1))[..., None, :]


def is_orthonormal(matrix: Any) -> bool:
    near = 10.0 * matrix.shape[-2] * float(np.finfo(matrix.dtype).eps)
    return np.allclose(np.swapaxes(matrix, -1, -2) @ matrix, np.eye(matrix.shape[-1]), atol=near)


def product_of_reflections(vectors: Any, factors: Any) -> Any:
    """Return the first columns of the product of I - f v vᵀ, of vectors below the diagonal with a 1 on it."""
    rows, columns = vectors.shape[-2:]
    full = vectors + eye(rows, vectors)[:, :columns]
    found = ops.expand(eye(rows, vectors)[:, :columns], vectors.shape)
    for column in reversed(range(columns)):
        v = ops.narrow(full, -1, column, 1)
        f = ops.unsqueeze(ops.narrow(factors, -1, column, 1), -1)
        found = found - ops.matmul(f * v, ops.matmul(turned(v), found))
    return found


class Orthogonal(Module):
    """A matrix of orthonormal columns (or rows, of a wide one) from any matrix."""

    def __init__(self, weight: Tensor, orthogonal_map: str, use_trivialization: bool = True) -> None:
        super().__init__()
        self.shape = Size(weight.shape)
        self.orthogonal_map = orthogonal_map
        if use_trivialization:
            self.register_buffer("base", None)

    @property
    def _has_base(self) -> bool:
        return "base" in self._buffers

    def forward(self, X: Tensor) -> Any:
        is_wide = X.shape[-2] < X.shape[-1]
        x: Any = turned(X) if is_wide else X
        rows, columns = x.shape[-2:]
        if self.orthogonal_map == "householder":
            below = ops.tril(x, -1)
            found = product_of_reflections(below, 2.0 / (1.0 + ops.sum(below * below, -2)))
            signs = np.trunc(np.diagonal(x.value, axis1=-2, axis2=-1))
            found = found * Tensor(np.ascontiguousarray(signs[..., None, :]))
        else:
            found = self._rotation(ops.tril(x), rows, columns)
        if self._has_base:
            found = ops.matmul(self.base, found)
        return turned(found) if is_wide else found

    def _rotation(self, lower: Any, rows: int, columns: int) -> Any:
        """Return the first columns of a rotation by the skew-symmetric matrix of a lower triangle."""
        if rows != columns:
            empty = np.zeros((*lower.shape[:-1], rows - columns), lower.dtype)
            lower = ops.cat([lower, Tensor(empty)], -1)
        skew = lower - turned(lower)
        if self.orthogonal_map == "matrix_exp":
            found = ops.matrix_exp(skew)
        else:
            found = ops.solve(eye(rows, skew) - 0.5 * skew, eye(rows, skew) + 0.5 * skew)
        return found if rows == columns else ops.narrow(found, -1, 0, columns)

    def right_inverse(self, Q: Tensor) -> Tensor:
        """Return what gives this matrix, or the nearest orthogonal one, which becomes the base."""
        if Q.shape != self.shape:
            words = f"Expected a matrix or batch of matrices of shape {represent(self.shape)}."
            raise ValueError(f"{words} Got a tensor of shape {represent(Size(Q.shape))}.")
        is_wide = Q.shape[-2] < Q.shape[-1]
        matrix = np.swapaxes(Q.array, -1, -2) if is_wide else Q.array
        rows, columns = matrix.shape[-2:]
        if not self._has_base:
            if self.orthogonal_map != "householder":
                raise NotImplementedError(NO_INVERSE)
            found, factors = reflections(matrix)
            signs = np.sign(np.diagonal(found, axis1=-2, axis2=-1)) * np.where(factors == 0, -1, 1)
            found = np.array(found)
            place = np.arange(columns)
            found[..., place, place] = signs
            return Tensor(np.ascontiguousarray(np.swapaxes(found, -1, -2) if is_wide else found).astype(Q.dtype))
        if rows == columns:
            base = matrix.copy() if is_orthonormal(matrix) else orthonormal(matrix)
        else:
            others = running.machine.generator.normal((*matrix.shape[:-1], rows - columns), Q.dtype)
            base = orthonormal(np.concatenate([matrix, others], -1))
        with set_grad_enabled(False):
            self.base = Tensor(np.ascontiguousarray(base.astype(Q.dtype)))
        found = np.zeros_like(Q.array)
        place = np.arange(columns)
        found[..., place, place] = -1.0
        return Tensor(found)


Orthogonal.__name__ = Orthogonal.__qualname__ = "_Orthogonal"
Orthogonal.__module__ = "torch.nn.utils.parametrizations"


def orthogonal(
    module: Any, name: str = "weight", orthogonal_map: str | None = None, *, use_trivialization: bool = True
) -> Any:
    """Keep a weight orthogonal while it learns."""
    weight = getattr(module, name, None)
    if not isinstance(weight, Tensor):
        raise ValueError(f"Module '{module!r}' has no parameter or buffer with name '{name}'")
    if weight.ndim < 2:
        raise ValueError(f"Expected a matrix or batch of matrices. Got a tensor of {weight.ndim} dimensions.")
    if orthogonal_map is None:
        orthogonal_map = "matrix_exp" if weight.shape[-2] == weight.shape[-1] else "householder"
    if orthogonal_map not in MAPS:
        listed = ", ".join(f'"{kind}"' for kind in MAPS)
        raise ValueError(f"orthogonal_map has to be one of {listed}. Got: {orthogonal_map}")
    made = Orthogonal(weight, orthogonal_map, use_trivialization)
    return register_parametrization(module, name, made, unsafe=True)
