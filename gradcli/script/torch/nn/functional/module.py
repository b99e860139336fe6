"""`torch.nn.functional`: the operations with the arguments that torch gives them there."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from functools import cache, partial
from importlib import import_module
from typing import Any

import numpy as np

from gradcli.engine.dtypes import C_NAMES, TYPE_NAMES
from gradcli.engine.memory.in_place import change
from gradcli.engine.saved import watch
from gradcli.engine.tensor import Tensor, is_floating
from gradcli.errors import AutogradError
from gradcli.ops.nn.softmax import masked_attention
from gradcli.ops.support.calling import ops
from gradcli.ops.support.constant_nodes import as_node
from gradcli.ops.support.surface import OPERATIONS
from gradcli.ops.windows.pooling import options, positions
from gradcli.script.errors import UnsupportedError
from gradcli.script.machine import running
from gradcli.script.python.members.absence import without
from gradcli.script.torch.operations import facade
from gradcli.script.torch.operations.arguments import check_kind, kind_name
from gradcli.script.torch.operations.facade import check_parameters, refusing, with_integer_results
from gradcli.script.torch.random.generator import in_memory_order
from gradcli.script.torch.tensor.dtypes import cast
from gradcli.script.torch.tensor.printing import size_text


def check_tensor(function: str, value: Any, argument: str = "input", position: int = 1) -> None:
    """Raise TypeError for a value that is no tensor."""
    check_kind(function, argument, position, value, Tensor, "Tensor")


def check_dimension(x: Tensor, dim: int) -> None:
    """Raise IndexError, as torch does where it looks at a dimension that a tensor has not."""
    if not x.ndim:
        raise IndexError(f"Dimension specified as {dim} but tensor has no dimensions")
    if dim >= x.ndim:
        raise IndexError(
            f"Dimension out of range (expected to be in range of [{-x.ndim}, {x.ndim - 1}], but got {dim})"
        )


def check_dtypes(input: Tensor, weight: Tensor, bias: Tensor | None) -> None:
    """Raise AutogradError for a linear layer of another dtype than its input."""
    of_input, of_weight = TYPE_NAMES[input.dtype], TYPE_NAMES[weight.dtype]
    if bias is None:
        if of_input != of_weight:
            kinds = f"{C_NAMES[of_input]} != {C_NAMES[of_weight]}"
            raise AutogradError(f"expected m1 and m2 to have the same dtype, but got: {kinds}")
        return
    of_bias = TYPE_NAMES[bias.dtype]
    pairs = (("mat1", of_input), ("self", of_bias))
    for name, kind in pairs:
        if kind != of_weight:
            raise AutogradError(f"{name} and mat2 must have the same dtype, but got {kind} and {of_weight}")


Function = Callable[..., Any]

# How a function is made that is not the operation of its name: one of a tensor and numbers, with `inplace` behind them
# where torch has it; or a function of our own, in the file of that name.
KINDS = {
    "activation": (
        "elu gelu hardsigmoid hardswish hardtanh leaky_relu logsigmoid mish relu relu6 selu sigmoid silu "
        "softplus softsign tanh threshold"
    ),
    "functional.module": (
        "batch_norm dropout dropout2d embedding group_norm linear log_softmax max_pool1d max_pool2d max_pool3d one_hot "
        "scaled_dot_product_attention softmax"
    ),
    "functional.folding": "fold interpolate unfold",
    "functional.grids": "affine_grid grid_sample",
    "functional.losses": (
        "binary_cross_entropy binary_cross_entropy_with_logits cross_entropy huber_loss kl_div l1_loss mse_loss "
        "nll_loss poisson_nll_loss smooth_l1_loss"
    ),
}
NAMED = {"logsigmoid": "log_sigmoid", "threshold": "_threshold"}  # functions with another name of their own
KIND_OF = {name: kind for kind, names in KINDS.items() for name in names.split()}


@cache
def find(name: str) -> Function | None:
    """`F.name`; None when there is no such function."""
    kind = KIND_OF.get(name.removesuffix("_"))
    if name.endswith("_"):
        return in_place(name[:-1]) if kind == "activation" else None
    if kind == "activation":
        return activation(name)
    if kind is None:
        return facade.function(name, "nn.functional")
    function: Function = getattr(import_module(f"gradcli.script.torch.nn.{kind}"), name)
    return function if kind == "functional.losses" else refusing(name, function)  # losses look at their numbers


def checked(name: str) -> Function:
    """An operation that reads its arguments as torch does."""
    operation = facade.function(name, OPERATIONS[name].only)
    assert operation is not None
    return operation


def activation(name: str) -> Function:
    """An operation on one tensor: `F.leaky_relu(x, 0.1, inplace=True)`."""
    others = len(OPERATIONS[name].parameters) - 1
    function = checked(name)

    def call(input: Tensor, *arguments: Any, inplace: bool = False, **keywords: Any) -> Any:
        if len(arguments) > others:
            *arguments, inplace = arguments  # type: ignore[assignment]
        if inplace:
            return change(input, function, *arguments, **keywords)
        return function(input, *arguments, **keywords)

    call.__name__ = call.__qualname__ = NAMED.get(name, name)
    call.__module__ = "torch.nn.functional"
    return call


def in_place(name: str) -> Function:
    """`F.relu_(x)`."""
    function = find(name)
    assert function is not None
    return partial(function, inplace=True)


def linear(input: Tensor, weight: Tensor, bias: Tensor | None = None) -> Any:
    for position, (argument, value) in enumerate((("input", input), ("weight", weight), ("bias", bias)), 1):
        if value is not None:
            check_tensor("linear", value, argument, position)
    check_dtypes(input, weight, bias)
    return ops.linear(input, weight, bias)


def one_hot(input: Tensor, num_classes: int = -1) -> Any:
    """A row for each label: 1 at its class, 0 elsewhere."""
    check_tensor("one_hot", input)
    if input.dtype != np.dtype(np.int64):
        raise AutogradError("one_hot is only applicable to index tensor of type LongTensor.")
    return checked("one_hot")(input, num_classes)


def softmax(input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: Any = None) -> Any:
    return _along("softmax", input, dim, dtype)


def log_softmax(input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: Any = None) -> Any:
    return _along("log_softmax", input, dim, dtype)


def _along(name: str, input: Tensor, dim: int | None, dtype: Any) -> Any:
    """Call a softmax: a `dim` that is left out is chosen with a warning, and the input is first cast to `dtype`."""
    check_tensor(name, input)
    if dim is None:
        warnings.warn(
            f"Implicit dimension choice for {name} has been deprecated. Change the call to include dim=X as an "
            "argument.",
            UserWarning,
            stacklevel=2,
        )
    axis = (0 if input.ndim in (0, 1, 3) else 1) if dim is None else dim
    return checked(name)(input if dtype is None else cast(input, dtype), axis)


def batch_norm(
    input: Tensor,
    running_mean: Tensor | None,
    running_var: Tensor | None,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    training: bool = False,
    momentum: float = 0.1,
    eps: float = 1e-5,
) -> Any:
    """Each channel shifted and scaled by the mean and variance of the batch, or by running ones."""
    check_tensor("batch_norm", input)
    if training and input.ndim > 1 and math.prod((input.shape[0], *input.shape[2:])) == 1:
        raise ValueError(
            f"Expected more than 1 value per channel when training, got input size {size_text(input.shape)}"
        )
    if eps < 0 or (training and not eps):
        raise ValueError(
            f"batch_norm eps must be {'positive during training' if training else 'non-negative'}, but got {eps}"
        )
    if is_floating(input.value):
        check_parameters(input, weight, bias, running_mean, running_var)
    return ops.batch_norm(input, running_mean, running_var, weight, bias, training, momentum, eps)


def group_norm(
    input: Tensor, num_groups: int, weight: Tensor | None = None, bias: Tensor | None = None, eps: float = 1e-5
) -> Any:
    """Shift and scale groups of channels of each example; a group of one value has no variance, and is refused."""
    if not isinstance(input, Tensor):
        raise AttributeError(f"{kind_name(input)!r} object has no attribute 'dim'")
    if input.ndim < 2:
        raise RuntimeError(f"Expected at least 2 dimensions for input tensor but received {input.ndim}")
    size = [input.shape[0] * input.shape[1] // num_groups, num_groups, *input.shape[2:]]
    if math.prod(size) == num_groups:
        raise ValueError(f"Expected more than 1 value per channel when training, got input size {size}")
    check_parameters(input, weight, bias)
    return ops.group_norm(input, num_groups, weight, bias, eps)


@without("scale_grad_by_freq sparse")
def embedding(
    input: Tensor,
    weight: Tensor,
    padding_idx: int | None = None,
    max_norm: float | None = None,
    norm_type: float = 2.0,
) -> Any:
    """Look rows of a table up; the row `padding_idx` gets no gradient."""
    check_tensor("embedding", input, "indices", 2)
    if weight.ndim != 2:
        raise AutogradError("'weight' must be 2-D", code="E301")
    rows = weight.shape[0]
    if padding_idx and not -rows <= padding_idx < rows:
        raise AssertionError("Padding_idx must be within num_embeddings")
    kind = TYPE_NAMES[input.dtype]
    if kind not in ("Long", "Int"):
        shown = "CPUBoolType" if kind == "Bool" else f"torch.{kind}Tensor"
        raise AutogradError(
            f"Expected tensor for argument #1 'indices' to have one of the following scalar types: Long, Int; "
            f"but got {shown} instead (while checking arguments for embedding)"
        )
    if np.any((input.value < 0) | (input.value >= rows)):
        raise IndexError("index out of range in self")
    if max_norm is not None:  # longer rows are scaled down, in place
        for row in np.unique(input.value):
            length = float(np.linalg.norm(weight.array[row], float(norm_type)))
            if length > max_norm:
                weight.array[row] *= weight.dtype.type(max_norm / (length + 1e-7))
        weight.changed()
    place = None if padding_idx is None else padding_idx % rows
    return ops.embedding(input, weight, place)


def _largest(count: int) -> Function:
    """Return max-pooling in so many dimensions, whose stride is the size of its windows unless it is given."""
    name = f"max_pool{count}d"

    def call(
        input: Tensor,
        kernel_size: Any,
        stride: Any = None,
        padding: Any = 0,
        dilation: Any = 1,
        ceil_mode: bool = False,
        return_indices: bool = False,
    ) -> Any:
        sizes = (kernel_size, kernel_size if stride is None else stride, padding, dilation)
        pooled = checked(name)(input, *sizes, ceil_mode)
        if not return_indices:
            return pooled
        places = _indices(count, input.value, sizes, ceil_mode)
        watch(pooled, places)
        return pooled, places if count > 1 else checked("squeeze")(places, -2)

    call.__name__ = call.__qualname__ = name  # in the words of a TypeError
    call.__module__ = "torch.nn.functional"
    return call if count == 1 else with_integer_results(call)


def _indices(count: int, value: Any, sizes: tuple[Any, ...], ceil_mode: bool) -> Tensor:
    """Return the positions of the entries that max-pooling takes; for rows, those of images of one row."""
    along = [tuple(size) if isinstance(size, tuple | list) else (size,) * count for size in sizes]
    if count == 1:
        value = value[..., None, :]
        along = [(first, *size) for first, size in zip((1, 1, 0, 1), along, strict=True)]
    kernel, stride, padding, dilation = along
    o = options("max_pool", max(count, 2), value.shape, kernel, stride, padding, dilation, ceil_mode)
    return Tensor(positions(value, **o))


max_pool1d, max_pool2d, max_pool3d = map(_largest, (1, 2, 3))


def check_chance(p: float) -> None:
    if p < 0 or p > 1:
        raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")


def _drawn(name: str, input: Tensor, p: float, training: bool, shape: tuple[int, ...] | None = None) -> Any:
    """Return which entries are kept, in an array that broadcasts; None if all are."""
    check_tensor(name, input)
    check_chance(p)
    if p == 0 or not training or not input.value.size:
        return None
    if not is_floating(input.value):
        raise RuntimeError(f"result type Float can't be cast to the desired output type {TYPE_NAMES[input.dtype]}")
    if running.machine.timeline is not None:
        running.machine.timeline.dropped(input, p)
    if p == 1:
        return np.zeros(shape or input.shape, input.dtype)
    generator = running.machine.generator
    array = input.array if shape is None else np.empty(shape)
    return in_memory_order(array, lambda size: generator.bernoulli(1 - p, size)).astype(input.dtype)


def _multiplied(input: Tensor, noise: Any, p: float, inplace: bool) -> Any:
    factors = Tensor(noise / input.dtype.type(1 - p) if p < 1 else noise)
    return change(input, ops.mul, factors) if inplace else ops.mul(input, factors)


def dropout(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Any:
    """Set each entry to 0 with probability `p`, and divide the others by `1 - p`."""
    noise = _drawn("dropout", input, p, training)
    return input if noise is None else _multiplied(input, noise, p, inplace)


def dropout2d(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Any:
    """Set whole channels to 0 with probability `p`, of each example; divide the others by `1 - p`."""
    check_tensor("feature_dropout", input)
    if input.ndim not in (3, 4):
        raise UnsupportedError("dropout2d of anything but images is not supported here", help="write dropout")
    noise = _drawn("feature_dropout", input, p, training, (*input.shape[:2], *[1] * (input.ndim - 2)))
    return input if noise is None else _multiplied(input, noise, p, inplace)


def scaled_dot_product_attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attn_mask: Tensor | None = None,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    scale: float | None = None,
    enable_gqa: bool = False,
) -> Any:
    """Return means of the values, weighted by the softmax of the products of queries and keys."""
    for position, (name, x) in enumerate((("query", query), ("key", key), ("value", value)), 1):
        check_tensor("scaled_dot_product_attention", x, name, position)
    attention = masked_attention(query, key, value, attn_mask, is_causal, scale, lambda x: dropout(x, dropout_p))
    if query.ndim != 4 or dropout_p or (attn_mask is not None and attn_mask.requires_grad):
        return attention
    return as_node(attention, "ScaledDotProductFlashAttentionForCpuBackward0")
