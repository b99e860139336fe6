"""Pooling over windows of images and volumes: the largest entry, and the mean, also to a given size.

Each is linear once the largest entries are chosen: `max_pool2d_backward` (spread a gradient over the entries
that were taken) and `max_pool2d_pick` (collect from them) are each other's adjoint, `avg_pool2d` and
`avg_pool2d_backward` likewise.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from gradcli.engine.primitive import Primitive, adjoint, structured
from gradcli.engine.symbolic.formula import Formula, literal, named
from gradcli.engine.tensor import Tensor
from gradcli.errors import AutogradError, ShapeError
from gradcli.language.tree import Argument, Call, Expression
from gradcli.ops import formulas as entries
from gradcli.ops.pointwise.selection import choose
from gradcli.ops.reducing.reductions import mean_dim
from gradcli.ops.shaping.shaping import squeeze_dim, unsqueeze
from gradcli.ops.support.arguments import Array, Pair, Real, Shape, check_size, integer
from gradcli.ops.support.surface import (
    WINDOW_LARGEST,
    WINDOW_MEAN,
    WINDOW_SHARES,
    operation,
    register,
    register_printed,
    with_parameters_of,
)
from gradcli.ops.windows import windows
from gradcli.ops.windows.windows import Sizes


class Pool:
    """The windows over an input whose last dimensions are `spatial`."""

    def __init__(
        self,
        spatial: Sizes,
        kernel_size: Sizes,
        stride: Sizes,
        padding: Sizes,
        dilation: Sizes = (),
        ceil_mode: bool = False,
    ) -> None:
        dilation = dilation or (1,) * len(kernel_size)
        self.spatial, self.kernel, self.stride, self.dilation = spatial, kernel_size, stride, dilation
        self.places = windows.number_of_places(spatial, kernel_size, stride, padding, dilation, ceil_mode)
        self.before = padding
        self.behind = windows.reach_behind(spatial, kernel_size, stride, padding, dilation, self.places)

    def views(self, x: Any) -> Iterator[Any]:
        """Return a view for each offset in the kernel: the entries of the padded `x` there in all windows."""
        return (view for _, view in windows.views(x, self.kernel, self.stride, self.dilation, self.places))

    def padded(self, x: Any, fill: float) -> Any:
        return windows.padded(x, self.before, self.behind, fill)

    def zeros(self, lead: Sizes, dtype: Any) -> Any:
        sizes = (b + n + a for b, n, a in zip(self.before, self.spatial, self.behind, strict=True))
        return np.zeros((*lead, *sizes), dtype)

    def inside(self, x: Any) -> Any:
        return np.ascontiguousarray(windows.inside(x, self.before, self.spatial))

    def overlap(self, border: Sizes) -> Any:
        """Count the entries of each window that lie on the input or on this much border."""
        sides = []
        for count, s, p, k, n, b in zip(
            self.places, self.stride, self.before, self.kernel, self.spatial, border, strict=True
        ):
            start = np.arange(count) * s - p
            sides.append(np.minimum(start + k, n + b) - np.maximum(start, -b))
        return math.prod(np.ix_(*sides), start=np.array(1))


def largest_entries(x: Any, **o: Any) -> Any:
    pool = Pool(x.shape[-len(o["kernel_size"]) :], **o)
    first, *others = pool.views(pool.padded(x, -np.inf))
    out = first.copy()
    for view in others:
        np.maximum(out, view, out=out)
    return out


def _chosen(x: Any, pool: Pool) -> Any:
    """Return the kernel offset of each window's largest entry: of equal entries the first, of nans the last.

    Offsets are visited in order, so that a better one has a larger number, and `maximum` records it much faster than
    a mask would.
    """
    numbers = np.min_scalar_type(windows.count(pool.kernel))
    real = pool.padded(np.ones((1, *pool.spatial), bool), False)
    first_real = np.argmax(np.stack(list(pool.views(real))), axis=0)
    shape = (*x.shape[: -len(pool.kernel)], *pool.places)
    offsets = np.broadcast_to(first_real, shape).astype(numbers)
    best = np.full(shape, -np.inf, x.dtype)
    for number, view in enumerate(pool.views(pool.padded(x, -np.inf))):
        better = (view > best) | (view != view)
        np.maximum(offsets, better * numbers.type(number), out=offsets)
        np.maximum(best, view, out=best)
    return offsets


def positions(x: Any, **o: Any) -> Any:
    """Return the flat positions of the entries that max-pooling takes, in their row, image or volume."""
    pool = Pool(x.shape[-len(o["kernel_size"]) :], **o)
    flat = np.arange(windows.count(pool.spatial)).reshape(pool.spatial)
    places = np.stack(list(pool.views(pool.padded(flat, 0))))
    offsets = _chosen(x, pool)
    grid = np.indices(offsets.shape[-len(pool.places) :])
    positions_taken = places[(offsets.astype(np.intp), *(np.broadcast_to(axis, offsets.shape) for axis in grid))]
    return np.ascontiguousarray(positions_taken)


def spread_to_largest(g: Any, x: Any, **o: Any) -> Any:
    pool = Pool(x.shape[-len(o["kernel_size"]) :], **o)
    offsets = _chosen(x, pool)
    out = pool.zeros(x.shape[: -len(pool.kernel)], g.dtype)
    for number, view in enumerate(pool.views(out)):
        view += choose(offsets == number, g, 0)
    return pool.inside(out)


def pick_largest(h: Any, x: Any, **o: Any) -> Any:
    pool = Pool(x.shape[-len(o["kernel_size"]) :], **o)
    offsets = _chosen(x, pool)
    out = np.zeros(offsets.shape, h.dtype)
    for number, view in enumerate(pool.views(pool.padded(h, 0))):
        out += choose(offsets == number, view, 0)
    return out


def ties(x: Any, **o: Any) -> Any:
    """Return a mask of the entries that tie for the largest of a window."""
    pool = Pool(x.shape[-len(o["kernel_size"]) :], **o)
    best, border = largest_entries(x, **o), pool.padded(x, np.nan)
    tied = sum(view == best for view in pool.views(border)) > 1
    out = pool.zeros(x.shape[: -len(pool.kernel)], bool)
    for view, values in zip(pool.views(out), pool.views(border), strict=True):
        view |= tied & (values == best)
    return pool.inside(out)


def _divisor(pool: Pool, padding: Sizes, count_include_pad: bool, divisor_override: int | None) -> Any:
    if divisor_override is not None:
        return divisor_override
    counts = pool.overlap(padding if count_include_pad else (0,) * len(padding))
    least = int(counts.min())
    return least if least == counts.max() else counts


def divisor(
    x: Any, *, padding: Sizes, count_include_pad: bool = True, divisor_override: int | None = None, **o: Any
) -> Any:
    """Return the number by which the sum of a window is divided, or one for each window."""
    pool = Pool(np.shape(x)[-len(padding) :], padding=padding, **o)
    return _divisor(pool, padding, count_include_pad, divisor_override)


def window_means(
    x: Any, *, padding: Sizes, count_include_pad: bool = True, divisor_override: int | None = None, **o: Any
) -> Any:
    pool = Pool(x.shape[-len(padding) :], padding=padding, **o)
    first, *others = pool.views(pool.padded(x, 0))
    out = first.copy()
    for view in others:
        out += view
    return (out / _divisor(pool, padding, count_include_pad, divisor_override)).astype(x.dtype, copy=False)


def spread_mean(
    g: Any,
    *,
    size: Sizes,
    padding: Sizes,
    count_include_pad: bool = True,
    divisor_override: int | None = None,
    **o: Any,
) -> Any:
    pool = Pool(size[-len(padding) :], padding=padding, **o)
    share = (g / _divisor(pool, padding, count_include_pad, divisor_override)).astype(g.dtype, copy=False)
    out = pool.zeros(size[: -len(padding)], g.dtype)
    for view in pool.views(out):
        view += share
    return pool.inside(out)


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
        out = "x".join(map(str, (x[-count - 1], *(max(m, 0) for m in places))))
        raise ShapeError(f"Given input size: ({sizes}). Calculated output size: ({out}). Output size is too small")
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
    largest = structured(
        name,
        largest_entries,
        lambda g, out, x, **o: spread(g, x, **o),
        node=f"{node}0",
        notation=_write(name),
        kinks=ties,
        convention="at a tie the first entry of the window takes the gradient",
        says=WINDOW_LARGEST,
        index=entries.largest(positions),
    )
    spread: Primitive = adjoint(
        f"{name}_backward",
        spread_to_largest,
        lambda g, out, h, x, **o: pick(g, x, **o),
        node=f"{node}Backward0",
        notation=_write(f"{name}_backward"),
        says="Each window's number was put at its largest entry, and gets the gradient of that entry.",
    )
    pick: Primitive = adjoint(
        f"{name}_pick",
        pick_largest,
        lambda g, out, h, x, **o: spread(g, x, **o),
        notation=_write(f"{name}_pick"),
        says="Each entry that a window picked gets the gradient of that window, and the others get 0.",
    )
    return largest, spread, pick


def _mean(count: int) -> tuple[Primitive, Primitive]:
    name, node = f"avg_pool{count}d", f"AvgPool{count}DBackward"
    mean: Primitive = structured(
        name,
        window_means,
        lambda g, out, x, **o: spread(g, size=np.shape(x), **o),  # torch saves the input, not only its shape
        node=f"{node}0",
        notation=_write(name),
        says=WINDOW_MEAN,
        index=entries.averaged(divisor),
    )
    spread: Primitive = adjoint(
        f"{name}_backward",
        spread_mean,
        lambda g, out, h, *, size, **o: mean(g, **o),
        node=f"{node}Backward0",
        notation=_write(f"{name}_backward"),
        says=WINDOW_SHARES,
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

    @with_parameters_of(_largest_window, input="Real")
    def max_pool(x: Any, *window: Any) -> Any:
        """The largest entry of each window; the windows stand side by side unless a stride is given."""
        return largest(x, **options(name, count, x.shape, *window))

    @with_parameters_of(_largest_window, grad_output="Real", input="Real")
    def max_pool_backward(g: Any, x: Any, *window: Any) -> Any:
        """The gradient of max-pooling: each window's goes to the entry that was taken."""
        o = options(name, count, x.shape, *window)
        check_upstream(g, x.shape, o)
        return spread(g, x, **o)

    @with_parameters_of(_largest_window, values="Real", input="Real")
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

    @with_parameters_of(_mean_window, input="Real")
    def avg_pool(x: Any, *window: Any) -> Any:
        """The mean of each window; the windows stand side by side unless a stride is given."""
        return mean(x, **mean_options(count, x.shape, *window))

    @with_parameters_of(_mean_window, grad_output="Real", input_size="Shape")
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


