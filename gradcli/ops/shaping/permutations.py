"""The dimensions in another order: transposes and permutations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gradcli.engine.checks.shapes import dimension
from gradcli.engine.primitive import Primitive, primitive
from gradcli.engine.symbolic.formula import Formula
from gradcli.engine.symbolic.indices import ELSEWHERE
from gradcli.engine.symbolic.notation import attribute, positional
from gradcli.engine.tensor import Tensor
from gradcli.errors import AutogradError
from gradcli.language.tree import Attribute, Call, Expression
from gradcli.ops.indexing.indexing import alias
from gradcli.ops.shaping.shaping import flat
from gradcli.ops.support.arguments import Dims, Shape
from gradcli.ops.support.surface import MOVED, operation


def _write_transpose(operands: Sequence[Formula], options: dict[str, Any]) -> Expression:
    """Write `A.T` for a matrix, `A.mT` for a batch of matrices."""
    x = operands[0]
    if {options["dim0"], options["dim1"]} == {len(x.shape) - 2, len(x.shape) - 1}:
        return Attribute(x.tree, "T" if len(x.shape) == 2 else "mT")
    return positional("transpose")(operands, options)


def _write_permute(operands: Sequence[Formula], options: dict[str, Any]) -> Expression:
    backwards = options["dims"] == tuple(reversed(range(len(options["dims"]))))
    return attribute("T")(operands, options) if backwards else positional("permute")(operands, options)


def _fold_twice(x: Formula, *, value: Any, **options: Any) -> Formula | None:
    """Fold `A.T.T` to `A`, and `outer(x, y).T` to `outer(y, x)`."""
    if isinstance(x.tree, Call) and x.tree.function == "outer":
        return Formula(Call("outer", x.tree.arguments[::-1]), value, x.size)
    matrix = len(x.shape) == 2 and isinstance(x.tree, Attribute) and x.tree.name == "T"
    return Formula(x.tree.value, value, x.size - 1) if matrix else None  # type: ignore[attr-defined]


t: Primitive = primitive(
    "t",
    lambda x: x.T,
    lambda g, out, x: t(g),
    structured=True,
    view=True,
    notation=attribute("T"),
    fold=_fold_twice,
    node_in_place="TBackward1",
    traits=("layout",),
    says=MOVED,
    index=ELSEWHERE,
)
transpose: Primitive = primitive(
    "transpose",
    lambda x, *, dim0, dim1: np.swapaxes(x, dim0, dim1) if x.shape else x,
    lambda g, out, x, *, dim0, dim1: transpose(g, dim0=dim0, dim1=dim1),
    structured=True,
    view=True,
    notation=_write_transpose,
    node_in_place="TransposeBackward1",
    traits=("layout",),
    says=MOVED,
    index=ELSEWHERE,
)
permute: Primitive = primitive(
    "permute",
    lambda x, *, dims: np.transpose(x, dims),
    lambda g, out, x, *, dims: permute(g, dims=tuple(map(dims.index, range(len(dims))))),
    structured=True,
    view=True,
    notation=_write_permute,
    traits=("layout",),
    says=MOVED,
    index=ELSEWHERE,
)


@operation("A = [[1, 2, 3], [4, 5, 6]]; A.t()", "A = [[1, 2], [3, 4]]; t(A)", in_place="")
def apply_t(input: Tensor) -> Any:
    """The transpose of a matrix; a vector stays as it is."""
    if input.ndim > 2:
        raise AutogradError(f"t() expects a tensor with <= 2 dimensions, but self is {input.ndim}D")
    return t(input)


@operation("A = [[1, 2, 3], [4, 5, 6]]; A.T", method=False)
def T(input: Tensor) -> Any:
    """The dimensions in reverse, written `A.T`."""
    return permute(input, dims=tuple(reversed(range(input.ndim))))


@operation("A = [[[1, 2, 3], [4, 5, 6]]]; A.mT", method=False)
def mT(input: Tensor) -> Any:
    """The last two dimensions exchanged, written `A.mT`."""
    if not input.ndim:
        return input
    if input.ndim < 2:
        raise AutogradError("tensor.mT is only supported on matrices or batches of matrices. Got 1-D tensor.")
    return transpose(input, dim0=input.ndim - 2, dim1=input.ndim - 1)


@operation("x = [[[1, 2], [3, 4]]]; transpose(x, 0, -1)", aliases=["swapaxes", "swapdims"], in_place="")
def apply_transpose(input: Tensor, dim0: int, dim1: int) -> Any:
    """Two dimensions exchanged."""
    return transpose(input, dim0=dimension(dim0, input.ndim), dim1=dimension(dim1, input.ndim))


@operation("x = [[[1, 2], [3, 4]]]; permute(x, (1, 2, 0))")
def apply_permute(input: Tensor, *dims: Shape) -> Any:
    """The dimensions in a new order."""
    order = flat(dims)
    if len(order) != input.ndim:
        raise AutogradError(
            "permute(sparse_coo): number of dimensions in the tensor input does not match the length of the desired "
            f"ordering of dimensions i.e. input.dim() = {input.ndim} is not equal to len(dims) = {len(order)}"
        )
    wrapped = tuple(dimension(dim, input.ndim) for dim in order)
    AutogradError.when(len(set(wrapped)) < len(wrapped), "permute(): duplicate dims are not allowed.")
    return permute(input, dims=wrapped)


def _once(name: str, dims: Dims, ndim: int) -> tuple[int, ...]:
    """Return dimensions counted from the front, after the check that none is named twice."""
    given = flat((dims,))
    found = tuple(dimension(dim, ndim) for dim in given)
    if len(set(found)) < len(found):
        raise AutogradError(f"movedim: repeated dim in `{name}` ({list(given)})")
    return found


@operation("x = [[[1, 2], [3, 4]]]; movedim(x, 0, -1)", aliases=["moveaxis"])
def movedim(input: Tensor, source: Dims, destination: Dims) -> Any:
    """Some dimensions at new places, the others in their order."""
    froms, tos = (_once(name, dims, input.ndim) for name, dims in (("source", source), ("destination", destination)))
    if len(froms) != len(tos):
        raise AutogradError(
            "movedim: Invalid source or destination dims: source "
            f"({list(froms)} dims) should contain the same number of dims as destination ({list(tos)} dims)"
        )
    if not input.ndim:  # a scalar has a dimension to name, and none to move
        return alias(input)
    order = [dim for dim in range(input.ndim) if dim not in froms]
    for to, dim in sorted(zip(tos, froms, strict=True)):
        order.insert(to, dim)
    return permute(input, dims=tuple(order))
