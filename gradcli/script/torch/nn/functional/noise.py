"""`torch.nn.functional`: dropout and rrelu, which multiply their input by noise while a network trains."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from gradcli.engine.dtypes import TYPE_NAMES
from gradcli.engine.memory.in_place import change
from gradcli.engine.primitive import Primitive
from gradcli.engine.symbolic.notation import call
from gradcli.engine.tensor import Tensor, is_floating
from gradcli.errors import AutogradError
from gradcli.ops.support.calling import ops
from gradcli.script.machine import running
from gradcli.script.torch.nn.functional.arguments import check_tensor

ALPHA = 1.7580993408473766  # what SELU goes to on the far left: Klambauer et al. 2017


def dropout(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Any:
    """Set each entry to 0 with probability `p`, and divide the others by `1 - p`."""
    check_tensor("dropout", input)
    return _dropped(input, _order, p, training, inplace)


def dropout1d(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Any:
    """Drop whole channels of rows."""
    check_tensor("feature_dropout", input)
    check_chance(p)
    if input.ndim not in (2, 3):
        raise AutogradError(
            f"dropout1d: Expected 2D or 3D input, but received a {input.ndim}D input. Note that dropout1d exists to "
            "provide channel-wise dropout on inputs with 1 spatial dimension, a channel dimension, and an optional "
            "batch dimension (i.e. 2D or 3D inputs)."
        )
    return _without_batch(input, 3, p, training, inplace)


def dropout2d(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Any:
    """Drop whole channels of images."""
    check_tensor("feature_dropout", input)
    check_chance(p)
    _warn(2, input.ndim)
    if input.ndim == 3:
        warnings.warn(
            "dropout2d: Received a 3D input to dropout2d and assuming that channel-wise 1D dropout behavior is desired "
            "- input is interpreted as shape (N, C, L), where C is the channel dim. This behavior will change in a "
            "future release to interpret the input as one without a batch dimension, i.e. shape (C, H, W). To maintain "
            "the 1D channel-wise dropout behavior, please switch to using dropout1d instead.",
            UserWarning,
            stacklevel=2,
        )
    return _dropped(input, _channels, p, training, inplace)


def dropout3d(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Any:
    """Drop whole channels of volumes."""
    check_tensor("feature_dropout", input)
    check_chance(p)
    _warn(3, input.ndim)
    return _without_batch(input, 5, p, training, inplace)


def alpha_dropout(input: Tensor, p: float = 0.5, training: bool = False, inplace: bool = False) -> Any:
    """Set entries to the lower limit of SELU with probability `p`, then move all to mean 0 and variance 1."""
    check_tensor("alpha_dropout", input)
    return _dropped(input, _order, p, training, inplace, alpha=True)


def feature_alpha_dropout(input: Tensor, p: float = 0.5, training: bool = False, inplace: bool = False) -> Any:
    """Apply `alpha_dropout` to whole channels."""
    check_tensor("feature_alpha_dropout", input)
    return _dropped(input, _channels, p, training, inplace, alpha=True)


def check_chance(p: float) -> None:
    if p < 0 or p > 1:
        raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")


def _warn(spatial: int, ndim: int) -> None:
    if ndim not in (spatial + 1, spatial + 2):
        name = f"dropout{spatial}d"
        warnings.warn(
            f"{name}: Received a {ndim}-D input to {name}, which is deprecated and will result in an error in a future "
            "release. To retain the behavior and silence this warning, please use dropout instead. Note that "
            f"{name} exists to provide channel-wise dropout on inputs with {spatial} spatial dimensions, a channel "
            f"dimension, and an optional batch dimension (i.e. {spatial + 1}D or {spatial + 2}D inputs).",
            UserWarning,
            stacklevel=3,
        )


def _order(input: Tensor) -> Any:
    """Return the place of each entry in the drawn noise: torch fills memory from its start, whatever the strides."""
    if input.array.flags.c_contiguous:
        return input.shape
    axes = _from_largest_step(input.shape, input.array.strides)
    return np.arange(input.value.size).reshape([input.shape[axis] for axis in axes]).transpose(np.argsort(axes))


def _from_largest_step(shape: tuple[int, ...], steps: tuple[int, ...]) -> list[int]:
    """Return the dimensions in torch's memory order of a new tensor like this one; expanded ones keep their place."""
    order = list(reversed(range(len(shape))))
    for place in range(1, len(order)):
        for before in range(place - 1, -1, -1):
            a, b = order[before], order[place]
            if not steps[a] or not steps[b]:
                continue
            if (steps[a], shape[a]) <= (steps[b], shape[b]):
                break
            order[before], order[place], place = b, a, before
    return order[::-1]


