"""Pooling over windows: the largest entry, and the mean.

Each is a choice or a mean, so linear once the choice is made: `max_pool2d_backward` (spread a gradient over the entries
that were taken) and `max_pool2d_pick` (collect from them) are each other's adjoint, `avg_pool2d` and
`avg_pool2d_backward` likewise.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gradcli.engine.formula import Formula
from gradcli.engine.notation import literal
from gradcli.engine.primitive import Primitive, primitive
from gradcli.errors import AutogradError
from gradcli.language.tree import Argument, Call, Expression
from gradcli.ops import pools, windows
from gradcli.ops.arguments import Pair, Real, Shape, check_size
from gradcli.ops.surface import operation

DEFAULTS = {
    "padding": (0, 0),
    "dilation": (1, 1),
    "ceil_mode": False,
    "count_include_pad": True,
    "divisor_override": None,
}


def _write(name: str) -> Any:
    """As torch.nn.functional has it: `max_pool2d(x, 2)`, with what differs from the defaults."""

    def write(operands: Sequence[Formula], options: dict[str, Any]) -> Expression:
        o = dict(options)
        trees = [x.tree for x in operands]
        if "size" in o:
            trees.append(literal(o.pop("size")))
        kernel = o.pop("kernel_size")
        arguments = [Argument(tree) for tree in (*trees, literal(windows.short(kernel)))]
        for option, value in o.items():
            if value != DEFAULTS.get(option, kernel):  # the stride defaults to the size of the kernel
                arguments.append(Argument(literal(windows.short(value) if isinstance(value, tuple) else value), option))
        return Call(name, tuple(arguments))

    return write


largest: Primitive = primitive(
    "max_pool2d",
    pools.largest,
    lambda g, out, x, **o: spread(g, x, **o),
    node="MaxPool2DWithIndicesBackward0",
    notation=_write("max_pool2d"),
    structured=True,
    kinks=pools.ties,
    convention="at a tie the first entry of the window takes the gradient",
)
spread: Primitive = primitive(
    "max_pool2d_backward",
    pools.spread,
    lambda g, out, h, x, **o: pick(g, x, **o),
    node="MaxPool2DWithIndicesBackwardBackward0",
    notation=_write("max_pool2d_backward"),
    structured=True,
)
pick: Primitive = primitive(
    "max_pool2d_pick",
    pools.pick,
    lambda g, out, h, x, **o: spread(g, x, **o),
    notation=_write("max_pool2d_pick"),
    structured=True,
)
mean: Primitive = primitive(
    "avg_pool2d",
    pools.mean,
    lambda g, out, x, **o: spread_mean(g, size=np.shape(x), **o),  # torch saves the input, not only its shape
    node="AvgPool2DBackward0",
    notation=_write("avg_pool2d"),
    structured=True,
)
spread_mean: Primitive = primitive(
    "avg_pool2d_backward",
    pools.spread_mean,
    lambda g, out, h, *, size, **o: mean(g, **o),
    node="AvgPool2DBackwardBackward0",
    notation=_write("avg_pool2d_backward"),
    structured=True,
)


def _options(
    name: str,
    x: Shape,
    kernel_size: Pair,
    stride: Pair | None,
    padding: Pair,
    dilation: Pair = 1,
    ceil_mode: bool = False,
) -> dict[str, Any]:
    """The options of the primitives, after torch's checks."""
    message = f"{name}: {{}} must either be a single int, or a tuple of two ints"
    kernel = windows.each(kernel_size, 2, message.format("kernel_size"))
    steps = kernel if stride is None else windows.each(stride, 2, message.format("stride"))
    border = windows.each(padding, 2, message.format("padding"))
    apart = windows.each(dilation, 2, message.format("dilation"))
    if len(x) not in (3, 4) or 0 in x[-3:]:
        raise AutogradError("non-empty 3D or 4D (batch mode) tensor expected for input", code="E301")
    if 0 in steps:
        raise AutogradError("stride should not be zero")
    if min(steps) < 0:
        raise AutogradError(f"stride should be greater than zero, but got dH: {steps[0]} dW: {steps[1]}")
    if min(kernel) < 1:
        raise AutogradError(f"kernel size should be greater than zero, but got kH: {kernel[0]} kW: {kernel[1]}")
    if min(apart) < 1:
        raise AutogradError(
            f"dilation should be greater than zero, but got dilationH: {apart[0]} dilationW: {apart[1]}"
        )
    for p, k, d in zip(border, kernel, apart, strict=True):
        if p < 0:
            raise AutogradError(f"pad must be non-negative, but got pad: {p}")
        if p > ((k - 1) * d + 1) // 2:
            raise AutogradError(
                f"pad should be at most half of effective kernel size, but got pad={p}, kernel_size={k} and "
                f"dilation={d}"
            )
    places = windows.number_of_places(x[-2:], kernel, steps, border, apart, ceil_mode)
    if min(places) < 1:
        sizes = "x".join(map(str, x[-3:]))
        found = "x".join(map(str, (x[-3], *(max(m, 0) for m in places))))
        raise AutogradError(
            f"Given input size: ({sizes}). Calculated output size: ({found}). Output size is too small", code="E301"
        )
    check_size((*x[:-2], *places))
    return {
        "kernel_size": kernel,
        "stride": steps,
        "padding": border,
        "dilation": apart,
        "ceil_mode": ceil_mode,
    }


