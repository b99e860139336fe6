"""Checks of the shapes and options of pooling, with torch's messages."""

from __future__ import annotations

from typing import Any

from gradcli.errors import AutogradError, ShapeError
from gradcli.ops.support.arguments import Pair, Shape, check_size
from gradcli.ops.windows import windows


def _check_sizes(count: int, x: Shape) -> None:
    """Refuse what is no image or volume, or has nothing in it; a batch of none is right."""
    kinds = f"{count + 1}D or {count + 2}D (batch mode) tensor"
    ShapeError.when(len(x) not in (count + 1, count + 2), f"non-empty {kinds} expected for input")
    ShapeError.when(
        0 in x[-count - 1 :], f"Expected {kinds} with optional 0 dim batch size for input, but got:{list(x)}"
    )


def options(
    name: str,
    count: int,
    x: Shape,
    kernel_size: Pair,
    stride: Pair | None,
    padding: Pair,
    dilation: Pair = 1,
    ceil_mode: bool = False,
) -> dict[str, Any]:
    """Return the options of the primitives after torch's checks."""
    message = f"{name}: {{}} must either be a single int, or a tuple of {'two' if count == 2 else 'three'} ints"
    kernel = windows.each(kernel_size, count, message.format("kernel_size"))
    steps = kernel if not stride and stride != 0 else windows.each(stride, count, message.format("stride"))
    border = windows.each(padding, count, message.format("padding"))
    apart = windows.each(dilation, count, message.format("dilation"))
    _check_sizes(count, x)
    AutogradError.when(0 in steps, "stride should not be zero")
    for word, numbers in (("kernel size", kernel), ("stride", steps), ("dilation", apart)):
        AutogradError.when(min(numbers) < 1, f"{word} should be greater than zero, but got {min(numbers)}")
    for p, k, d in zip(border, kernel, apart, strict=True):
        AutogradError.when(p < 0, f"pad must be non-negative, but got pad: {p}")
        AutogradError.when(
            p > ((k - 1) * d + 1) // 2,
            f"pad should be at most half of effective kernel size, but got pad={p}, kernel_size={k} and dilation={d}",
        )
    places = windows.number_of_places(x[-count:], kernel, steps, border, apart, ceil_mode)
    if min(places) < 1:
        sizes = "x".join(map(str, x[-count - 1 :]))
        found = "x".join(map(str, (x[-count - 1], *(max(m, 0) for m in places))))
        raise ShapeError(f"Given input size: ({sizes}). Calculated output size: ({found}). Output size is too small")
    behind = windows.reach_behind(x[-count:], kernel, steps, border, apart, places)
    check_size((*x[:-count], *(b + n + a for b, n, a in zip(border, x[-count:], behind, strict=True))))
    check_size((*x[:-count], *places))
    if name.startswith("max"):
        check_size((windows.count(kernel), *places))  # all windows side by side, to find where each entry came from
    return {"kernel_size": kernel, "stride": steps, "padding": border, "dilation": apart, "ceil_mode": ceil_mode}


def mean_options(
    count: int,
    x: Shape,
    kernel_size: Pair,
    stride: Pair | None,
    padding: Pair,
    ceil_mode: bool,
    count_include_pad: bool,
    divisor_override: int | None,
) -> dict[str, Any]:
    AutogradError.when(divisor_override == 0, "divisor must be not zero")
    o = options(f"avg_pool{count}d", count, x, kernel_size, stride, padding, 1, ceil_mode)
    del o["dilation"]
    return {**o, "count_include_pad": count_include_pad, "divisor_override": divisor_override}


def check_upstream(g: Any, x: Shape, o: dict[str, Any]) -> None:
    count = len(o["kernel_size"])
    apart = o.get("dilation", (1,) * count)
    places = windows.number_of_places(x[-count:], o["kernel_size"], o["stride"], o["padding"], apart, o["ceil_mode"])
    if g.shape != (*x[:-count], *places):
        raise ShapeError(f"Expected grad_output to have shape {[*x[:-count], *places]}, but got {list(g.shape)}")


def check_filled(name: str, shape: Shape) -> None:
    """Refuse an input for adaptive pooling that has no entries, but for one of no examples."""
    if 0 in shape[1:]:
        raise ShapeError(
            f"{name}(): Expected input to have non-zero size for non-batch dimensions, but input has sizes "
            f"{list(shape)} with dimension {shape.index(0, 1)} being empty"
        )
