"""More products of vectors, matrices and tensors, lowered as torch lowers them."""

from __future__ import annotations

import math
from typing import Any

from gradcli.engine.checks.shapes import dimensions
from gradcli.engine.tensor import Tensor
from gradcli.errors import AutogradError, ShapeError
from gradcli.ops.pointwise.arithmetic import mul
from gradcli.ops.products.contractions import TENSORDOT, apply_dot, apply_mm, same_dtype
from gradcli.ops.reducing.reductions import apply_sum, sum_dim
from gradcli.ops.shaping.permutations import permute
from gradcli.ops.shaping.shaping import flatten, reshape, reshaped, squeeze, unsafe_view
from gradcli.ops.support.arguments import check_size
from gradcli.ops.support.surface import operation


@operation("A = [[1, 2], [3, 4]]; B = [[1, 0.5], [2, 1]]; kron(A, B)", "x = [1, 2]; A = [[1, 2], [3, 4]]; kron(x, A)")
def kron(input: Tensor, other: Tensor) -> Any:
    """The Kronecker product: each entry of the input times the whole of the other."""
    ndim = max(input.ndim, other.ndim)
    a, b = ((1,) * (ndim - x.ndim) + x.shape for x in (input, other))
    check_size((*a, *b))
    left = unsafe_view(input, shape=tuple(size for n in a for size in (n, 1)))
    right = unsafe_view(other, shape=tuple(size for n in b for size in (1, n)))
    return unsafe_view(mul(left, right), shape=tuple(m * n for m, n in zip(a, b, strict=True)))


@operation(
    "A = [[1, 2], [3, 4]]; B = [[1, 0.5, 2], [2, 1, 0]]; tensordot(A, B, 1)",
    "A = [[1, 2], [3, 4]]; B = [[1, 0.5], [2, 1]]; tensordot(A, B, dims=([0], [1]))",
    "A = [[1, 2], [3, 4]]; B = [[1, 0.5], [2, 1]]; tensordot(A, B)",
    method=False,
)
def tensordot(a: Tensor, b: Tensor, dims: Any = 2) -> Any:
    """The sum of products over pairs of dimensions: the last of `a` with the first of `b`, or listed pairs."""
    first, second = _paired(a, b, dims)
    a, b = same_dtype(a, b, refusal=TENSORDOT)
    for m, n in zip(first, second, strict=True):
        if b.shape[n] == 1:  # which is broadcast: the other is summed first
            a = sum_dim(a, dim=m, keepdim=True)
        elif a.shape[m] == 1:
            b = sum_dim(b, dim=n, keepdim=True)
        elif a.shape[m] != b.shape[n]:
            raise ShapeError(
                f"contracted dimensions need to match, but first has size {a.shape[m]} in dim "
                f"{m - a.ndim if isinstance(dims, int) else m} and second has size "
                f"{b.shape[n]} in dim {n}"
            )
    ahead = tuple(axis for axis in range(a.ndim) if axis not in first)
    behind = tuple(axis for axis in range(b.ndim) if axis not in second)
    left, right = permute(a, dims=(*ahead, *first)), permute(b, dims=(*second, *behind))
    sizes = (*(a.shape[axis] for axis in ahead), *(b.shape[axis] for axis in behind))
    if math.prod(sizes) == 1:  # one number, which torch does not compute as a product of matrices
        whole = all(x.value.flags.c_contiguous for x in (left, right))
        one = apply_dot(flatten(left), flatten(right)) if whole else apply_sum(mul(squeeze(left), squeeze(right)))
        return reshape(one, shape=sizes)
    summed = math.prod(a.shape[axis] for axis in first)
    rows, columns = (math.prod(x.shape[axis] for axis in axes) for x, axes in ((a, ahead), (b, behind)))
    return reshape(apply_mm(reshaped(left, (rows, summed)), reshaped(right, (summed, columns))), shape=sizes)


DIMS = "tensordot expects dims to be int or tuple[list[int], list[int]] or list[list[int]] containing two lists"


def _paired(a: Tensor, b: Tensor, dims: Any) -> tuple[tuple[int, ...], tuple[int, ...]]:
    if isinstance(dims, Tensor) and dims.value.size == 1:
        dims = dims.value.item()
    if isinstance(dims, int) and not isinstance(dims, bool):
        AutogradError.when(dims < 0, f"tensordot expects dims >= 0, but got dims={dims}")
        AutogradError.when(
            dims > min(a.ndim, b.ndim), f"tensordot expects dims < ndim_a or ndim_b, but got dims={dims}"
        )
        return tuple(range(a.ndim - dims, a.ndim)), tuple(range(dims))
    AutogradError.when(
        not isinstance(dims, tuple | list) or not all(isinstance(side, tuple | list | Tensor) for side in dims),
        f"{DIMS}, but got dims={dims}",
    )
    try:
        first, second = (tuple(int(dim) for dim in side) for side in dims)
    except (TypeError, ValueError):
        raise AutogradError("tensordot expects dims to be int or two lists of ints", code="E204") from None
    AutogradError.when(len(first) != len(second), "both dimension lists should have same length")
    ShapeError.when(first and not (a.ndim and b.ndim), "Dimension specified as 0 but tensor has no dimensions")
    return dimensions(first, a.ndim), dimensions(second, b.ndim)


@operation("x = [1, 2]; y = [3, 4]; inner(x, y)", "A = [[1, 2], [3, 4]]; B = [[1, 0.5], [2, 1]]; inner(A, B)")
def inner(input: Tensor, other: Tensor) -> Any:
    """The sum over the last dimensions of both."""
    if not input.ndim or not other.ndim:
        return mul(input, other)
    ShapeError.when(
        input.shape[-1] != other.shape[-1],
        "inner() the last dimension must match on both input tensors but got shapes "
        f"{list(input.shape)} and {list(other.shape)}",
    )
    return tensordot(input, other, ((-1,), (-1,)))
