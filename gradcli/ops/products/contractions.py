"""Products of matrices and vectors, of any number of dimensions: `matmul` and `linear` lowered as torch lowers them.

torch folds the batch dimensions of the larger operand into rows where that spares an expanded copy of the smaller one
or of its gradient; otherwise both are expanded into batches of matrices for `bmm`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from gradcli.engine.broadcast import expand, row
from gradcli.engine.checks.shapes import broadcast_shapes, check_together, extent
from gradcli.engine.dtypes import C_NAMES, TYPE_NAMES
from gradcli.engine.primitive import REGISTRY, Primitive, structured
from gradcli.engine.symbolic.formula import Formula, call, infix
from gradcli.engine.symbolic.indices import entry, spread
from gradcli.engine.tensor import Tensor
from gradcli.errors import AutogradError, ShapeError
from gradcli.language.tree import Argument, Attribute, Binary, Call, Expression
from gradcli.ops.pointwise import arithmetic
from gradcli.ops.pointwise.arithmetic import mul
from gradcli.ops.pointwise.elementwise import mul_number
from gradcli.ops.shaping.joining import contiguous
from gradcli.ops.shaping.shaping import (
    apply_t,
    expanded_sizes,
    mT,
    reshape,
    reshape_in_memory,
    squeeze_dim,
    t,
    transpose,
    unsafe_view,
    unsqueeze,
)
from gradcli.ops.support.arguments import check_size
from gradcli.ops.support.surface import DOT, MATRIX, MATRIX_SUM, operation

MM = "expected m1 and m2 to have the same dtype, but got: {a} != {b}"
MV = "addmv input tensors must have the same dtype, but got {1}, {0}, and {1}"
UNEQUAL = "dot : expected both vectors to have same dtype, but found {0} and {1}"
ADDMM = "mat1 and mat2 must have the same dtype, but got {1} and {2}"
ADDMM_SELF = "self and mat2 must have the same dtype, but got {0} and {2}"
BMM = "expected scalar type {0} but found {1}"
KERNELS = {UNEQUAL: "dot", MV: "addmv_impl_cpu", MM: "addmm_impl_cpu_", BMM: "bmm"}


def same_dtype(*tensors: Tensor, refusal: str = MM) -> tuple[Tensor, ...]:
    """Return tensors of one dtype as they are; refuse two dtypes, and booleans, as torch does."""
    dtypes = [x.dtype for x in tensors]
    if dtypes.count(dtypes[0]) < len(dtypes):
        names = [TYPE_NAMES[dtype] for dtype in dtypes]
        raise AutogradError(refusal.format(*names, a=C_NAMES[names[-2]], b=C_NAMES[names[-1]]))
    if dtypes[0] == np.bool_ and len(dtypes) == 2 and refusal in KERNELS:
        raise AutogradError(f"\"{KERNELS[refusal]}\" not implemented for 'Bool'")
    return tensors


def sizes_text(x: Tensor) -> str:
    return "x".join(map(str, x.shape))


COLUMNS = "the first needs as many columns as the second has rows; .T transposes"


def check_mm(a: Tensor, b: Tensor) -> None:
    if a.shape[1] != b.shape[0]:
        text = f"mat1 and mat2 shapes cannot be multiplied ({sizes_text(a)} and {sizes_text(b)})"
        raise ShapeError(text, help=COLUMNS)
    check_size((a.shape[0], b.shape[1]))


def check_bmm(input: Tensor, mat2: Tensor) -> None:
    for name, x in (("batch1", input), ("batch2", mat2)):
        ShapeError.when(x.ndim != 3, f"{name} must be a 3D tensor")
    batch, rows, inner = input.shape
    if mat2.shape[:2] != (batch, inner):
        raise ShapeError(
            f"Expected size for first two dimensions of batch2 tensor to be: [{batch}, {inner}] but got: "
            f"{list(mat2.shape[:2])}."
        )
    check_size((batch, rows, mat2.shape[2]))


def swap_last_dims(x: Any) -> Any:
    """Exchange the last two dimensions."""
    ndim = len(x.shape)
    return t(x) if ndim == 2 else transpose(x, dim0=ndim - 2, dim1=ndim - 1)


def times(a: Any, b: Any) -> Any:
    """Multiply two matrices, or each two of two stacks."""
    return (mm if len(a.shape) == 2 else bmm)(a, b)


def scale_by(x: Any, factor: float) -> Any:
    if factor == 1:
        return x
    return mul_number(x, factor) if isinstance(x, Tensor) else x * factor


def _write_addmm(operands: Sequence[Formula], options: dict[str, Any]) -> Expression:
    if options["beta"] != 1 or options["alpha"] != 1:
        return call("addmm", _plus)(operands, options)
    c, a, b = (x.tree for x in operands)
    return Binary("+", c, Binary("@", a, b))


dot: Primitive = structured(
    "dot",
    np.dot,
    lambda g, out, x, y: g * y,
    lambda g, out, x, y: g * x,
    notation=infix("@"),
    traits=("product",),
    inputs=("self", "tensor"),
    says=DOT,
    index="out = Σi x[i]·y[i]",
    stacked=lambda a, b: np.matmul(a[:, None, :], b[:, :, None])[:, 0, 0],
)
mv: Primitive = structured(
    "mv",
    np.matmul,
    lambda g, out, A, x: outer(g, x),
    lambda g, out, A, x: mv(t(A), g),
    notation=infix("@"),
    traits=("matrix", "product"),
    inputs=("self", "vec"),
    says="The matrix gets gradient times vector, entry by entry; the vector the transposed matrix times gradient.",
    index="out[i] = Σj A[i,j]·x[j]",
    stacked=lambda A, x: np.matmul(A, x[:, :, None])[:, :, 0],
)
outer: Primitive = structured(
    "outer",
    np.multiply.outer,
    lambda g, out, x, y: mv(g, y),
    lambda g, out, x, y: mv(t(g), x),
    node="MulBackward0",
    traits=("product",),
    says="Each vector gets the gradient, which is a matrix, multiplied by the other vector.",
    index="out[i,j] = x[i]·y[j]",
    stacked=lambda x, y: x[:, :, None] * y[:, None, :],
)


def _fold_mm(A: Formula, B: Formula, *, value: Any) -> Formula | None:
    """Write a column times a row as an outer product."""
    column = row(A.tree.value) if isinstance(A.tree, Attribute) and A.tree.name == "T" else None
    across = row(B.tree)
    if column is None or across is None:
        return None
    return Formula(Call("outer", (Argument(column), Argument(across))), value, A.size + B.size)


mm: Primitive = structured(
    "mm",
    np.matmul,
    lambda g, out, A, B: mm(g, t(B)),
    lambda g, out, A, B: mm(t(A), g),
    notation=infix("@"),
    fold=_fold_mm,
    traits=("matrix", "product"),
    inputs=("self", "mat2"),
    says=MATRIX,
    index="out[i,k] = Σj A[i,j]·B[j,k]",
    stacked=(),
)
bmm: Primitive = structured(
    "bmm",
    np.matmul,
    lambda g, out, A, B: bmm(g, swap_last_dims(B)),
    lambda g, out, A, B: bmm(swap_last_dims(A), g),
    notation=infix("@"),
    traits=("matrix", "product"),
    inputs=("self", "mat2"),
    says=MATRIX,
    index="out[n,i,k] = Σj A[n,i,j]·B[n,j,k]",
    stacked=(),
)


def _plus(c: Any, a: Any, b: Any, *, beta: float = 1, alpha: float = 1) -> Any:
    """Return `beta*c + alpha*(a @ b)`; where beta is 0 torch leaves `c` out, even nan."""
    total = scale_by(np.matmul(a, b), alpha)
    if beta:
        total += scale_by(c, beta)
    return total


def _added(name: str, node_inputs: str, first: Any, second: Any, index: str, **facts: Any) -> Primitive:
    """Declare a sum with a product of matrices in one node; `first` and `second` give the gradients of its factors."""

    def formula(out: Any, c: Any, a: Any, b: Any, *, beta: float = 1, alpha: float = 1) -> str:
        places, product = index.split(" = ")
        return f"{entry('out', places)} = {beta}·{spread('c', np.shape(c), places, np.shape(out))} + {alpha}·{product}"

    return structured(
        name,
        _plus,
        lambda g, out, c, a, b, *, beta=1, alpha=1: scale_by(g, beta),
        lambda g, out, c, a, b, *, beta=1, alpha=1: scale_by(first(g, b), alpha),
        lambda g, out, c, a, b, *, beta=1, alpha=1: scale_by(second(g, a), alpha),
        says=MATRIX_SUM,
        traits=("matrix", "product"),
        inputs=("self", *node_inputs.split()),
        index=formula,
        stacked=(),
        **facts,
    )


addmm = _added(
    "addmm",
    "mat1 mat2",
    lambda g, b: mm(g, t(b)),
    lambda g, a: mm(t(a), g),
    "ik = Σj a[i,j]·b[j,k]",
    notation=_write_addmm,
)
baddbmm = _added(
    "baddbmm",
    "batch1 batch2",
    lambda g, b: bmm(g, swap_last_dims(b)),
    lambda g, a: bmm(swap_last_dims(a), g),
    "nik = Σj a[n,i,j]·b[n,j,k]",
)


@operation("x = [1, 2]; y = [3, 4]; dot(x, y)", "x = [1, 2]; y = [3, 4]; x @ y", contracts=True, traits=("reducing",))
def apply_dot(input: Tensor, tensor: Tensor) -> Any:
    """The inner product of two vectors."""
    if input.ndim != 1 or tensor.ndim != 1:
        raise ShapeError(f"1D tensors expected, but got {input.ndim}D and {tensor.ndim}D tensors")
    pair = same_dtype(input, tensor, refusal=UNEQUAL)
    m, n = len(input.value), len(tensor.value)
    if m != n:
        raise ShapeError(
            f"inconsistent tensor size, expected tensor [{m}] and src [{n}] to have the same number of elements, but "
            f"got {m} and {n} elements respectively"
        )
    return dot(*pair)


@operation("A = [[1, 2], [3, 4]]; x = [5, 6]; mv(A, x)", contracts=True)
def apply_mv(input: Tensor, vec: Tensor) -> Any:
    """A matrix times a vector."""
    ShapeError.when(not input.ndim, "Dimension specified as 0 but tensor has no dimensions")
    if input.ndim != 2 or vec.ndim != 1:
        raise ShapeError(f"vector + matrix @ vector expected, got 1, {input.ndim}, {vec.ndim}")
    if input.shape[1] != vec.shape[0]:
        raise ShapeError(
            f"size mismatch, got input ({input.shape[0]}), mat ({sizes_text(input)}), vec ({sizes_text(vec)})",
            help=COLUMNS,
        )
    return mv(*same_dtype(input, vec, refusal=MV))


@operation(
    "A = [[1, 2], [3, 4]]; B = [[5, 6, 7], [8, 9, 1]]; mm(A, B)", "A = [[1, 2], [3, 4]]; A.T @ A", contracts=True
)
def apply_mm(input: Tensor, mat2: Tensor) -> Any:
    """The product of two matrices."""
    if input.ndim != 2 or mat2.ndim != 2:
        raise ShapeError(f"{'self' if input.ndim != 2 else 'mat2'} must be a matrix")
    check_mm(input, mat2)
    return mm(*same_dtype(input, mat2))


@operation("A = [[[1, 2], [3, 4]]]; B = [[[5, 6], [7, 8]]]; bmm(A, B)", contracts=True)
def apply_bmm(input: Tensor, mat2: Tensor) -> Any:
    """The products of two batches of matrices, one by one."""
    check_bmm(input, mat2)
    return bmm(*same_dtype(input, mat2, refusal=BMM))


@operation("x = [1, 2]; y = [3, 4, 5]; outer(x, y)", aliases=["ger"], contracts=True)
def apply_outer(input: Tensor, vec2: Tensor) -> Any:
    """The matrix of all products of two vectors."""
    for name, x in (("self", input), ("vec2", vec2)):
        if x.ndim != 1:
            raise ShapeError(f"outer: Expected 1-D argument {name}, but got {x.ndim}-D")
    check_size((*input.shape, *vec2.shape))
    return mul(reshape_in_memory(input, (input.shape[0], 1)), vec2)


@operation(
    "b = [1, 2]; x = [[3, 4]]; W = [[5, 6], [7, 8]]; addmm(b, x, W)",
    "b = [1, 2]; x = [[3, 4]]; W = [[5, 6], [7, 8]]; addmm(b, x, W, beta=2, alpha=3)",
    contracts=True,
    computes_integers=True,
)
def apply_addmm(input: Tensor, mat1: Tensor, mat2: Tensor, *, beta: float = 1, alpha: float = 1) -> Any:
    """`beta*input + alpha*(mat1 @ mat2)`."""
    for name, x in (("mat1", mat1), ("mat2", mat2)):
        if x.ndim != 2:
            raise ShapeError(f"{name} must be a matrix, got {x.ndim}-D tensor")
    check_mm(mat1, mat2)
    expanded_sizes(input, (mat1.shape[0], mat2.shape[1]))
    refusal = ADDMM if input.dtype == mat2.dtype else ADDMM_SELF
    return addmm(*same_dtype(input, mat1, mat2, refusal=refusal), beta=beta, alpha=alpha)


@operation(
    "C = [[[1, 1], [0, 2]]]; A = [[[1, 2], [3, 4]]]; B = [[[5, 6], [7, 8]]]; baddbmm(C, A, B, alpha=2)",
    contracts=True,
    computes_integers=True,
)
def apply_baddbmm(input: Tensor, batch1: Tensor, batch2: Tensor, *, beta: float = 1, alpha: float = 1) -> Any:
    """`beta*input + alpha*bmm(batch1, batch2)`."""
    expanded_sizes(input, (extent(batch1.shape, 0), extent(batch1.shape, 1), extent(batch2.shape, 2)))
    check_bmm(batch1, batch2)
    tensors = (input, batch1, batch2)
    return baddbmm(*same_dtype(*tensors, refusal="expected scalar type {1} but found {2}"), beta=beta, alpha=alpha)


@operation("A = [[1, 2], [3, 4]]; B = [[1, 0.5], [2, 1]]; kron(A, B)", "x = [1, 2]; A = [[1, 2], [3, 4]]; kron(x, A)")
def kron(input: Tensor, other: Tensor) -> Any:
    """The Kronecker product: each entry of the input times the whole of the other."""
    ndim = max(input.ndim, other.ndim)
    a, b = ((1,) * (ndim - x.ndim) + x.shape for x in (input, other))
    check_size((*a, *b))
    left = unsafe_view(input, shape=tuple(size for n in a for size in (n, 1)))
    right = unsafe_view(other, shape=tuple(size for n in b for size in (1, n)))
    return unsafe_view(mul(left, right), shape=tuple(m * n for m, n in zip(a, b, strict=True)))


squeeze_in_place = REGISTRY["squeeze_in_place"] = replace(squeeze_dim.in_place, name="squeeze_in_place", view=False)


@operation(
    "A = [[1, 2], [3, 4]]; B = [[5, 6], [7, 8]]; A @ B",
    "A = [[1, 2], [3, 4]]; x = [5, 6]; A @ x",
    "x = [5, 6]; A = [[1, 2], [3, 4]]; x @ A",
    "A = [[[1, 2], [3, 4]], [[5, 6], [7, 8]]]; B = [[[1, 1], [2, 3]], [[0, 1], [4, 2]]]; matmul(A, B)",
    "A = [[[1, 2], [3, 4]], [[5, 6], [7, 8]]]; x = [1, 2]; A @ x",
    "A = [[1, 2], [3, 4]]; B = [[[5, 6], [7, 8]], [[1, 2], [3, 4]]]; A @ B",
    contracts=True,
    symbol="@",
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
            return squeeze_in_place(apply_mm(unsqueeze(input, dim=0), other), dim=0)
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
    rows = reshape_in_memory(larger, (math.prod(sizes), larger.shape[-1]))
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
    A = reshape_in_memory(expand(a, size=(*batch, *rows, a.shape[-1])), (count, *rows, a.shape[-1]))
    if b.ndim == 1:
        B = unsqueeze(reshape_in_memory(expand(b, size=(*batch, *b.shape)), (count, *b.shape)), dim=2)
        return unsafe_view(squeeze_dim(apply_bmm(A, B), dim=2), shape=(*batch, *rows))
    B = reshape_in_memory(expand(b, size=(*batch, *b.shape[-2:])), (count, *b.shape[-2:]))
    return unsafe_view(apply_bmm(A, B), shape=(*batch, *(rows if a.ndim > 1 else ()), *columns))


@operation(
    "x = [[1, 2]]; W = [[3, 4], [5, 6]]; b = [7, 8]; linear(x, W, b)",
    "x = [1, 2]; W = [[3, 4], [5, 6]]; b = [7, 8]; linear(x, W, bias=b)",
    "x = [[1, 2]]; W = [[3, 4], [5, 6]]; linear(x, W)",
    method=False,
    contracts=True,
    traits=("passing",),
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
    result = arithmetic.add(product, bias)
    if result.shape != product.shape:  # torch adds in place
        raise ShapeError(
            f"output with shape {list(product.shape)} doesn't match the broadcast shape {list(result.shape)}"
        )
    return result
