"""`torch.linalg.ldl_factor`: symmetric matrices that need not be positive definite; torch has no derivative of it."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from gradcli.engine.dtypes import TYPE_NAMES
from gradcli.engine.numerics.lapack import in_columns
from gradcli.engine.tensor import Tensor
from gradcli.ops.linalg.determinants import _check_square
from gradcli.ops.pointwise.rounding import NOT_IMPLEMENTED
from gradcli.ops.support.covering import one_way
from gradcli.ops.support.forgetting import forgotten
from gradcli.ops.support.pairs import ReturnType
from gradcli.script.errors import UnsupportedError
from gradcli.script.torch.operations.forward import refuse_forward

GROWTH = (1 + math.sqrt(17)) / 8  # Bunch and Kaufman (1977): the bound on the growth of entries is least with it


def _largest(x: Any) -> float:
    return float(np.abs(x).max(initial=0))


def _pivot(A: Any, k: int) -> tuple[int, int]:
    """Return the row to exchange with, and whether the pivot is 1 number or a block of 2."""
    own, below = abs(A[k, k]), A[k + 1 :, k]
    column = _largest(below)
    if own >= GROWTH * column:
        return k, 1
    row = k + 1 + int(np.abs(below).argmax())
    widest = max(_largest(A[row, k:row]), _largest(A[row + 1 :, row]))
    if own >= GROWTH * column * (column / widest):
        return k, 1
    return row, 1 if abs(A[row, row]) >= GROWTH * widest else 2


def _exchange(A: Any, first: int, second: int) -> None:
    """Exchange two rows and columns of a symmetric matrix of which the lower triangle is kept."""
    whole = np.tril(A) + np.tril(A, -1).T
    order = np.arange(len(A))
    order[[first, second]] = second, first
    A[first:, first:] = np.tril(whole[order][:, order])[first:, first:]


def _factored(A: Any) -> tuple[Any, Any]:
    """Return the triangles of one matrix as LAPACK's `sytrf` keeps them, and its exchanges, from 1 on."""
    A = np.tril(A)
    pivots, k = np.zeros(len(A), np.int32), 0
    while k < len(A):
        row, size = _pivot(A, k)
        at, rest = k + size - 1, slice(k + size, None)
        if row != at:
            kept = A[[row, at], k].copy()
            _exchange(A, at, row)
            if size == 2:
                A[[at, row], k] = kept
        block = A[k : k + size, k : k + size]
        block = np.tril(block) + np.tril(block, -1).T
        if not np.linalg.det(block):
            raise UnsupportedError("ldl_factor of a singular matrix is not supported here")
        columns = A[rest, k : k + size].copy()
        A[rest, k : k + size] = columns @ np.linalg.inv(block)
        A[rest, rest] -= np.tril(A[rest, k : k + size] @ columns.T)
        pivots[k : k + size] = row + 1 if size == 1 else -(row + 1)
        k += size
    return A, pivots


def _factor(name: str, A: Tensor) -> tuple[Tensor, Tensor]:
    words = f"torch.linalg.{name}_ex: "
    if A.dtype.kind != "f":
        raise RuntimeError(f"{words}Expected a floating point or complex tensor as input. Got {TYPE_NAMES[A.dtype]}")
    if A.ndim < 2:
        raise RuntimeError(f"{words}The input tensor A must have at least 2 dimensions.")
    rows, columns = A.shape[-2:]
    if rows != columns:
        raise RuntimeError(f"{words}A must be batches of square matrices, but they are {rows} by {columns} matrices")
    refuse_forward("aten::linalg_ldl_factor_ex", A)
    found = [_factored(matrix) for matrix in A.value.reshape(math.prod(A.shape[:-2]), rows, rows)]
    LD = np.array([triangles for triangles, _ in found], A.dtype).reshape(A.shape)
    pivots = np.array([exchanges for _, exchanges in found], np.int32).reshape(A.shape[:-1])
    triangles = forgotten(NOT_IMPLEMENTED, in_columns(LD), A)
    return one_way(triangles, "derivative for aten::linalg_ldl_factor_ex is not implemented"), Tensor(pivots)


