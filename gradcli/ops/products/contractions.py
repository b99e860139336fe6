"""Products of matrices and vectors: the operations to which torch lowers `@`, with outer and addmm."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gradcli.engine.broadcast import row
from gradcli.engine.checks.shapes import extent
from gradcli.engine.dtypes import C_NAMES, TYPE_NAMES
from gradcli.engine.primitive import Primitive, primitive
from gradcli.engine.symbolic.formula import Formula
from gradcli.engine.symbolic.indices import entry, spread
from gradcli.engine.symbolic.notation import call, infix
from gradcli.engine.tensor import Tensor
from gradcli.errors import AutogradError, ShapeError
from gradcli.language.tree import Argument, Attribute, Binary, Call, Expression
from gradcli.ops.pointwise.arithmetic import mul
from gradcli.ops.pointwise.scalars import mul_number
from gradcli.ops.shaping.permutations import t, transpose
from gradcli.ops.shaping.shaping import expanded, reshaped, unsafe_view
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


def listed(x: Tensor) -> str:
    return "x".join(map(str, x.shape))


COLUMNS = "the first needs as many columns as the second has rows; .T transposes"


def check_mm(a: Tensor, b: Tensor) -> None:
    if a.shape[1] != b.shape[0]:
        text = f"mat1 and mat2 shapes cannot be multiplied ({listed(a)} and {listed(b)})"
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


def transposed(x: Any) -> Any:
    """Exchange the last two dimensions."""
    ndim = len(x.shape)
    return t(x) if ndim == 2 else transpose(x, dim0=ndim - 2, dim1=ndim - 1)


def times(a: Any, b: Any) -> Any:
    """Multiply two matrices, or each two of two stacks."""
    return (mm if len(a.shape) == 2 else bmm)(a, b)


def scaled(x: Any, factor: float) -> Any:
    if factor == 1:
        return x
    return mul_number(x, factor) if isinstance(x, Tensor) else x * factor


def _write_addmm(operands: Sequence[Formula], options: dict[str, Any]) -> Expression:
    if options["beta"] != 1 or options["alpha"] != 1:
        return call("addmm", _plus)(operands, options)
    c, a, b = (x.tree for x in operands)
    return Binary("+", c, Binary("@", a, b))


dot: Primitive = primitive(
    "dot",
    np.dot,
    lambda g, out, x, y: g * y,
    lambda g, out, x, y: g * x,
    structured=True,
    notation=infix("@"),
    traits=("product",),
    inputs=("self", "tensor"),
    says=DOT,
    index="out = Σi x[i]·y[i]",
)
mv: Primitive = primitive(
    "mv",
    np.matmul,
    lambda g, out, A, x: outer(g, x),
    lambda g, out, A, x: mv(t(A), g),
    structured=True,
    notation=infix("@"),
    traits=("matrix", "product"),
    inputs=("self", "vec"),
    says="The matrix gets gradient times vector, entry by entry; the vector the transposed matrix times gradient.",
    index="out[i] = Σj A[i,j]·x[j]",
)
outer: Primitive = primitive(
    "outer",
    np.multiply.outer,
    lambda g, out, x, y: mv(g, y),
    lambda g, out, x, y: mv(t(g), x),
    node="MulBackward0",
    structured=True,
    traits=("product",),
    says="Each vector gets the gradient, which is a matrix, multiplied by the other vector.",
    index="out[i,j] = x[i]·y[j]",
)


def _fold_mm(A: Formula, B: Formula, *, value: Any) -> Formula | None:
    """Write a column times a row as an outer product."""
    column = row(A.tree.value) if isinstance(A.tree, Attribute) and A.tree.name == "T" else None
    across = row(B.tree)
    if column is None or across is None:
        return None
    return Formula(Call("outer", (Argument(column), Argument(across))), value, A.size + B.size)


mm: Primitive = primitive(
    "mm",
    np.matmul,
    lambda g, out, A, B: mm(g, t(B)),
    lambda g, out, A, B: mm(t(A), g),
    structured=True,
    notation=infix("@"),
    fold=_fold_mm,
    traits=("matrix", "product"),
    inputs=("self", "mat2"),
    says=MATRIX,
    index="out[i,k] = Σj A[i,j]·B[j,k]",
)
bmm: Primitive = primitive(
    "bmm",
    np.matmul,
    lambda g, out, A, B: bmm(g, transposed(B)),
    lambda g, out, A, B: bmm(transposed(A), g),
    structured=True,
    notation=infix("@"),
    traits=("matrix", "product"),
    inputs=("self", "mat2"),
    says=MATRIX,
    index="out[n,i,k] = Σj A[n,i,j]·B[n,j,k]",
)


def _plus(c: Any, a: Any, b: Any, *, beta: float = 1, alpha: float = 1) -> Any:
    """Return `beta*c + alpha*(a @ b)`; where beta is 0 torch leaves `c` out, even nan."""
    product = scaled(np.matmul(a, b), alpha)
    return scaled(c, beta) + product if beta else product


def _added(name: str, node_inputs: str, first: Any, second: Any, index: str, **facts: Any) -> Primitive:
    """Declare a sum with a product of matrices in one node; `first` and `second` give the gradients of its factors."""

    def formula(out: Any, c: Any, a: Any, b: Any, *, beta: float = 1, alpha: float = 1) -> str:
        places, product = index.split(" = ")
        return f"{entry('out', places)} = {beta}·{spread('c', np.shape(c), places, np.shape(out))} + {alpha}·{product}"

    return primitive(
        name,
        _plus,
        lambda g, out, c, a, b, *, beta=1, alpha=1: scaled(g, beta),
        lambda g, out, c, a, b, *, beta=1, alpha=1: scaled(first(g, b), alpha),
        lambda g, out, c, a, b, *, beta=1, alpha=1: scaled(second(g, a), alpha),
        says=MATRIX_SUM,
        structured=True,
        traits=("matrix", "product"),
        inputs=("self", *node_inputs.split()),
        index=formula,
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
    lambda g, b: bmm(g, transposed(b)),
    lambda g, a: bmm(transposed(a), g),
    "nik = Σj a[n,i,j]·b[n,j,k]",
)


@operation("x = [1, 2]; y = [3, 4]; dot(x, y)", "x = [1, 2]; y = [3, 4]; x @ y", contracts=True)
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
            f"size mismatch, got input ({input.shape[0]}), mat ({listed(input)}), vec ({listed(vec)})", help=COLUMNS
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
    return mul(reshaped(input, (input.shape[0], 1)), vec2)


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
    expanded(input, (mat1.shape[0], mat2.shape[1]))
    refusal = ADDMM if input.dtype == mat2.dtype else ADDMM_SELF
    return addmm(*same_dtype(input, mat1, mat2, refusal=refusal), beta=beta, alpha=alpha)


@operation(
    "C = [[[1, 1], [0, 2]]]; A = [[[1, 2], [3, 4]]]; B = [[[5, 6], [7, 8]]]; baddbmm(C, A, B, alpha=2)",
    contracts=True,
    computes_integers=True,
)
def apply_baddbmm(input: Tensor, batch1: Tensor, batch2: Tensor, *, beta: float = 1, alpha: float = 1) -> Any:
    """`beta*input + alpha*bmm(batch1, batch2)`."""
    expanded(input, (extent(batch1.shape, 0), extent(batch1.shape, 1), extent(batch2.shape, 2)))
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