def _channels(input: Tensor) -> tuple[int, ...]:
    if input.ndim < 2:
        raise AutogradError("Feature dropout requires at least 2 dimensions in the input")
    return (*input.shape[:2], *[1] * (input.ndim - 2))


def _without_batch(input: Tensor, batched: int, p: float, training: bool, inplace: bool) -> Any:
    """Drop channels of a batch, or of one example."""
    if input.ndim == batched:
        return _dropped(input, _channels, p, training, inplace)
    one = ops.unsqueeze(input, 0)
    found = ops.squeeze(_dropped(one, _channels, p, training, False), 0)
    return change(input, lambda _: found) if inplace else found


def _dropped(
    input: Tensor, ordered: Callable[[Tensor], Any], p: float, training: bool, inplace: bool, alpha: bool = False
) -> Any:
    """Multiply the input by noise of a shape that broadcasts, or in an order, which the input gives."""
    check_chance(p)
    if p == 0 or not training or not input.value.size:
        return input
    if not is_floating(input.value):
        raise RuntimeError(f"result type Float can't be cast to the desired output type {TYPE_NAMES[input.dtype]}")
    if running.machine.timeline is not None:
        running.machine.timeline.dropped(input, p)
    number, order = input.dtype.type, ordered(input)
    shape = order if isinstance(order, tuple) else order.shape
    if p == 1:
        noise: Any = np.zeros(shape, input.dtype)
        alpha = False
    else:
        noise = running.machine.generator.bernoulli(1 - p, (math.prod(shape),)).astype(input.dtype)
        noise = noise.reshape(shape) if isinstance(order, tuple) else noise[order]
    function, shift = ops.mul, None
    if alpha:
        factor = 1.0 / math.sqrt((ALPHA * ALPHA * p + 1) * (1 - p))
        shift = Tensor((noise - number(1)) * number(ALPHA * factor) + number(ALPHA * factor * p))
        noise = noise * number(factor)
    elif p < 1:
        noise = noise / number(1 - p)
    found = change(input, function, Tensor(noise)) if inplace else function(input, Tensor(noise))
    if shift is None:
        return found
    return change(found, ops.add, shift) if inplace else ops.add(found, shift)


sloped = Primitive(
    "rrelu",
    lambda x, slopes: x * slopes,
    (lambda g, out, x, slopes: g * slopes, None),
    "RreluWithNoiseBackward0",
    call("rrelu", lambda x, slopes: x * slopes),
    saves=(0,),
    traits=("kept",),
    node_in_place="RreluWithNoiseBackward1",
)


def rrelu(
    input: Tensor, lower: float = 1.0 / 8, upper: float = 1.0 / 3, training: bool = False, inplace: bool = False
) -> Any:
    """Apply a leaky relu whose slope is drawn for each entry that is not positive; without training it is the mean."""
    check_tensor("rrelu", input)
    if lower > upper:
        raise RuntimeError("Lower bound should be less than or equal to the upper bound")
    slopes = np.ones(input.shape, input.dtype)
    low = input.value <= 0 if training else ~(input.value > 0)  # nan is low only for the mean
    if training:
        slopes[low] = running.machine.generator.uniform((int(np.sum(low)),), np.dtype(np.float64), lower, upper)
    else:
        slopes[low] = (lower + upper) / 2
    return change(input, sloped, Tensor(slopes)) if inplace else sloped(input, Tensor(slopes))
