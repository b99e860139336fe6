"""Normalization of layers, batches and groups of channels, and the lookup of rows in a table (embedding)."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gradcli.engine.broadcast import sum_to_size
from gradcli.engine.carrier import Carrier
from gradcli.engine.modes import mode
from gradcli.engine.primitive import Primitive, adjoint, structured
from gradcli.engine.symbolic.formula import Formula, literal, named
from gradcli.engine.tensor import Tensor
from gradcli.errors import AutogradError, ShapeError, UnsupportedHere
from gradcli.language.tree import Argument, Call, Expression, Literal
from gradcli.ops import formulas as entries
from gradcli.ops.indexing.indexing import sum_at
from gradcli.ops.pointwise.arithmetic import mul
from gradcli.ops.pointwise.comparisons import equal
from gradcli.ops.pointwise.elementwise import add_number, power, rsqrt, sqrt
from gradcli.ops.pointwise.selection import where
from gradcli.ops.reducing.reductions import mean_dim, sum_dim
from gradcli.ops.reducing.statistics import var
from gradcli.ops.shaping.shaping import clone, reshape, unsqueeze
from gradcli.ops.support.arguments import Array, Indices, Places, Real, Shape, check_size
from gradcli.ops.support.calling import ops
from gradcli.ops.support.constant_nodes import number_of
from gradcli.ops.support.surface import NORMAL, operation, register_printed


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


layer_norm: Primitive = structured(
    "layer_norm",
    _layer_norm,
    _input_rule,
    _weight_rule,
    lambda g, out, x, weight, bias, **o: sum_to_size(g, size=bias.shape),
    node="NativeLayerNormBackward0",
    traits=("ranked",),
    notation=write_norm("layer_norm", "normalized_shape"),
    inputs=("input", "weight", "bias"),
    says=NORMAL,
    index=entries.layer_norm,
    stacked=(),
)


def _embedding_backward(g: Array, rows: Places, *, size: Shape, padding_idx: int | None = None) -> Any:
    """The gradient of `embedding`: each row is added to the row of the table that it was looked up from."""
    index = np.asarray(rows).astype(np.intp).ravel()
    rows_of_g = g.reshape(index.size, size[1])
    if padding_idx is not None:
        index, rows_of_g = index[index != padding_idx], rows_of_g[index != padding_idx]
    return sum_at(rows_of_g, index[:, None] * size[1] + np.arange(size[1]), size)


def _looked_up(g: Any, rows: Any, padding_idx: int | None) -> Any:
    gradient = embedding(rows, g, padding_idx=None)
    if padding_idx is None:
        return gradient
    return where(unsqueeze(equal(rows, padding_idx), dim=len(rows.shape)), 0, gradient)


def _apart(rows: Any, weight: Any, *, padding_idx: int | None = None) -> Any:
    """Return where the gradient is not the derivative: at padding."""
    return np.equal(rows, -1 if padding_idx is None else padding_idx)


embedding: Primitive = structured(
    "embedding",
    lambda rows, weight, *, padding_idx=None: weight[np.asarray(rows).astype(np.intp)],
    None,
    lambda g, out, rows, weight, **o: embedding_backward(g, rows, size=weight.shape, **o),
    kinks=_apart,
    traits=("lenient",),
    convention="the row padding_idx receives no gradient",
    says="Each row adds up the gradients of the places where it was looked up.",
    index=entries.embedding,
)
embedding_backward: Primitive = adjoint(
    "embedding_backward",
    _embedding_backward,
    lambda g, out, h, rows, *, size, padding_idx=None: _looked_up(g, rows, padding_idx),
    node="EmbeddingDenseBackwardBackward0",
    says="A row's gradient is handed to every place where the row was looked up.",
)
register_printed(
    embedding_backward,
    "u = [[1, 2], [3, 4]]; embedding_backward(u, [2, 0], size=(3, 2))",
    "u = [[1, 2], [3, 4]]; embedding_backward(u, [2, 0], size=(3, 2), padding_idx=0)",
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


NOT_BATCHED = (
    "Batch norm got a batched tensor as input while the running_mean or running_var, which will be updated in place, "
    "were not batched.\nIf you are using a module and do not need eval mode, please set `track_running_stats` to be "
    "False.If you are using a prebuilt module and do not need eval mode, please see the functorch website for "
    "resources on how to patch your module to work with vmap"
)


def beside(value: Any, ndim: int) -> Any:
    """Reshape numbers, one for each channel, to broadcast over the other dimensions; a default stays a number."""
    if ndim == 2 or number_of(value) is not None:
        return value
    return reshape(value, shape=(1, *value.shape, *(1,) * (ndim - 2)))


def others(x: Any) -> tuple[int, ...]:
    return (0, *range(2, len(x.shape)))


def _batch_norm(x: Any, weight: Any, bias: Any, mean: Any, var: Any, *, training: bool, eps: float = 1e-5) -> Any:
    """Scale and shift in one multiplication and one addition."""
    ndim, wide = x.ndim, x.astype(np.float64)
    if training:
        mean = np.mean(wide, others(x), keepdims=True).astype(x.dtype)
        var = np.mean((wide - mean) ** 2, others(x), keepdims=True).astype(x.dtype)
    else:
        mean, var = beside(mean, ndim), beside(var, ndim)
    scale = (1 / np.sqrt(np.asarray(var, np.float64) + eps)).astype(x.dtype) * beside(weight, ndim)
    shift = (beside(bias, ndim) - np.asarray(mean, np.float64) * scale).astype(x.dtype)
    return (wide * scale + shift).astype(x.dtype)


def _channel_rule(
    g: Carrier, out: Carrier, x: Carrier, weight: Any, bias: Any, *stored: Any, training: bool, eps: float = 1e-5
) -> Any:
    h = g * beside(weight, len(x.shape))
    if not training:
        return h / sqrt(beside(stored[1], len(x.shape)) + eps)
    return normal_rule(h, x, batch_norm(x, 1, 0, *stored, training=training, eps=eps), others(x), eps)


def _write(operands: Sequence[Formula], options: dict[str, Any]) -> Expression:
    """Write `batch_norm(x, m, v, weight=w, bias=b)`."""
    x, weight, bias, mean, var = operands
    stored = [Literal(None)] * 2 if options["training"] else [mean.tree, var.tree]
    given = {"weight": weight, "bias": bias, **options}
    return Call("batch_norm", (*map(Argument, (x.tree, *stored)), *named(given)))


batch_norm: Primitive = structured(
    "batch_norm",
    _batch_norm,
    _channel_rule,
    lambda g, out, x, w, b, *stored, **o: sum_dim(g * batch_norm(x, 1, 0, *stored, **o), dim=others(x)),
    lambda g, out, x, w, b, *stored, **_: sum_dim(g, dim=others(x)),
    node="NativeBatchNormBackward0",
    inputs=("input", "weight", "bias", "running_mean", "running_var"),
    traits=("ranked",),
    notation=_write,
    says="Scale and shift get sums; in training the input's part loses its mean and its trend along the result.",
    index=entries.batch_norm,
)


def _by_group(x: Any, groups: int) -> Any:
    return reshape(x, shape=(x.shape[0], groups, int(np.prod(x.shape[1:])) // groups))


def _normal_groups(x: Any, groups: int, eps: float) -> Any:
    rows = _by_group(x, groups)
    return reshape(layer_norm(rows, 1, 0, normalized_shape=rows.shape[2:], eps=eps), shape=x.shape)


def _group_norm(x: Any, weight: Any = 1, bias: Any = 0, *, num_groups: int, eps: float = 1e-5) -> Any:
    ndim = x.ndim
    return (_normal_groups(x, num_groups, eps) * beside(weight, ndim) + beside(bias, ndim)).astype(x.dtype)


def _group_rule(
    g: Carrier, out: Carrier, x: Carrier, weight: Any, bias: Any, *, num_groups: int, eps: float = 1e-5
) -> Any:
    h, rows = _by_group(g * beside(weight, len(x.shape)), num_groups), _by_group(x, num_groups)
    normal = layer_norm(rows, 1, 0, normalized_shape=rows.shape[2:], eps=eps)
    return reshape(normal_rule(h, rows, normal, (2,), eps), shape=x.shape)


group_norm: Primitive = structured(
    "group_norm",
    _group_norm,
    _group_rule,
    lambda g, out, x, w, b, *, num_groups, eps=1e-5: sum_dim(g * _normal_groups(x, num_groups, eps), dim=others(x)),
    lambda g, out, x, w, b, **_: sum_dim(g, dim=others(x)),
    node="NativeGroupNormBackward0",
    traits=("ranked",),
    notation=write_norm("group_norm", "num_groups"),
    says=NORMAL,
)


def _check_channels(count: int, **given: Tensor | None) -> None:
    for name, x in given.items():
        if x is not None and x.value.size != count:
            raise ShapeError(f"{name} should contain {count} elements not {x.value.size}")
        if x is not None and x.ndim != 1:
            raise UnsupportedHere(f"a {name} of {x.ndim} dimensions is not supported here")


def update_running(running: Tensor, value: Any, momentum: float) -> None:
    """Move a running average towards a new value, in place."""
    running.array[...] = (1 - momentum) * running.value + momentum * value
    running.changed()


@operation(
    "x = [[1, 2], [0.5, -1], [3, 1]]; w = [1, 2]; b = [0, 1]; batch_norm(x, None, None, w, b, training=True)",
    "x = [[1, 2], [0.5, -1]]; batch_norm(x, [0.5, 1], [2, 1])",
    "x = [[[1, 2, 4], [0.5, -1, 3]]]; w = [1, 2]; b = [0, 1]; batch_norm(x, [0, 1], [2, 1], w, b, eps=0.01)",
    "x = [[[1, 2, 4], [0.5, -1, 3]]]; w = [1, 2]; batch_norm(x, None, None, w, training=True, eps=0.01)",
    method=False,
    kernel="batch_norm",
    only="nn.functional",
)
def apply_batch_norm(
    input: Real,
    running_mean: Real | None = None,
    running_var: Real | None = None,
    weight: Real | None = None,
    bias: Real | None = None,
    training: bool = False,
    momentum: float = 0.1,
    eps: float = 1e-5,
) -> Any:
    """Each channel shifted and scaled to mean 0 and variance 1, those of the batch or running ones."""
    if input.ndim == 1 and not input.value.size:
        return clone(input)
    ShapeError.when(input.ndim < 2, "Dimension out of range (expected to be in range of [-1, 0], but got 1)")
    count = input.shape[1]
    values = input.value.size // max(count, 1)
    ShapeError.when(
        training and values <= 1,
        f"Expected more than 1 value per channel when training, got input size torch.Size({list(input.shape)})",
    )
    for name, stored in (("running_mean", running_mean), ("running_var", running_var)):
        if stored is None and not training:
            raise AutogradError(f"{name} must be defined in evaluation mode", help="training=True takes the batch's")
    _check_channels(count, running_mean=running_mean, running_var=running_var, weight=weight, bias=bias)
    w, b = 1 if weight is None else weight, 0 if bias is None else bias
    if not training:
        return batch_norm(input, w, b, running_mean, running_var, training=False, eps=eps)
    AutogradError.when(mode.examples is not None and (running_mean is not None or running_var is not None), NOT_BATCHED)
    if running_mean is not None:
        update_running(running_mean, np.mean(input.value, others(input)), momentum)
    if running_var is not None:
        update_running(running_var, np.var(input.value, others(input), ddof=1), momentum)
    return batch_norm(input, w, b, 0, 1, training=True, eps=eps)  # last: a checkpoint may stop at what it saves


@operation(
    "x = [[1, 2, 4, 3, 0, 1], [0.5, -1, 3, 0, 2, 5]]; group_norm(x, 2)",
    "x = [[[1, 2], [0.5, -1], [3, 0], [1, 5]]]; w = [1, 2, 3, 4]; b = [0, 1, 2, 3]; group_norm(x, 2, w, b, 0.01)",
    method=False,
    kernel="GroupNormKernelImpl",
    only="nn.functional",
)
def apply_group_norm(
    input: Real, num_groups: int, weight: Real | None = None, bias: Real | None = None, eps: float = 1e-5
) -> Any:
    """Groups of channels of each example shifted and scaled to mean 0 and variance 1."""
    ShapeError.when(input.ndim < 2, f"Expected at least 2 dimensions for input tensor but received {input.ndim}")
    AutogradError.when(num_groups < 1, f"Expected num groups to be greater than 0, got {num_groups}")
    ShapeError.when(
        input.shape[1] % num_groups,
        "Expected number of channels in input to be divisible by num_groups, but got input of shape "
        f"{list(input.shape)} and num_groups={num_groups}",
    )
    check_size((input.shape[0], num_groups))  # which no channels are divisible by too
    for name, x in (("weight", weight), ("bias", bias)):
        if x is not None and x.shape != input.shape[1:2]:
            shown = [0] if weight is None else list(weight.shape)  # of the weight in both cases, as in torch
            raise ShapeError(
                f"Expected {name} to be a vector of size equal to the number of channels in input, but got {name} of "
                f"shape {shown} and input of shape {list(input.shape)}"
            )
    w, b = 1 if weight is None else ops.contiguous(weight), 0 if bias is None else ops.contiguous(bias)
    return group_norm(ops.contiguous(input), w, b, num_groups=num_groups, eps=eps)
