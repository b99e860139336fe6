"""The same entries in another shape: reshape, squeeze, transpose, expand."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from gradcli.engine.formula import Formula
from gradcli.engine.notation import positional
from gradcli.engine.primitive import Primitive, primitive
from gradcli.engine.shapes import dimension, dimensions
from gradcli.engine.tensor import Tensor
from gradcli.errors import AutogradError
from gradcli.ops.surface import Dims, Shape, operation


def _fold_same(x: Formula, *, value: Any, **options: Any) -> Formula | None:
    return x if x.shape == np.shape(value) else None


reshape: Primitive = primitive(
    "reshape",
    lambda x, *, shape: np.reshape(x, shape),
    lambda g, out, x, *, shape: reshape(g, shape=x.shape),
    node="ViewBackward0",
    structured=True,
    view=True,
    notation=positional("reshape"),
    fold=_fold_same,
)
unsqueeze: Primitive = primitive(
    "unsqueeze",
    lambda x, *, dim: np.expand_dims(x, dim),
    lambda g, out, x, *, dim: squeeze_dim(g, dim=dim),
    structured=True,
    view=True,
    notation=positional("unsqueeze"),
)
squeeze: Primitive = primitive(
    "squeeze",
    np.squeeze,
    lambda g, out, x: reshape(g, shape=x.shape),
    structured=True,
    view=True,
    fold=_fold_same,
)


def _squeeze_dim(x: Any, *, dim: int) -> Any:
    """A dimension of another size than 1 stays, as in torch."""
    return np.squeeze(x, dim) if x.shape and x.shape[dim] == 1 else x[...]


squeeze_dim: Primitive = primitive(
    "squeeze_dim",
    _squeeze_dim,
    lambda g, out, x, *, dim: reshape(g, shape=x.shape),
    node="SqueezeBackward1",
    structured=True,
    view=True,
    notation=positional("squeeze"),
    fold=_fold_same,
)
squeeze_dims: Primitive = primitive(
    "squeeze_dims",
    lambda x, *, dim: np.squeeze(x, tuple(d for d in dim if x.shape and x.shape[d] == 1)),
    lambda g, out, x, *, dim: reshape(g, shape=x.shape),
    node="SqueezeBackward2",
    structured=True,
    view=True,
    notation=positional("squeeze"),
    fold=_fold_same,
)


def flat(sizes: tuple[Any, ...]) -> Shape:
    """Sizes as users give them, `(2, 3)` or `2, 3`, as one tuple."""
    found: list[int] = []
    for size in sizes:
        found.extend(size) if isinstance(size, tuple | list) else found.append(size)
    return tuple(found)


def inferred(shape: Shape, size: int) -> Shape:
    """The shape with its -1 worked out."""
    for position, length in enumerate(shape):
        if length < -1:
            raise AutogradError(f"invalid shape dimension {length} at index {position} of shape {list(shape)}")
    if shape.count(-1) > 1:
        raise AutogradError("only one dimension can be inferred")
    known = math.prod(length for length in shape if length != -1)
    if -1 in shape and size == known == 0:
        raise AutogradError(
            f"cannot reshape tensor of 0 elements into shape {list(shape)} because the unspecified dimension size -1 "
            "can be any value and is ambiguous"
        )
    if known != size if -1 not in shape else (known == 0 or size % known):
        raise AutogradError(f"shape '{list(shape)}' is invalid for input of size {size}", code="E301")
    return tuple(size // known if length == -1 else length for length in shape)


@operation("x = [[1, 2, 3], [4, 5, 6]]; reshape(x, (3, -1))")
def reshape_(input: Tensor, *shape: Shape) -> Any:
    """The same entries in a new shape; one size may be -1."""
    return reshape(input, shape=inferred(flat(shape), input.value.size))


@operation("x = [1, 2, 3]; unsqueeze(x, 0)")
def unsqueeze_(input: Tensor, dim: int) -> Any:
    """A new dimension of size 1."""
    return unsqueeze(input, dim=dimension(dim, input.ndim + 1))


@operation("x = [[1, 2, 3]]; squeeze(x)", "x = [[1, 2, 3]]; squeeze(x, 0)", "x = [[[1, 2, 3]]]; squeeze(x, (0, -2))")
def squeeze_(input: Tensor, dim: Dims = None) -> Any:
    """Without the dimensions of size 1: all of them, or the given one."""
    if dim is None:
        return squeeze(input)
    if isinstance(dim, int):
        return squeeze_dim(input, dim=dimension(dim, input.ndim))
    return squeeze_dims(input, dim=dimensions(dim, input.ndim))