def _mean_options(
    x: Shape,
    kernel_size: Pair,
    stride: Pair | None,
    padding: Pair,
    ceil_mode: bool,
    count_include_pad: bool,
    divisor_override: int | None,
) -> dict[str, Any]:
    if divisor_override == 0:
        raise AutogradError("divisor must be not zero")
    o = _options("avg_pool2d", x, kernel_size, stride, padding, 1, ceil_mode)
    del o["dilation"]
    return {**o, "count_include_pad": count_include_pad, "divisor_override": divisor_override}


def _check_upstream(g: Any, x: Shape, o: dict[str, Any]) -> None:
    apart = o.get("dilation", (1, 1))
    places = windows.number_of_places(x[-2:], o["kernel_size"], o["stride"], o["padding"], apart, o["ceil_mode"])
    if g.shape != (*x[:-2], *places):
        raise AutogradError(
            f"Expected grad_output to have shape {[*x[:-2], *places]}, but got {list(g.shape)}", code="E301"
        )


@operation(
    "x = [[[1, 2, 0], [0.5, -1, 3], [4, 1, 2.5]]]; max_pool2d(x, 2, stride=1)",
    "x = [[[[1, 2, 0], [0.5, -1, 3], [4, 1, 2.5]]]]; max_pool2d(x, (1, 2), padding=(0, 1), dilation=2)",
    "x = [[[1, 2, 0], [0.5, -1, 3], [4, 1, 2.5]]]; max_pool2d(x, 2, ceil_mode=True)",
    method=False,
)
def max_pool2d(
    input: Real,
    kernel_size: Pair,
    stride: Pair | None = None,
    padding: Pair = 0,
    dilation: Pair = 1,
    ceil_mode: bool = False,
) -> Any:
    """The largest entry of each window; the windows stand side by side unless a stride is given."""
    return largest(input, **_options("max_pool2d", input.shape, kernel_size, stride, padding, dilation, ceil_mode))


@operation(
    "x = [[[1, 2], [0.5, -1]]]; u = [[[2]]]; max_pool2d_backward(u, x, 2)",
    method=False,
)
def max_pool2d_backward(
    grad_output: Real,
    input: Real,
    kernel_size: Pair,
    stride: Pair | None = None,
    padding: Pair = 0,
    dilation: Pair = 1,
    ceil_mode: bool = False,
) -> Any:
    """The gradient of `max_pool2d`: each window's goes to the entry that was taken."""
    o = _options("max_pool2d", input.shape, kernel_size, stride, padding, dilation, ceil_mode)
    _check_upstream(grad_output, input.shape, o)
    return spread(grad_output, input, **o)


@operation(
    "x = [[[1, 2], [0.5, -1]]]; h = [[[3, 4], [5, 6]]]; max_pool2d_pick(h, x, 2)",
    method=False,
)
def max_pool2d_pick(
    values: Real,
    input: Real,
    kernel_size: Pair,
    stride: Pair | None = None,
    padding: Pair = 0,
    dilation: Pair = 1,
    ceil_mode: bool = False,
) -> Any:
    """The entries of `values` at the places that `max_pool2d` takes from the input."""
    o = _options("max_pool2d", input.shape, kernel_size, stride, padding, dilation, ceil_mode)
    if values.shape != input.shape:
        raise AutogradError(f"Expected values to have shape {list(input.shape)}, but got {list(values.shape)}")
    return pick(values, input, **o)


@operation(
    "x = [[[1, 2, 0], [0.5, -1, 3], [4, 1, 2.5]]]; avg_pool2d(x, 2, stride=1)",
    "x = [[[[1, 2, 0], [0.5, -1, 3], [4, 1, 2.5]]]]; avg_pool2d(x, (2, 3), padding=1, count_include_pad=False)",
    "x = [[[1, 2, 0], [0.5, -1, 3], [4, 1, 2.5]]]; avg_pool2d(x, 2, ceil_mode=True)",
    "x = [[[1, 2, 0], [0.5, -1, 3], [4, 1, 2.5]]]; avg_pool2d(x, 3, divisor_override=2)",
    method=False,
)
def avg_pool2d(
    input: Real,
    kernel_size: Pair,
    stride: Pair | None = None,
    padding: Pair = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: int | None = None,
) -> Any:
    """The mean of each window; the windows stand side by side unless a stride is given."""
    o = _mean_options(input.shape, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override)
    return mean(input, **o)


@operation(
    "u = [[[2]]]; avg_pool2d_backward(u, (1, 2, 2), 2)",
    method=False,
)
def avg_pool2d_backward(
    grad_output: Real,
    input_size: Shape,
    kernel_size: Pair,
    stride: Pair | None = None,
    padding: Pair = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: int | None = None,
) -> Any:
    """The gradient of `avg_pool2d`: each window's is shared by its entries."""
    o = _mean_options(input_size, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override)
    _check_upstream(grad_output, input_size, o)
    return spread_mean(grad_output, size=input_size, **o)
