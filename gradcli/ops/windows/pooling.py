"""Pooling over windows of images and volumes: the largest entry, and the mean.

Each is linear once the largest entries are chosen: `max_pool2d_backward` (spread a gradient over the entries
that were taken) and `max_pool2d_pick` (collect from them) are each other's adjoint, `avg_pool2d` and
`avg_pool2d_backward` likewise.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gradcli.engine.primitive import Primitive, primitive
from gradcli.engine.symbolic.formula import Formula
from gradcli.engine.symbolic.notation import literal, named
from gradcli.errors import AutogradError, ShapeError
from gradcli.language.tree import Argument, Call, Expression
from gradcli.ops import formulas as entries
from gradcli.ops.support.arguments import Pair, Shape, check_size
from gradcli.ops.support.surface import WINDOW_LARGEST, WINDOW_MEAN, WINDOW_SHARES, register, taking
from gradcli.ops.windows import pools, windows

# Checks of the shapes and options of pooling, with torch's messages.


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


def _write(name: str) -> Any:
    """Return the notation `max_pool2d(x, 2)`, with the options that differ from their defaults."""

    def write(operands: Sequence[Formula], options: dict[str, Any]) -> Expression:
        o = dict(options)
        trees = [x.tree for x in operands]
        if "size" in o:
            trees.append(literal(o.pop("size")))
        window = windows.short(o.pop("kernel_size"))
        return Call(name, (*map(Argument, (*trees, literal(window))), *named(o, stride=window)))

    return write


def _largest(count: int) -> tuple[Primitive, Primitive, Primitive]:
    """Declare max-pooling over `count` dimensions, and the two primitives of its gradients."""
    name, node = f"max_pool{count}d", f"MaxPool{count}DWithIndicesBackward"
    largest = primitive(
        name,
        pools.largest,
        lambda g, out, x, **o: spread(g, x, **o),
        node=f"{node}0",
        notation=_write(name),
        structured=True,
        kinks=pools.ties,
        convention="at a tie the first entry of the window takes the gradient",
        says=WINDOW_LARGEST,
        index=entries.largest(pools.positions),
    )
    spread: Primitive = primitive(
        f"{name}_backward",
        pools.spread,
        lambda g, out, h, x, **o: pick(g, x, **o),
        node=f"{node}Backward0",
        notation=_write(f"{name}_backward"),
        structured=True,
        says="Each window's number was put at its largest entry, and gets the gradient of that entry.",
        traits=("adjoint",),
    )
    pick: Primitive = primitive(
        f"{name}_pick",
        pools.pick,
        lambda g, out, h, x, **o: spread(g, x, **o),
        notation=_write(f"{name}_pick"),
        structured=True,
        says="Each entry that a window picked gets the gradient of that window, and the others get 0.",
        traits=("adjoint",),
    )
    return largest, spread, pick


def _mean(count: int) -> tuple[Primitive, Primitive]:
    name, node = f"avg_pool{count}d", f"AvgPool{count}DBackward"
    mean: Primitive = primitive(
        name,
        pools.mean,
        lambda g, out, x, **o: spread(g, size=np.shape(x), **o),  # torch saves the input, not only its shape
        node=f"{node}0",
        notation=_write(name),
        structured=True,
        says=WINDOW_MEAN,
        index=entries.averaged(pools.divisor),
    )
    spread: Primitive = primitive(
        f"{name}_backward",
        pools.spread_mean,
        lambda g, out, h, *, size, **o: mean(g, **o),
        node=f"{node}Backward0",
        notation=_write(f"{name}_backward"),
        structured=True,
        says=WINDOW_SHARES,
        traits=("adjoint",),
    )
    return mean, spread


def _largest_window(
    kernel_size: Pair, stride: Pair | None = None, padding: Pair = 0, dilation: Pair = 1, ceil_mode: bool = False
) -> None:
    """Take the arguments of max-pooling."""


def _mean_window(
    kernel_size: Pair,
    stride: Pair | None = None,
    padding: Pair = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: int | None = None,
) -> None:
    """Take the arguments of pooling by means."""


def _declare_largest(count: int, *examples: str) -> Callable[..., Any]:
    """Register the operations of max-pooling; the last two examples are of the gradient and of `pick`."""
    name, (largest, spread, pick) = f"max_pool{count}d", _largest(count)

    @taking(_largest_window, input="Real")
    def max_pool(x: Any, *window: Any) -> Any:
        """The largest entry of each window; the windows stand side by side unless a stride is given."""
        return largest(x, **options(name, count, x.shape, *window))

    @taking(_largest_window, grad_output="Real", input="Real")
    def max_pool_backward(g: Any, x: Any, *window: Any) -> Any:
        """The gradient of max-pooling: each window's goes to the entry that was taken."""
        o = options(name, count, x.shape, *window)
        check_upstream(g, x.shape, o)
        return spread(g, x, **o)

    @taking(_largest_window, values="Real", input="Real")
    def max_pool_pick(values: Any, x: Any, *window: Any) -> Any:
        """The entries of `values` at the places that max-pooling takes from the input."""
        o = options(name, count, x.shape, *window)
        AutogradError.when(
            values.shape != x.shape, f"Expected values to have shape {list(x.shape)}, but got {list(values.shape)}"
        )
        return pick(values, x, **o)

    register(name, max_pool, examples[:-2], method=False)
    register(f"{name}_backward", max_pool_backward, examples[-2:-1], method=False)
    register(f"{name}_pick", max_pool_pick, examples[-1:], method=False)
    return max_pool


