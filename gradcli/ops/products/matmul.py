"""`matmul` and `linear` for any number of dimensions, lowered as torch lowers them.

torch folds the batch dimensions of the larger operand into rows where that spares an expanded copy of the smaller one
or of its gradient; otherwise both are expanded into batches of matrices for `bmm`.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from gradcli.engine.broadcast import expand
from gradcli.engine.checks.shapes import broadcast_shapes, check_together
from gradcli.engine.primitive import primitive
from gradcli.engine.symbolic.indices import same_entries
from gradcli.engine.symbolic.notation import literal
from gradcli.engine.tensor import Tensor
from gradcli.errors import ShapeError
from gradcli.language.tree import Argument, Call
from gradcli.ops.pointwise import arithmetic
from gradcli.ops.products.contractions import (
    ADDMM,
    BMM,
    MM,
    MV,
    apply_addmm,
    apply_bmm,
    apply_dot,
    apply_mm,
    apply_mv,
    same_dtype,
)
from gradcli.ops.shaping.arranging import contiguous
from gradcli.ops.shaping.permutations import apply_t, mT
from gradcli.ops.shaping.shaping import reshape, reshaped, squeeze_dim, unsafe_view, unsqueeze
from gradcli.ops.support.arguments import check_size
from gradcli.ops.support.folding import fold_squeeze
from gradcli.ops.support.surface import SHAPE, operation

squeeze_in_place = primitive(
    "squeeze_in_place",
    lambda x, *, dim=0: np.squeeze(x, dim),
    lambda g, out, x, *, dim=0: unsqueeze(g, dim=dim),
    node="SqueezeBackward4",
    structured=True,
    notation=lambda operands, options: Call(
        "squeeze", (Argument(operands[0].tree), Argument(literal(options.get("dim", 0))))
    ),
    fold=lambda x, *, value, dim=0: fold_squeeze(x, value=value, dim=dim),
    traits=("layout",),
    says=SHAPE,
    index=same_entries,
)


@operation(
    "A = [[1, 2], [3, 4]]; B = [[5, 6], [7, 8]]; A @ B",
    "A = [[1, 2], [3, 4]]; x = [5, 6]; A @ x",
    "x = [5, 6]; A = [[1, 2], [3, 4]]; x @ A",
    "A = [[[1, 2], [3, 4]], [[5, 6], [7, 8]]]; B = [[[1, 1], [2, 3]], [[0, 1], [4, 2]]]; matmul(A, B)",
    "A = [[[1, 2], [3, 4]], [[5, 6], [7, 8]]]; x = [1, 2]; A @ x",
    "A = [[1, 2], [3, 4]]; B = [[[5, 6], [7, 8]], [[1, 2], [3, 4]]]; A @ B",
    contracts=True,
)
def matmul(input: Tensor, other: Tensor) -> Any:
    """The product `input @ other` of vectors, matrices, or batches of matrices."""
    match input.ndim, other.ndim:
        case (0, _) | (_, 0):
            raise ShapeError(
                f"both arguments to matmul need to be at least 1D, but they are {input.ndim}D and {other.ndim}D"
            )
        case 1, 1:
            return apply_dot(input, other)
        case 2, 1:
            return apply_mv(input, other)
        case 1, 2:
            return squeeze_in_place(apply_mm(unsqueeze(input, dim=0), other))
        case 2, 2:
            return apply_mm(input, other)
    folds = _folds(input, other)
    by_vector = other.ndim == 1 or (input.ndim == 1 and other.ndim > 2)
    a, b = same_dtype(input, other, refusal=(MV if by_vector else MM) if folds else BMM)
    return _folded(a, b) if folds else _batched(a, b)


def _folds(a: Tensor, b: Tensor) -> bool:
    """Tell whether the batch of the larger operand becomes rows of one matrix."""
    larger, smaller = (a, b) if a.ndim >= b.ndim else (b, a)
    if smaller.ndim > 2:
        return False
    if smaller.requires_grad:  # its gradient would be expanded otherwise
        return True
    if a.ndim == 2:
        return False
    x = larger.value if larger is a else larger.value.swapaxes(-2, -1)
    return x.size == 0 or all(x.strides[dim] == x.strides[dim + 1] * x.shape[dim + 1] for dim in range(x.ndim - 2))


def _folded(a: Tensor, b: Tensor) -> Any:
    flipped = b.ndim > a.ndim  # x @ A is (A.mT @ x.T).mT
    larger = mT(b) if flipped else a
    smaller = (apply_t(a) if a.ndim == 2 else a) if flipped else b
    sizes = larger.shape[:-1]
    rows = reshaped(larger, (math.prod(sizes), larger.shape[-1]))
    if smaller.ndim == 1:
        return unsafe_view(apply_mv(rows, smaller), shape=sizes)
    out = unsafe_view(apply_mm(rows, smaller), shape=(*sizes, smaller.shape[1]))
    if not flipped:
        return out
    return contiguous(mT(out))


def _batched(a: Tensor, b: Tensor) -> Any:
    rows = a.shape[-2:-1] if a.ndim > 1 else (1,)
    columns = b.shape[-1:] if b.ndim > 1 else (1,)
    batch_a, batch_b = a.shape[:-2], b.shape[:-2]
    if a.ndim == b.ndim == 3 and batch_a != batch_b:  # torch would rather fold than expand a gradient
        if batch_a == (1,) and a.requires_grad:
            return matmul(squeeze_dim(a, dim=0), b)
        if batch_b == (1,) and b.requires_grad:
            return matmul(a, squeeze_dim(b, dim=0))
    shapes = [np.broadcast_to(0, batch) for batch in (batch_a, batch_b)]
    check_together(*shapes)
    batch = broadcast_shapes(batch_a, batch_b)
    check_size((*batch, *rows, *columns))
    count = math.prod(batch)
    A = reshaped(expand(a, size=(*batch, *rows, a.shape[-1])), (count, *rows, a.shape[-1]))
    if b.ndim == 1:
        B = unsqueeze(reshaped(expand(b, size=(*batch, *b.shape)), (count, *b.shape)), dim=2)
        return unsafe_view(squeeze_dim(apply_bmm(A, B), dim=2), shape=(*batch, *rows))
    B = reshaped(expand(b, size=(*batch, *b.shape[-2:])), (count, *b.shape[-2:]))
    return unsafe_view(apply_bmm(A, B), shape=(*batch, *(rows if a.ndim > 1 else ()), *columns))


@operation(
    "x = [[1, 2]]; W = [[3, 4], [5, 6]]; b = [7, 8]; linear(x, W, b)",
    "x = [1, 2]; W = [[3, 4], [5, 6]]; b = [7, 8]; linear(x, W, bias=b)",
    "x = [[1, 2]]; W = [[3, 4], [5, 6]]; linear(x, W)",
    method=False,
    contracts=True,
)
def linear(input: Tensor, weight: Tensor, bias: Tensor | None = None) -> Any:
    """A layer of neurons: `input @ weight.T + bias`."""
    if not input.ndim or not weight.ndim:
        raise ShapeError(
            f"both arguments to linear need to be at least 1D, but they are {input.ndim}D and {weight.ndim}D"
        )
    lies_in_rows = input.value.flags.c_contiguous
    if bias is not None and weight.ndim == 1 and (input.ndim == 2 or (bias.ndim == 1 and lies_in_rows)):
        raise ShapeError("mat2 must be a matrix, got 1-D tensor")
    if bias is not None and input.ndim == 2:
        return apply_addmm(bias, input, apply_t(weight))
    if bias is not None and weight.ndim == 2:
        same_dtype(bias, input, weight, refusal=ADDMM)
        if lies_in_rows:
            rows = reshape(input, shape=(math.prod(input.shape[:-1]), input.shape[-1]))
            return reshape(apply_addmm(bias, rows, apply_t(weight)), shape=(*input.shape[:-1], weight.shape[0]))
    product = matmul(input, apply_t(weight))
    if bias is None:
        return product
    found = arithmetic.add(product, bias)
    if found.shape != product.shape:  # torch adds in place
        raise ShapeError(
            f"output with shape {list(product.shape)} doesn't match the broadcast shape {list(found.shape)}"
        )
    return found
