"""Tensors taken for matrices: their inverse, and systems of equations."""

from __future__ import annotations

import math
from typing import Any

from gradcli.errors import AutogradError
from gradcli.ops.indexing.entries import named
from gradcli.ops.linalg.determinants import inverse_
from gradcli.ops.linalg.equations import solve_
from gradcli.ops.shaping.permutations import movedim
from gradcli.ops.shaping.shaping import reshape, reshaped
from gradcli.ops.support.arguments import Real, Shape
from gradcli.ops.support.surface import operation


@operation("A = [[1, 2], [3, 5]]; tensorinv(A, ind=1)", method=False)
def tensorinv(A: Real, ind: int = 2) -> Any:
    """The inverse of the matrix that the first `ind` dimensions make with the others, in their shape."""
    if ind <= 0:
        raise AutogradError(f"Expected a strictly positive integer for 'ind', but got {ind}")
    if ind > A.ndim:
        raise AutogradError(f"ArrayRef: invalid slice, N = {ind}; size = {A.ndim}", code="E301")
    first, last = A.shape[:ind], A.shape[ind:]
    rows, columns = math.prod(first), math.prod(last)
    if rows != columns:
        raise AutogradError(
            "Expected self to satisfy the requirement prod(self.shape[ind:]) == prod(self.shape[:ind]), but got "
            f"{columns} != {rows}",
            code="E301",
        )
    inverse = inverse_(reshaped(A, (rows, columns)))
    lies_in_rows = inverse.array.flags.c_contiguous
    return (reshape if lies_in_rows else named(reshape, "ReshapeAliasBackward0"))(inverse, shape=(*last, *first))


@operation("A = [[1, 2], [3, 5]]; b = [1, 4]; tensorsolve(A, b)", method=False)
def tensorsolve(A: Real, B: Real, dims: Shape | None = None) -> Any:
    """The X with `tensordot(A, X, X.ndim) = B`."""
    if dims is not None:
        A = movedim(A, tuple(dims), tuple(range(A.ndim - len(dims), A.ndim)))
    shape = A.shape[B.ndim :]
    size = math.prod(shape)
    if A.value.size != size * size or B.value.size != size:
        raise AutogradError(
            "Expected self to satisfy the requirement prod(self.shape[other.ndim:]) == prod(self.shape[:other.ndim]), "
            f"but got {size} != {B.value.size}",
            code="E301",
        )
    right = B if B.ndim == 1 else reshaped(B, (size,))
    return reshape(solve_(reshaped(A, (size, size)), right), shape=shape)
