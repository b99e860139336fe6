"""The primitive that normalizes a batch by channel."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gradcli.engine.primitive import Primitive, primitive
from gradcli.engine.symbolic.formula import Formula
from gradcli.engine.symbolic.notation import literal
from gradcli.language.tree import Argument, Call, Expression, Literal
from gradcli.ops.formulas import nn as entries
from gradcli.ops.nn.normalization import normal_rule
from gradcli.ops.pointwise.elementwise import sqrt
from gradcli.ops.reducing.reductions import sum_dim
from gradcli.ops.shaping.shaping import reshape


def beside(value: Any, ndim: int) -> Any:
    """Reshape numbers, one for each channel, to broadcast over the other dimensions; a default stays a number."""
    plain = value.number is not None if isinstance(value, Formula) else isinstance(value, int)
    if plain or ndim == 2:
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


def _normal(x: Any, mean: Any, var: Any, training: bool, eps: float) -> Any:
    return batch_norm(x, 1, 0, mean, var, training=training, eps=eps)


def _input_rule(
    g: Any, out: Any, x: Any, weight: Any, bias: Any, mean: Any, var: Any, *, training: bool, eps: float = 1e-5
) -> Any:
    h = g * beside(weight, len(x.shape))
    if not training:
        return h / sqrt(beside(var, len(x.shape)) + eps)
    return normal_rule(h, x, _normal(x, mean, var, training, eps), others(x), eps)


def _weight_rule(
    g: Any, out: Any, x: Any, weight: Any, bias: Any, mean: Any, var: Any, *, training: bool, eps: float = 1e-5
) -> Any:
    return sum_dim(g * _normal(x, mean, var, training, eps), dim=others(x))


def _write(operands: Sequence[Formula], options: dict[str, Any]) -> Expression:
    """Write `batch_norm(x, m, v, weight=w, bias=b)`."""
    x, weight, bias, mean, var = operands
    training = options["training"]
    stored = [Literal(None)] * 2 if training else [mean.tree, var.tree]
    arguments = [Argument(tree) for tree in (x.tree, *stored)]
    if weight.number != 1:
        arguments.append(Argument(weight.tree, "weight"))
    if bias.number != 0:
        arguments.append(Argument(bias.tree, "bias"))
    if training:
        arguments.append(Argument(Literal(True), "training"))
    if options["eps"] != 1e-5:
        arguments.append(Argument(literal(options["eps"]), "eps"))
    return Call("batch_norm", tuple(arguments))


batch_norm: Primitive = primitive(
    "batch_norm",
    _batch_norm,
    _input_rule,
    _weight_rule,
    lambda g, out, x, w, b, mean, var, **_: sum_dim(g, dim=others(x)),
    node="NativeBatchNormBackward0",
    inputs=("input", "weight", "bias", "running_mean", "running_var"),
    notation=_write,
    structured=True,
    says="Scale and shift get sums; in training the input's part loses its mean and its trend along the result.",
    index=entries.batch_norm,
)
