"""Convolution in any number of dimensions, with its two adjoints: each derivative of one is another of the three.

Transposed convolution, by which a net enlarges its images, is one of the adjoints with a bias.

All three work on patches, the entries that the kernel sees at each place (`im2col`), so that BLAS does the work; some
images at a time, so that the patches take little memory.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from gradcli.engine.modes import warn_once
from gradcli.engine.primitive import Primitive, adjoint, structured
from gradcli.engine.symbolic.formula import Formula, literal, named
from gradcli.engine.tensor import Tensor
from gradcli.errors import AutogradError, ShapeError
from gradcli.language.tree import Argument, Call, Expression, Number
from gradcli.ops import formulas as entries
from gradcli.ops.indexing.indexing import cut
from gradcli.ops.reducing.reductions import sum_dim
from gradcli.ops.shaping.shaping import squeeze_dim, unsqueeze
from gradcli.ops.support.arguments import Padding, Pair, Real, Shape, check_size
from gradcli.ops.support.surface import SLID, register, with_parameters_of
from gradcli.ops.windows import windows
from gradcli.ops.windows.padding import pad_constant
from gradcli.ops.windows.windows import Sizes

ENTRIES = 2**19  # entries of patches held at a time


def _batches(images: int, entries: int) -> Iterator[slice]:
    """Return slices of the images, given the number of entries in the patches of one image."""
    step = max(1, ENTRIES // max(1, entries))
    return (slice(start, start + step) for start in range(0, images, step))


def _patches(x: Any, kernel: Sizes, places: Sizes, stride: Sizes, dilation: Sizes, groups: int) -> Any:
    """Return the patches: (images, groups, entries of the kernel in the group's channels, places)."""
    images, channels = x.shape[:2]
    patches: Any
    if set(kernel) == set(stride) == {1}:
        patches = x
    else:
        patches = np.empty((images, channels, *kernel, *places), x.dtype)
        for offset, view in windows.views(x, kernel, stride, dilation, places):
            patches[(slice(None), slice(None), *offset)] = view
    return patches.reshape(images, groups, channels // groups * windows.count(kernel), windows.count(places))


def _grouped(w: Any, groups: int) -> Any:
    """Reshape the kernels to one matrix for each group."""
    return w.reshape(groups, w.shape[0] // groups, windows.count(w.shape[1:]))


def correlate(x: Any, w: Any, bias: Any = 0, *, stride: Sizes, padding: Sizes, dilation: Sizes, groups: int = 1) -> Any:
    kernel = w.shape[2:]
    places = windows.number_of_places(x.shape[2:], kernel, stride, padding, dilation)
    images, filters = x.shape[0], w.shape[0]
    x = windows.padded(x, padding, padding)
    matrix = _grouped(w, groups)
    out = np.empty((images, groups, filters // groups, windows.count(places)), np.result_type(x, w))
    for batch in _batches(images, windows.count(w.shape[1:]) * groups * out.shape[-1]):
        np.matmul(matrix, _patches(x[batch], kernel, places, stride, dilation, groups), out=out[batch])
    if not isinstance(bias, int):
        out += bias.reshape(groups, filters // groups, 1)
    return out.reshape(images, filters, *places)


def input_gradient(
    w: Any, g: Any, *, size: Sizes, stride: Sizes, padding: Sizes, dilation: Sizes, groups: int = 1
) -> Any:
    kernel, places, spatial = w.shape[2:], g.shape[2:], size[2:]
    images, channels = size[:2]
    matrix = _grouped(w, groups).swapaxes(1, 2)
    columns = g.reshape(images, groups, w.shape[0] // groups, windows.count(places))
    out = np.zeros((images, channels, *(n + 2 * p for n, p in zip(spatial, padding, strict=True))), g.dtype)
    for batch in _batches(images, windows.count(w.shape[1:]) * groups * columns.shape[-1]):
        part = out[batch]
        patches = np.matmul(matrix, columns[batch]).reshape(len(part), channels, *kernel, *places)
        for offset, view in windows.views(part, kernel, stride, dilation, places):
            view += patches[(slice(None), slice(None), *offset)]
    return np.ascontiguousarray(windows.inside(out, padding, spatial))


def weight_gradient(
    x: Any, g: Any, *, size: Sizes, stride: Sizes, padding: Sizes, dilation: Sizes, groups: int = 1
) -> Any:
    kernel, places = size[2:], g.shape[2:]
    images = x.shape[0]
    x = windows.padded(x, padding, padding)
    columns = g.reshape(images, groups, size[0] // groups, windows.count(places))
    out = np.zeros((groups, windows.count(size[1:]), size[0] // groups), g.dtype)
    for batch in _batches(images, windows.count(size[1:]) * groups * columns.shape[-1]):
        patches = _patches(x[batch], kernel, places, stride, dilation, groups)
        out += np.matmul(patches, columns[batch].swapaxes(2, 3)).sum(axis=0)
    return out.swapaxes(1, 2).reshape(size)


def options(
    count: int, stride: int | Sizes, padding: int | Sizes, dilation: int | Sizes, groups: int
) -> dict[str, Any]:
    """Return the options of the primitives after torch's checks."""
    numbers: dict[str, Any] = {}
    for option, value in (("stride", stride), ("padding", padding), ("dilation", dilation)):
        sizes = (value,) if isinstance(value, int) else value
        numbers[option] = windows.each(
            value,
            count,
            f"expected {option} to be a single integer value or a list of {count} values to match the convolution "
            f"dimensions, but got {option}={list(sizes)}",
        )
    for option, least, word in (("padding", 0, "negative"), ("stride", 1, "non-positive")):
        AutogradError.when(min(numbers[option]) < least, f"{word} {option} is not supported")
    AutogradError.when(min(numbers["dilation"]) < 1, "dilation should be greater than zero")
    AutogradError.when(groups < 1, "non-positive groups is not supported")
    return {**numbers, "groups": groups}


WEIGHT = (
    "Expected {0}-dimensional input for {0}-dimensional weight{1}, but got {2}-dimensional input of size {3} instead"
)


def places(x: Shape, w: Shape, o: dict[str, Any]) -> Sizes:
    """Return the spatial size of the result; refuse shapes that do not fit with torch's messages."""
    groups = o["groups"]
    ShapeError.when(len(w) < 3, "weight should have at least three dimensions")
    if len(x) != len(w):
        raise ShapeError(WEIGHT.format(len(w), f" {list(w)}", len(x), list(x)))
    if len(x) != len(o["stride"]) + 2:
        raise ShapeError(f"Expected {len(o['stride']) + 2} dimensions of the input, but got size {list(x)}")
    ShapeError.when(min(w[2:]) < 1, f"kernel size should be greater than zero, but got {list(w[2:])}")
    if w[0] < groups or w[0] % groups:
        raise ShapeError(
            f"Given groups={groups}, expected weight to be divisible by {groups} at dimension 0, but got weight of "
            f"size [{list(w)}] instead"
        )
    if x[1] != w[1] * groups:
        raise ShapeError(
            f"Given groups={groups}, weight of size {list(w)}, expected input{list(x)} to have {w[1] * groups} "
            f"channels, but got {x[1]} channels instead"
        )
    spatial = tuple(n + 2 * p for n, p in zip(x[2:], o["padding"], strict=True))
    reach = windows.extent(w[2:], o["dilation"])
    if any(n < r for n, r in zip(spatial, reach, strict=True)):
        raise ShapeError(
            f"Calculated padded input size per channel: ({windows.listed(spatial)}). Kernel size: "
            f"({windows.listed(reach)}). Kernel size can't be greater than actual input size"
        )
    output_sizes = windows.number_of_places(x[2:], w[2:], o["stride"], o["padding"], o["dilation"])
    check_size((*x[:2], *spatial))
    check_size((x[0], w[0], *output_sizes))
    check_size((x[1], *w[2:], *output_sizes))  # the patches of one image
    return output_sizes


def check_upstream(g: Any, shape: Sizes) -> None:
    ShapeError.when(g.shape != shape, f"Expected grad_output to have shape {list(shape)}, but got {list(g.shape)}")


UNEVEN = (
    "Using padding='same' with even kernel lengths and odd dilation may require a zero-padded copy of the input be "
    "created"
)


def _write(operands: Sequence[Formula], options: dict[str, Any]) -> Expression:
    trees = (Argument(x.tree) for x in operands if x.number != 0)
    return Call(f"conv{len(options['stride'])}d", (*trees, *named(options)))


def _write_input(operands: Sequence[Formula], options: dict[str, Any]) -> Expression:
    """Write the gradient by the input as what it is, a transposed convolution: `conv_transpose2d(g, w)`."""
    w, g = operands
    return _write_transposed((g, w), options)


def _write_weight(operands: Sequence[Formula], options: dict[str, Any]) -> Expression:
    """Write the gradient by the kernels as what it is, the input under the window of `g`: `conv2d(x, g)`.

    Batch and channels change places, which is nothing where there is one of each; where a stride leaves entries of the
    input out, or channels are in groups, as in torch.nn.grad `conv2d_weight(x, size, g)`.
    """
    x, g = operands
    count = len(options["stride"])
    given = {"stride": options["dilation"], "padding": options["padding"], "dilation": options["stride"], "groups": 1}
    turned = [(side.shape[1], side.shape[0], *side.shape[2:]) for side in (x, g)]
    if options["groups"] > 1 or places(turned[0], turned[1], given) != options["size"][2:]:
        kept = {name: value for name, value in options.items() if name != "size"}
        trees = (x.tree, literal(options["size"]), g.tree)
        return Call(f"conv{count}d_weight", (*map(Argument, trees), *named(kept)))
    sides = [Argument(_turned(operand.tree, operand.shape)) for operand in operands]
    return _turned(Call(f"conv{count}d", (*sides, *named(given))), options["size"])


def _turned(tree: Expression, shape: Sequence[int]) -> Expression:
    """Write a tensor with its first two dimensions in the other order, as it stands where they have one entry."""
    if shape[0] == shape[1] == 1:
        return tree
    return Call("transpose", (Argument(tree), Argument(Number(0)), Argument(Number(1))))


def input_gradient_of_transposed(g: Any, w: Any, x: Any, options: Any) -> Any:
    """Return the gradient of a transposed convolution by its input, without the places that `output_padding` added."""
    gradient = convolution(g, w, 0, **options)
    for dim, length in enumerate(x.shape):
        if gradient.shape[dim] > length:
            gradient = cut(gradient, dim=dim, start=0, stop=length)
    return gradient


convolution: Primitive = structured(
    "convolution",
    correlate,
    lambda g, out, x, w, bias, **o: convolution_input(w, g, size=x.shape, **o),
    lambda g, out, x, w, bias, **o: convolution_weight(x, g, size=w.shape, **o),
    lambda g, out, x, w, bias, **o: sum_dim(g, dim=(0, *range(2, len(g.shape)))),
    notation=_write,
    inputs=("input", "weight", "bias"),
    says=SLID,
    index=entries.convolved,
)
convolution_input: Primitive = adjoint(
    "convolution_input",
    input_gradient,
    lambda g, out, w, h, *, size, **o: convolution_weight(g, h, size=w.shape, **o),
    lambda g, out, w, h, *, size, **o: input_gradient_of_transposed(g, w, h, o),
    node="ConvolutionBackwardBackward0",
    notation=_write_input,
    says="It is linear in the kernel and in the gradient, so each gets the product rule's part.",
)
convolution_weight: Primitive = adjoint(
    "convolution_weight",
    weight_gradient,
    lambda g, out, x, h, *, size, **o: convolution_input(g, h, size=x.shape, **o),
    lambda g, out, x, h, *, size, **o: input_gradient_of_transposed(x, g, h, o),
    node="ConvolutionBackwardBackward0",
    notation=_write_weight,
    says="It is linear in the input and in the gradient, so each gets the product rule's part.",
)


def _same(x: Any, kernel: Sizes, stride: Pair, dilation: Sizes) -> tuple[Any, Sizes]:
    """Return the input and the padding that keeps its size; of an odd total, one entry is padded behind first."""
    AutogradError.when(
        any(s != 1 for s in ((stride,) if isinstance(stride, int) else stride)),
        "padding='same' is not supported for strided convolutions",
    )
    totals = [d * (k - 1) for k, d in zip(kernel, dilation, strict=True)]
    if any(total % 2 for total in totals):
        warn_once(UNEVEN)
        behind = [size for total in reversed(totals) for size in (0, total % 2)]
        x = pad_constant(x, pad=tuple(behind), value=0)
    return x, tuple(total // 2 for total in totals)


def _convolve(
    name: str,
    count: int,
    x: Tensor,
    w: Tensor,
    bias: Tensor | None,
    stride: Pair,
    padding: Padding,
    dilation: Pair,
    groups: int,
) -> Any:
    if x.ndim not in (count + 1, count + 2):
        raise ShapeError(
            f"Expected {count + 1}D (unbatched) or {count + 2}D (batched) input to {name}, but got input of size: "
            f"{list(x.shape)}"
        )
    if x.ndim == count + 1:
        return squeeze_dim(
            _convolve(name, count, unsqueeze(x, dim=0), w, bias, stride, padding, dilation, groups), dim=0
        )
    if padding == "same" and w.ndim != x.ndim:
        raise ShapeError(WEIGHT.format(w.ndim, list(w.shape), x.ndim, list(x.shape)))
    if padding == "same":
        x, padding = _same(x, w.shape[2:], stride, options(count, 1, 0, dilation, groups)["dilation"])
    elif isinstance(padding, str):
        AutogradError.when(padding not in ("same", "valid"), f"Invalid padding string: '{padding}'")
        padding = 0
    o = options(count, stride, padding, dilation, groups)
    places(x.shape, w.shape, o)
    if bias is not None and bias.shape != w.shape[:1]:
        raise ShapeError(
            f"Given weight of size {list(w.shape)}, expected bias to be 1-dimensional with {w.shape[0]} elements, but "
            f"got bias of size {list(bias.shape)} instead"
        )
    return convolution(x, w, 0 if bias is None else bias, **o)


def _sliding(stride: Pair = 1, padding: Pair = 0, dilation: Pair = 1, groups: int = 1) -> None:
    """Take the arguments of the gradients of a convolution."""


def _sliding_forward(
    bias: Real | None = None, stride: Pair = 1, padding: Padding = 0, dilation: Pair = 1, groups: int = 1
) -> None:
    """Take the arguments of a convolution."""


def _declare(count: int, summary: str, *examples: str) -> None:
    """Register a convolution, and its gradients under their names in torch.nn.grad, of the last two examples."""
    name = f"conv{count}d"

    @with_parameters_of(_sliding_forward, input="Real", weight="Real")
    def forward(x: Any, w: Any, *rest: Any) -> Any:
        return _convolve(name, count, x, w, *rest)

    @with_parameters_of(_sliding, input_size="Shape", weight="Real", grad_output="Real")
    def by_input(size: Shape, w: Any, g: Any, *rest: Any) -> Any:
        """The gradient of a convolution with respect to its input, which has the given size."""
        o = options(count, *rest)
        sizes = places(size, w.shape, o)
        check_upstream(g, (size[0], w.shape[0], *sizes))
        return convolution_input(w, g, size=size, **o)

    @with_parameters_of(_sliding, input="Real", weight_size="Shape", grad_output="Real")
    def by_weight(x: Any, size: Shape, g: Any, *rest: Any) -> Any:
        """The gradient of a convolution with respect to its kernels, which have the given size."""
        o = options(count, *rest)
        sizes = places(x.shape, size, o)
        check_upstream(g, (x.shape[0], size[0], *sizes))
        return convolution_weight(x, g, size=size, **o)

    forward.__doc__ = summary
    register(
        name,
        forward,
        examples[:-2],
        method=False,
        computes_integers=True,
        alike="expected scalar type {0} but found {1}",
        traits=("passing",),
    )
    register(f"{name}_input", by_input, examples[-2:-1], method=False)
    register(f"{name}_weight", by_weight, examples[-1:], method=False)


_declare(
    1,
    "Slide the kernels in `weight` along the input: (batch, channels, length) to (batch, kernels, places).",
    "x = [[[1, 2, 0.5, -1]]]; w = [[[0.5, -1]]]; conv1d(x, w)",
    "x = [[1, 2, 0.5, -1], [2, 1, 3, 0]]; w = [[[0.5, -1]], [[2, 1]]]; b = [0.5, 1]; "
    "conv1d(x, w, b, stride=2, padding=1, dilation=2, groups=2)",
    "w = [[[0.5, -1]]]; u = [[[1, 2]]]; conv1d_input((1, 1, 4), w, u, stride=2)",
    "x = [[[1, 2, 0.5, -1]]]; u = [[[1, 2]]]; conv1d_weight(x, (1, 1, 2), u, dilation=2)",
)
_declare(
    2,
    "Slide the kernels in `weight` over the input: (batch, channels, rows, columns) to (batch, kernels, places).",
    "x = [[[[1, 2, 0], [0.5, -1, 2], [3, 1, 1]]]]; w = [[[[0.5, -1], [2, 1]]]]; conv2d(x, w)",
    "x = [[[[1, 2, 0], [0.5, -1, 2], [3, 1, 1]]]]; w = [[[[0.5, -1], [2, 1]]]]; b = [0.5]; "
    "conv2d(x, w, b, stride=(1, 2), padding=1)",
    "x = [[[1, 2, 0], [0.5, -1, 2], [3, 1, 1]]]; w = [[[[0.5, -1, 3]]], [[[2, 1, -2]]]]; conv2d(x, w, padding='same')",
    "x = [[[1, 2]], [[0.5, -1]]]; w = [[[[0.5]]], [[[2]]]]; conv2d(x, w, groups=2, padding='valid')",
    "x = [[[1, 2, 0], [0.5, -1, 2], [3, 1, 1]]]; w = [[[[0.5, -1], [2, 1]]]]; conv2d(x, w, dilation=2)",
    "w = [[[[0.5, -1]]]]; u = [[[[1, 2], [3, 1]]]]; conv2d_input((1, 1, 2, 1), w, u, padding=(0, 1))",
    "x = [[[[1, 2]], [[0.5, -1]]]]; u = [[[[1]], [[2]]]]; conv2d_weight(x, (2, 1, 1, 2), u, groups=2)",
)
_declare(
    3,
    "Slide the kernels in `weight` through the input: (batch, channels, depth, rows, columns) to the same.",
    "x = [[[[[1, 2], [0, 0.5]], [[-1, 2], [3, 1]]]]]; w = [[[[[0.5, -1]], [[2, 1]]]]]; conv3d(x, w)",
    "x = [[[[1, 2], [0, 0.5]]]]; w = [[[[[0.5, -1]]]]]; b = [1]; conv3d(x, w, b, padding=(0, 1, 0))",
    "w = [[[[[0.5, -1]]]]]; u = [[[[[1, 2]]]]]; conv3d_input((1, 1, 1, 1, 3), w, u)",
    "x = [[[[[1, 2, 3]]]]]; u = [[[[[1, 2]]]]]; conv3d_weight(x, (1, 1, 1, 1, 2), u)",
)


def _transposed(x: Any, w: Any, bias: Any = 0, *, size: Any, **o: Any) -> Any:
    out = input_gradient(w, x, size=size, **o)
    return out if isinstance(bias, int) else out + bias.reshape(1, -1, *(1,) * (out.ndim - 2))


def _write_transposed(operands: Sequence[Formula], options: dict[str, Any]) -> Expression:
    """Write the call; `output_padding` settles the size where the stride leaves it open."""
    x, w = operands[:2]
    given = {key: options[key] for key in ("stride", "padding", "dilation")}
    least = _size(x.shape, w.shape, 0, {**given, "groups": options["groups"]})
    given["output_padding"] = tuple(n - m for n, m in zip(options["size"][2:], least[2:], strict=True))
    trees = (Argument(operand.tree) for operand in operands if operand.number != 0)
    return Call(f"conv_transpose{len(options['stride'])}d", (*trees, *named({**given, "groups": options["groups"]})))


transposed: Primitive = structured(
    "convolution_transposed",
    _transposed,
    lambda g, out, x, w, bias, *, size, **o: input_gradient_of_transposed(g, w, x, o),
    lambda g, out, x, w, bias, *, size, **o: convolution_weight(g, x, size=w.shape, **o),
    lambda g, out, x, w, bias, **_: sum_dim(g, dim=(0, *range(2, len(g.shape)))),
    node="ConvolutionBackward0",
    notation=_write_transposed,
    inputs=("input", "weight", "bias"),
    says=SLID,
)


def _size(x: Sequence[int], w: Sequence[int], extra: Any, o: dict[str, Any]) -> tuple[int, ...]:
    """Return the shape of the result: the input shape that a convolution with these options takes to `x`."""
    added = (extra,) * len(o["stride"]) if isinstance(extra, int) else tuple(extra)
    reach = windows.extent(tuple(w[2:]), o["dilation"])
    sides = zip(x[2:], o["stride"], o["padding"], reach, added, strict=True)
    return (x[0], w[1] * o["groups"], *((n - 1) * s - 2 * p + r + e for n, s, p, r, e in sides))


def _convolve_transposed(
    count: int,
    x: Tensor,
    w: Tensor,
    bias: Tensor | None,
    stride: Pair,
    padding: Pair,
    output_padding: Pair,
    groups: int,
    dilation: Pair,
) -> Any:
    if x.ndim == count + 1:
        batch = _convolve_transposed(
            count, unsqueeze(x, dim=0), w, bias, stride, padding, output_padding, groups, dilation
        )
        return squeeze_dim(batch, dim=0)
    if x.ndim != count + 2 or w.ndim != count + 2:
        raise ShapeError(
            f"Expected {count + 1}D (unbatched) or {count + 2}D (batched) input to conv_transpose{count}d, but got "
            f"input of size: {list(x.shape)}"
        )
    o = options(count, stride, padding, dilation, groups)
    if x.shape[1] != w.shape[0]:
        raise ShapeError(
            f"Given transposed=1, weight of size {list(w.shape)}, expected input{list(x.shape)} to have {w.shape[0]} "
            f"channels, but got {x.shape[1]} channels instead"
        )
    extra = windows.each(output_padding, count, "expected output_padding to be a single integer or one for each side")
    AutogradError.when(min(extra) < 0, "negative output_padding is not supported")
    if any(e >= max(s, d) for e, s, d in zip(extra, o["stride"], o["dilation"], strict=True)):
        numbers = f"output_padding={extra}, stride={o['stride']} and dilation={o['dilation']}"
        raise AutogradError(f"output padding must be smaller than either stride or dilation, but got {numbers}")
    size = _size(x.shape, w.shape, extra, o)
    if min(size[2:]) < 1:
        raise ShapeError(f"Given input size per channel: {list(x.shape[2:])}. Output size is too small")
    check_size(size)
    places(size, w.shape, o)
    if bias is not None and bias.shape != (size[1],):
        raise ShapeError(
            f"Given transposed=1, weight of size {list(w.shape)}, expected bias to be 1-dimensional with {size[1]} "
            f"elements, but got bias of size {list(bias.shape)} instead"
        )
    return transposed(x, w, 0 if bias is None else bias, size=size, **o)


def _spreading(
    bias: Real | None = None,
    stride: Pair = 1,
    padding: Pair = 0,
    output_padding: Pair = 0,
    groups: int = 1,
    dilation: Pair = 1,
) -> None:
    """Take the arguments of a transposed convolution."""


def _declare_transposed(count: int, where: str, *examples: str) -> None:
    @with_parameters_of(_spreading, input="Real", weight="Real")
    def forward(x: Any, w: Any, *rest: Any) -> Any:
        return _convolve_transposed(count, x, w, *rest)

    forward.__doc__ = f"The adjoint of `conv{count}d`: each entry spreads a kernel {where} the result."
    alike = "expected scalar type {0} but found {1}"
    facts = {"method": False, "computes_integers": True, "alike": alike, "traits": ("passing",)}
    register(f"conv_transpose{count}d", forward, examples, **facts)


_declare_transposed(
    1, "along", "x = [[[1, 2, 0.5]]]; w = [[[0.5, -1]]]; b = [1]; conv_transpose1d(x, w, b, stride=2, output_padding=1)"
)
_declare_transposed(
    2,
    "over",
    "x = [[[[1, 2], [0.5, -1]]]]; w = [[[[0.5, -1], [2, 1]]]]; conv_transpose2d(x, w, stride=2)",
    "x = [[[1, 2], [0.5, -1]]]; w = [[[[0.5, -1], [2, 1]]]]; b = [1]; conv_transpose2d(x, w, b, padding=1)",
)
_declare_transposed(
    3, "through", "x = [[[[[1, 2]]]]]; w = [[[[[0.5, -1]], [[2, 1]]]]]; conv_transpose3d(x, w, stride=(1, 1, 2))"
)