def ldl_factor(A: Tensor, *, hermitian: bool = False) -> ReturnType:
    """Both factors in one matrix, and the exchanges; of real matrices `hermitian` says nothing."""
    LD, pivots = _factor("ldl_factor", A)
    return ReturnType("linalg_ldl_factor", LD=LD, pivots=pivots)


def ldl_factor_ex(A: Tensor, *, hermitian: bool = False, check_errors: bool = False) -> ReturnType:
    """The same with a 0 for each matrix."""
    LD, pivots = _factor("ldl_factor", A)
    return ReturnType("linalg_ldl_factor_ex", LD=LD, pivots=pivots, info=Tensor(np.zeros(A.shape[:-2], np.int32)[()]))


def _rebuilt(LD: Any, pivots: Any) -> Any:
    """Return the matrix that has these factors and exchanges."""
    size = len(LD)
    outer, middle, k = np.eye(size), np.zeros((size, size)), size
    while k:
        width = 1 if pivots[k - 1] > 0 else 2
        k -= width
        own = slice(k, k + width)
        middle[own, own] = np.tril(LD[own, own]) + np.tril(LD[own, own], -1).T
        step = np.eye(size)
        step[k + width :, own] = LD[k + width :, own]
        outer = step @ outer
        exchanged = [k + width - 1, abs(pivots[k]) - 1]
        outer[exchanged] = outer[exchanged[::-1]]
    return outer @ middle @ outer.T


def ldl_solve(LD: Tensor, pivots: Tensor, B: Tensor, *, hermitian: bool = False) -> Any:
    """The solution X of `A @ X = B`, for the results of `ldl_factor(A)`."""
    if LD.requires_grad or B.requires_grad:
        raise UnsupportedError("gradients of ldl_solve are not supported here", help="solve(A, B) has them")
    refuse_forward("aten::linalg_ldl_solve", LD, B)
    _check_square("torch.linalg.ldl_solve", LD)
    if pivots.dtype.kind != "i":
        raise RuntimeError(f"torch.linalg.ldl_solve: Expected pivots to be integers. Got {TYPE_NAMES[pivots.dtype]}")
    if pivots.shape != LD.shape[:-1]:
        raise RuntimeError(
            "torch.linalg.ldl_solve: Expected LD.shape[:-1] and pivots.shape to be the same, but got pivots with shape "
            f"{list(pivots.shape)} instead"
        )
    if LD.dtype != B.dtype:
        names = f"b of type {TYPE_NAMES[B.dtype]} and A of type {TYPE_NAMES[LD.dtype]}"
        raise RuntimeError(f"Expected b and A to have the same dtype, but found {names} instead.")
    if B.ndim < 2:
        raise IndexError("Dimension out of range (expected to be in range of [-1, 0], but got -2)")
    if B.shape[-2] != LD.shape[-1]:
        sizes = [f"{x.shape[-2]} by {x.shape[-1]}" for x in (LD, B)]
        words = f"each A matrix is {sizes[0]} but each b matrix is {sizes[1]}"
        raise RuntimeError(f"Incompatible matrix sizes for torch.linalg.ldl_solve: {words}")
    A = np.zeros(LD.shape)
    for batch in np.ndindex(LD.shape[:-2]):
        A[batch] = _rebuilt(LD.value[batch], pivots.value[batch])
    try:
        found = np.linalg.solve(A, B.value)
    except np.linalg.LinAlgError:
        raise UnsupportedError("ldl_solve of a singular matrix is not supported here") from None
    return Tensor(in_columns(found.astype(B.dtype)))


MEMBERS: dict[str, Callable[..., Any]] = {
    "ldl_factor": ldl_factor,
    "ldl_factor_ex": ldl_factor_ex,
    "ldl_solve": ldl_solve,
}