def _bounds(size: int, parts: int) -> list[tuple[int, int]]:
    """Return the start and end of each part; parts overlap unless their number divides the size."""
    return [(i * size // parts, -((i + 1) * size // -parts)) for i in range(parts)]


def _shares(size: int, parts: int, dtype: Any) -> Any:
    """Return a matrix with one row of averaging weights for each part."""
    out = np.zeros((parts, size), np.result_type(dtype, np.float16))
    for row, (start, stop) in zip(out, _bounds(size, parts), strict=True):
        row[start:stop] = 1 / (stop - start)
    return out


def mix_axes(down: Array, x: Array, across: Array) -> Any:
    """Return `down @ x @ across`; an entry whose weight is 0 has no part in a result, be it infinite or nan."""
    if np.isfinite(x).all():
        return down @ x @ across
    out = np.zeros((*x.shape[:-2], down.shape[0], across.shape[1]), x.dtype)
    for i, row in enumerate(down):
        rows = np.flatnonzero(row)
        for j, column in enumerate(across.T):
            columns = np.flatnonzero(column)
            out[..., i, j] = row[rows] @ x[..., rows, :][..., columns] @ column[columns]
    return out


def _means(x: Any, *, output_size: Shape) -> Any:
    down, across = (_shares(n, parts, x.dtype) for n, parts in zip(x.shape[-2:], output_size, strict=True))
    return mix_axes(down, x, across.T)


def _spread(g: Array, *, size: Shape) -> Any:
    """The gradient of `adaptive_avg_pool2d`: each part's divided among its entries."""
    down, across = (_shares(n, parts, g.dtype) for n, parts in zip(size[-2:], g.shape[-2:], strict=True))
    return mix_axes(down.T, g, across)


adaptive_mean: Primitive = structured(
    "adaptive_avg_pool2d",
    _means,
    lambda g, out, x, *, output_size: adaptive_spread(g, size=x.shape),
    node="AdaptiveAvgPool2DBackward0",
    saves=(0,),
    says=WINDOW_MEAN,
)
adaptive_spread: Primitive = adjoint(
    "adaptive_avg_pool2d_backward",
    _spread,
    lambda g, out, h, *, size: adaptive_mean(g, output_size=h.shape[-2:]),
    says=WINDOW_SHARES,
)


register_printed(adaptive_spread, "u = [[[1, 2]]]; adaptive_avg_pool2d_backward(u, size=(1, 2, 3))")


def _sizes(name: str, x: Tensor, output_size: Any) -> Shape:
    """Return the two sizes of the result; None keeps that of the input."""
    sides = output_size if isinstance(output_size, tuple | list) else (output_size, output_size)
    if x.ndim not in (3, 4):
        raise ShapeError(f"{name}(): Expected 3D or 4D tensor, but got {list(x.shape)}")
    ShapeError.when(len(sides) != 2, f"{name}: output_size must be 2")
    try:
        sizes = tuple(side if n is None else integer(n) for side, n in zip(x.shape[-2:], sides, strict=True))
    except (TypeError, ValueError):
        raise ShapeError(f"{name}: output_size must hold whole numbers") from None
    AutogradError.when(min(sizes) < 0, f"{name}: elements of output_size must be greater than or equal to 0")
    if sizes != (1, 1):
        check_filled(name, x.shape)
    check_size((*x.shape[:-2], *sizes))
    return sizes


@operation(
    "x = [[[1, 2, 0], [0.5, -1, 3], [4, 1, 2.5]]]; adaptive_avg_pool2d(x, 2)",
    "x = [[[1, 2, 0], [0.5, -1, 3]]]; adaptive_avg_pool2d(x, (1, 1))",
    method=False,
    kernel="adaptive_avg_pool2d",
)
def adaptive_avg_pool2d(input: Real, output_size: Any) -> Any:
    """The means of a grid of `output_size` parts of each image; None keeps a size."""
    sizes = _sizes("adaptive_avg_pool2d", input, output_size)
    if sizes == (1, 1):
        return mean_dim(input, dim=(input.ndim - 1, input.ndim - 2), keepdim=True)
    return adaptive_mean(input, output_size=sizes)


def _as_image(name: str, x: Tensor) -> Any:
    if x.ndim not in (2, 3) or (name == "max_pool1d" and 0 in x.shape[-2:]):
        raise ShapeError(f"{name}: Expected 2D or 3D (batch mode) tensor for input, but got:{list(x.shape)}")
    return unsqueeze(x, dim=x.ndim - 1)


def _length(name: str, value: Pair) -> int:
    sizes = (value,) if isinstance(value, int) else value
    if len(sizes) != 1:
        raise AutogradError(f"{name}() argument 'output_size' should contain one int (got {len(sizes)})")
    return sizes[0]


@operation(
    "x = [[1, 3, 0, 2], [0.5, -1, 3, 4]]; max_pool1d(x, 2)", "x = [[1, 3, 0]]; max_pool1d(x, 2, stride=1)", method=False
)
def max_pool1d(
    input: Real,
    kernel_size: Pair,
    stride: Pair | None = None,
    padding: Pair = 0,
    dilation: Pair = 1,
    ceil_mode: bool = False,
) -> Any:
    """The largest entry of each window along the last dimension."""
    image = _as_image("max_pool1d", input)
    kernel, border, apart = (_length("max_pool1d", value) for value in (kernel_size, padding, dilation))
    step = kernel if stride is None else _length("max_pool1d", stride)
    pooled = max_pool2d(image, (1, kernel), (1, step), (0, border), (1, apart), ceil_mode)
    return squeeze_dim(pooled, dim=input.ndim - 1)


@operation(
    "x = [[1, 3, 0, 2], [0.5, -1, 3, 4]]; avg_pool1d(x, 2)",
    "x = [[1, 3, 0]]; avg_pool1d(x, 2, padding=1)",
    method=False,
    computes_integers=True,
)
def avg_pool1d(
    input: Real,
    kernel_size: Pair,
    stride: Pair | None = None,
    padding: Pair = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
) -> Any:
    """The mean of each window along the last dimension."""
    image = _as_image("avg_pool1d", input)
    kernel, border = (_length("avg_pool1d", value) for value in (kernel_size, padding))
    step = kernel if stride is None else _length("avg_pool1d", stride)
    pooled = avg_pool2d(image, (1, kernel), (1, step), (0, border), ceil_mode, count_include_pad)
    return squeeze_dim(pooled, dim=input.ndim - 1)


@operation("x = [[1, 3, 0, 2, 5]]; adaptive_avg_pool1d(x, 2)", method=False)
def adaptive_avg_pool1d(input: Real, output_size: Pair) -> Any:
    """The means of `output_size` parts of the last dimension."""
    image = _as_image("adaptive_avg_pool1d", input)
    pooled = adaptive_avg_pool2d(image, (1, _length("adaptive_avg_pool1d", output_size)))
    return squeeze_dim(pooled, dim=input.ndim - 1)