def _declare_mean(count: int, *examples: str) -> Callable[..., Any]:
    """Register the operations of pooling by means; the last example is of the gradient."""
    name, (mean, spread) = f"avg_pool{count}d", _mean(count)

    @taking(_mean_window, input="Real")
    def avg_pool(x: Any, *window: Any) -> Any:
        """The mean of each window; the windows stand side by side unless a stride is given."""
        return mean(x, **mean_options(count, x.shape, *window))

    @taking(_mean_window, grad_output="Real", input_size="Shape")
    def avg_pool_backward(g: Any, size: Shape, *window: Any) -> Any:
        """The gradient of pooling by means: each window's is shared by its entries."""
        o = mean_options(count, size, *window)
        check_upstream(g, size, o)
        return spread(g, size=size, **o)

    register(name, avg_pool, examples[:-1], method=False, computes_integers=True)
    register(f"{name}_backward", avg_pool_backward, examples[-1:], method=False)
    return avg_pool


max_pool2d = _declare_largest(
    2,
    "x = [[[1, 2, 0], [0.5, -1, 3], [4, 1, 2.5]]]; max_pool2d(x, 2, stride=1)",
    "x = [[[[1, 2, 0], [0.5, -1, 3], [4, 1, 2.5]]]]; max_pool2d(x, (1, 2), padding=(0, 1), dilation=2)",
    "x = [[[1, 2, 0], [0.5, -1, 3], [4, 1, 2.5]]]; max_pool2d(x, 2, ceil_mode=True)",
    "x = [[[1, 2], [0.5, -1]]]; u = [[[2]]]; max_pool2d_backward(u, x, 2)",
    "x = [[[1, 2], [0.5, -1]]]; h = [[[3, 4], [5, 6]]]; max_pool2d_pick(h, x, 2)",
)
max_pool3d = _declare_largest(
    3,
    "x = [[[[1, 2, 0], [0.5, -1, 3]], [[4, 1, 2.5], [0, 2, 5]]]]; max_pool3d(x, 2, stride=1)",
    "x = [[[[1, 2], [0.5, -1]]]]; u = [[[[2]]]]; max_pool3d_backward(u, x, (1, 2, 2))",
    "x = [[[[1, 2], [0.5, -1]]]]; h = [[[[3, 4], [5, 6]]]]; max_pool3d_pick(h, x, (1, 2, 2))",
)
avg_pool2d = _declare_mean(
    2,
    "x = [[[1, 2, 0], [0.5, -1, 3], [4, 1, 2.5]]]; avg_pool2d(x, 2, stride=1)",
    "x = [[[[1, 2, 0], [0.5, -1, 3], [4, 1, 2.5]]]]; avg_pool2d(x, (2, 3), padding=1, count_include_pad=False)",
    "x = [[[1, 2, 0], [0.5, -1, 3], [4, 1, 2.5]]]; avg_pool2d(x, 2, ceil_mode=True)",
    "x = [[[1, 2, 0], [0.5, -1, 3], [4, 1, 2.5]]]; avg_pool2d(x, 3, divisor_override=2)",
    "u = [[[2]]]; avg_pool2d_backward(u, (1, 2, 2), 2)",
)
avg_pool3d = _declare_mean(
    3,
    "x = [[[[1, 2, 0], [0.5, -1, 3]], [[4, 1, 2.5], [0, 2, 5]]]]; avg_pool3d(x, 2, stride=1)",
    "u = [[[[2]]]]; avg_pool3d_backward(u, (1, 1, 2, 2), (1, 2, 2))",
)
