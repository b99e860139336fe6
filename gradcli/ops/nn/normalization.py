"""Layer normalization, RMS normalization, and the lookup of rows in a table (embedding)."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gradcli.engine.broadcast import sum_to_size
from gradcli.engine.carrier import Carrier
from gradcli.engine.primitive import Primitive, primitive
from gradcli.engine.symbolic.formula import Formula
from gradcli.engine.symbolic.notation import literal, named
from gradcli.engine.tensor import Tensor
from gradcli.errors import AutogradError, ShapeError
from gradcli.language.tree import Argument, Call, Expression
from gradcli.ops import formulas as entries
from gradcli.ops.indexing.indexing import scattered
from gradcli.ops.pointwise.arithmetic import mul
from gradcli.ops.pointwise.comparisons import equal
from gradcli.ops.pointwise.elementwise import rsqrt, sqrt
from gradcli.ops.pointwise.scalars import add_number, power
from gradcli.ops.pointwise.selection import where
from gradcli.ops.reducing.reductions import mean_dim
from gradcli.ops.reducing.statistics import var
from gradcli.ops.shaping.shaping import unsqueeze
from gradcli.ops.support.arguments import Indices, Real, Shape, check_size
from gradcli.ops.support.calling import ops
from gradcli.ops.support.surface import NORMAL, operation


def _layer_norm(x: Any, weight: Any, bias: Any, *, normalized_shape: Shape, eps: float = 1e-5) -> Any:
    x = np.ascontiguousarray(x)  # torch's result is contiguous
    if not x.size:  # numpy warns about the mean of nothing
        return x * weight + bias
    size = math.prod(normalized_shape)
    rows = x.reshape(-1, size).astype(np.float64)
    centred = rows - np.mean(rows, axis=1, keepdims=True)
    normal = centred / np.sqrt(np.mean(centred * centred, axis=1, keepdims=True) + eps)
    return (normal.reshape(x.shape) * weight + bias).astype(x.dtype)


def _input_rule(
    g: Carrier, out: Carrier, x: Carrier, weight: Any, bias: Any, *, normalized_shape: Shape, eps: float = 1e-5
) -> Any:
    normal = layer_norm(x, 1, 0, normalized_shape=normalized_shape, eps=eps)
    axes = tuple(range(len(x.shape) - len(normalized_shape), len(x.shape)))
    return normal_rule(g * weight, x, normal, axes, eps)


def normal_rule(h: Any, x: Any, normal: Any, axes: tuple[int, ...], eps: float) -> Any:
    """Return the gradient without its parts along the mean and the deviation (Ba et al. 2016)."""
    over = {"dim": axes[0] if len(axes) == 1 else axes, "keepdim": True}
    centred = h - mean_dim(h, **over)  # first, so that nothing is left of a gradient that is the same everywhere
    inner = centred - normal * mean_dim(centred * normal, **over)
    return inner / sqrt(var(x, correction=0, **over) + eps)


def _weight_rule(
    g: Carrier, out: Carrier, x: Carrier, weight: Any, bias: Any, *, normalized_shape: Shape, eps: float = 1e-5
) -> Any:
    normal = layer_norm(x, 1, 0, normalized_shape=normalized_shape, eps=eps)
    return sum_to_size(g * normal, size=weight.shape)


def write_norm(name: str, option: str) -> Callable[[Sequence[Formula], dict[str, Any]], Expression]:
    """Return the notation of a call that normalizes, without a weight of 1, a bias of 0 and the usual `eps`."""

    def write(operands: Sequence[Formula], options: dict[str, Any]) -> Expression:
        x, weight, bias = operands
        given = {"weight": weight, "bias": bias, "eps": options["eps"]}
        return Call(name, (Argument(x.tree), Argument(literal(options[option])), *named(given)))

    return write


layer_norm: Primitive = primitive(
    "layer_norm",
    _layer_norm,
    _input_rule,
    _weight_rule,
    lambda g, out, x, weight, bias, **o: sum_to_size(g, size=bias.shape),
    node="NativeLayerNormBackward0",
    notation=write_norm("layer_norm", "normalized_shape"),
    structured=True,
    inputs=("input", "weight", "bias"),
    says=NORMAL,
    index=entries.layer_norm,
)


def _embedding_backward(g: Any, rows: Any, *, size: Shape, padding_idx: int | None = None) -> Any:
    """Add each row of the gradient to the row of the table that it was looked up from."""
    index = np.asarray(rows).astype(np.intp).ravel()
    rows_of_g = g.reshape(index.size, size[1])
    if padding_idx is not None:
        index, rows_of_g = index[index != padding_idx], rows_of_g[index != padding_idx]
    return scattered(rows_of_g, index[:, None] * size[1] + np.arange(size[1]), size)


def _looked_up(g: Any, rows: Any, padding_idx: int | None) -> Any:
    found = embedding(rows, g, padding_idx=None)
    return found if padding_idx is None else where(unsqueeze(equal(rows, padding_idx), dim=len(rows.shape)), 0, found)


def _apart(rows: Any, weight: Any, *, padding_idx: int | None = None) -> Any:
    """Return where the gradient is not the derivative: at padding."""
    return np.equal(rows, -1 if padding_idx is None else padding_idx)


embedding: Primitive = primitive(
    "embedding",
    lambda rows, weight, *, padding_idx=None: weight[np.asarray(rows).astype(np.intp)],
    None,
    lambda g, out, rows, weight, **o: embedding_backward(g, rows, size=weight.shape, **o),
    structured=True,
    kinks=_apart,
    traits=("lenient",),
    convention="the row padding_idx receives no gradient",
    says="Each row adds up the gradients of the places where it was looked up.",
    index=entries.embedding,
)
embedding_backward: Primitive = primitive(
    "embedding_backward",
    _embedding_backward,
    lambda g, out, h, rows, *, size, padding_idx=None: _looked_up(g, rows, padding_idx),
    node="EmbeddingDenseBackwardBackward0",
    structured=True,
    says="A row's gradient is handed to every place where the row was looked up.",
    traits=("adjoint",),
)


def _check_normalized(input: Tensor, shape: Shape, **weights: Tensor | None) -> None:
    """Refuse a normalized shape that the input does not end in, and weights of another shape."""
    listed = str(list(shape))
    AutogradError.when(
        not shape,
        "Expected normalized_shape to be at least 1-dimensional, i.e., containing at least one element, but got "
        "normalized_shape = []",
    )
    for name, x in weights.items():
        if x is not None and x.shape != shape:
            raise ShapeError(
                f"Expected {name} to be of same shape as normalized_shape, but got {name} of shape {list(x.shape)} and "
                f"normalized_shape = {listed}"
            )
    if input.shape[-len(shape) :] != shape:
        raise ShapeError(
            f"Given normalized_shape={listed}, expected input with shape [*, {listed[1:]}, but got input of "
            f"size{list(input.shape)}"
        )


@operation(
    "x = [[1, 2, 4], [0.5, -1, 3]]; layer_norm(x, 3)",
    "x = [[1, 2, 4], [0.5, -1, 3]]; w = [1, 2, 0.5]; b = [0, 1, 2]; layer_norm(x, (3,), weight=w, bias=b, eps=0.01)",
    method=False,
    kernel="LayerNormKernelImpl",
    only="nn.functional",
)
def apply_layer_norm(
    input: Real, normalized_shape: Shape, weight: Real | None = None, bias: Real | None = None, eps: float = 1e-5
) -> Any:
    """Shift and scale the last dimensions to mean 0 and variance 1, then by weight and bias."""
    _check_normalized(input, normalized_shape, weight=weight, bias=bias)
    w, b = 1 if weight is None else weight, 0 if bias is None else bias
    return layer_norm(input, w, b, normalized_shape=normalized_shape, eps=eps)


@operation(
    "x = [[1, 2, 4], [0.5, -1, 3]]; rms_norm(x, 3)",
    "x = [[1, 2, 4], [0.5, -1, 3]]; w = [1, 2, 0.5]; rms_norm(x, (3,), w, eps=0.01)",
    method=False,
    kernel="rms_norm",
)
def rms_norm(input: Real, normalized_shape: Shape, weight: Real | None = None, eps: float | None = None) -> Any:
    """The last dimensions over the root of their mean square, then times the weight."""
    _check_normalized(input, normalized_shape, weight=weight)
    count = len(normalized_shape)
    axes = tuple(range(input.ndim - count, input.ndim))
    small = float(np.finfo(input.dtype).eps) if eps is None else eps
    squares = mean_dim(power(input, exponent=2), dim=axes, keepdim=True)
    normal = mul(input, rsqrt(add_number(squares, small)))
    return ops.contiguous(normal if weight is None else mul(normal, weight))


def _check_rows(rows: Any, size: Shape, padding_idx: int | None) -> None:
    ShapeError.when(len(size) != 2, "'weight' must be 2-D")
    count = size[0]
    if np.any((rows.value < 0) | (rows.value >= count)):
        raise AutogradError("index out of range in self", help=f"the rows are 0 to {count - 1}")
    if padding_idx is not None and not -count <= padding_idx < count:
        raise AutogradError("Padding_idx must be within num_embeddings")


@operation(
    "w = [[1, 2], [3, 4], [5, 6]]; embedding([0, 2, 0], w)",
    "w = [[1, 2], [3, 4], [5, 6]]; embedding([[0, 2], [0, 0]], w, padding_idx=1)",
    method=False,
    only="nn.functional",
)
def apply_embedding(input: Indices, weight: Real, padding_idx: int | None = None) -> Any:
    """The rows of `weight` with these numbers; the row `padding_idx` receives no gradient."""
    _check_rows(input, weight.shape, padding_idx)
    apart = None if padding_idx is None else padding_idx % weight.shape[0]
    return embedding(input, weight, padding_idx=apart)


@operation(
    "u = [[1, 2], [3, 4]]; embedding_backward(u, [2, 0], (3, 2))",
    "u = [[1, 2], [3, 4]]; embedding_backward(u, [2, 0], (3, 2), padding_idx=0)",
    method=False,
)
def apply_embedding_backward(grad_output: Real, indices: Indices, size: Shape, padding_idx: int | None = None) -> Any:
    """The gradient of `embedding` with respect to a table of the given size."""
    _check_rows(indices, size, padding_idx)
    if grad_output.shape != (*indices.shape, size[1]):
        expected = [*indices.shape, size[1]]
        raise ShapeError(f"Expected grad_output to have shape {expected}, but got {list(grad_output.shape)}")
    check_size(size)
    return embedding_backward(grad_output, indices, size=size, padding_idx=padding_idx)
