"""Convolution in any number of dimensions, with its two adjoints: each derivative of one is another of the three."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gradcli.engine.modes import warn_once
from gradcli.engine.primitive import Primitive, primitive
from gradcli.engine.symbolic.formula import Formula
from gradcli.engine.symbolic.notation import literal
from gradcli.engine.tensor import Tensor
from gradcli.errors import AutogradError
from gradcli.language.tree import Argument, Call, Expression
from gradcli.ops.formulas import windows as entries
from gradcli.ops.indexing.indexing import cut
from gradcli.ops.reducing.reductions import sum_dim
from gradcli.ops.shaping.shaping import squeeze_dim, unsqueeze
from gradcli.ops.support.arguments import Padding, Pair, Real, Shape
from gradcli.ops.support.sentences import SLID
from gradcli.ops.support.surface import operation, register
from gradcli.ops.windows import windows
from gradcli.ops.windows.convolution_shapes import WEIGHT, check_upstream, options, places
from gradcli.ops.windows.padding import pad_constant
from gradcli.ops.windows.patches import correlate, input_gradient, weight_gradient
from gradcli.ops.windows.windows import Sizes

UNEVEN = (
    "Using padding='same' with even kernel lengths and odd dilation may require a zero-padded copy of the input be "
    "created"
)


def _write(suffix: str, where_size: int | None) -> Any:
    """Write `conv2d(x, w)`, and as torch.nn.grad `conv2d_input(size, w, g)`, `conv2d_weight(x, size, g)`."""

    def write(operands: Sequence[Formula], options: dict[str, Any]) -> Expression:
        trees = [x.tree for x in operands if x.number != 0]
        if where_size is not None:
            trees.insert(where_size, literal(options["size"]))
        arguments = [Argument(tree) for tree in trees]
        for option, default in (("stride", 1), ("padding", 0), ("dilation", 1)):
            if set(options[option]) != {default}:
                arguments.append(Argument(literal(windows.short(options[option])), option))
        if options["groups"] != 1:
            arguments.append(Argument(literal(options["groups"]), "groups"))
        return Call(f"conv{len(options['stride'])}d{suffix}", tuple(arguments))

    return write


def slid_back(g: Any, w: Any, x: Any, options: Any) -> Any:
    """Return the gradient of what a transposed convolution spread, without places that only `output_padding` made."""
    found = convolution(g, w, 0, **options)
    for dim, length in enumerate(x.shape):
        if found.shape[dim] > length:
            found = cut(found, dim=dim, start=0, stop=length)
    return found


convolution: Primitive = primitive(
    "convolution",
    correlate,
    lambda g, out, x, w, bias, **o: convolution_input(w, g, size=x.shape, **o),
    lambda g, out, x, w, bias, **o: convolution_weight(x, g, size=w.shape, **o),
    lambda g, out, x, w, bias, **o: sum_dim(g, dim=(0, *range(2, len(g.shape)))),
    notation=_write("", None),
    structured=True,
    inputs=("input", "weight", "bias"),
    says=SLID,
    index=entries.convolved,
)
convolution_input: Primitive = primitive(
    "convolution_input",
    input_gradient,
    lambda g, out, w, h, *, size, **o: convolution_weight(g, h, size=w.shape, **o),
    lambda g, out, w, h, *, size, **o: slid_back(g, w, h, o),
    node="ConvolutionBackwardBackward0",
    notation=_write("_input", 0),
    structured=True,
    says="It is linear in the kernel and in the gradient, so each gets the product rule's part.",
    index=entries.led_back,
)
convolution_weight: Primitive = primitive(
    "convolution_weight",
    weight_gradient,
    lambda g, out, x, h, *, size, **o: convolution_input(g, h, size=x.shape, **o),
    lambda g, out, x, h, *, size, **o: slid_back(x, g, h, o),
    node="ConvolutionBackwardBackward0",
    notation=_write("_weight", 1),
    structured=True,
    says="It is linear in the input and in the gradient, so each gets the product rule's part.",
    index=entries.matched,
)


def _same(x: Any, kernel: Sizes, stride: Pair, dilation: Sizes) -> tuple[Any, Sizes]:
    """Return the input and the padding that keeps its size; of an odd total, one entry is padded behind first."""
    if any(s != 1 for s in ((stride,) if isinstance(stride, int) else stride)):
        raise AutogradError("padding='same' is not supported for strided convolutions")
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
        raise AutogradError(
            f"Expected {count + 1}D (unbatched) or {count + 2}D (batched) input to {name}, but got input of size: "
            f"{list(x.shape)}",
            code="E301",
        )
    if x.ndim == count + 1:
        return squeeze_dim(
            _convolve(name, count, unsqueeze(x, dim=0), w, bias, stride, padding, dilation, groups), dim=0
        )
    if padding == "same" and w.ndim != x.ndim:
        raise AutogradError(WEIGHT.format(w.ndim, list(w.shape), x.ndim, list(x.shape)), code="E301")
    if padding == "same":
        x, padding = _same(x, w.shape[2:], stride, options(count, 1, 0, dilation, groups)["dilation"])
    elif isinstance(padding, str):
        if padding not in ("same", "valid"):
            raise AutogradError(f"Invalid padding string: '{padding}'")
        padding = 0
    o = options(count, stride, padding, dilation, groups)
    places(x.shape, w.shape, o)
    if bias is not None and bias.shape != w.shape[:1]:
        raise AutogradError(
            f"Given weight of size {list(w.shape)}, expected bias to be 1-dimensional with {w.shape[0]} elements, but "
            f"got bias of size {list(bias.shape)} instead",
            code="E301",
        )
    return convolution(x, w, 0 if bias is None else bias, **o)


@operation(
    "x = [[[1, 2, 0.5, -1]]]; w = [[[0.5, -1]]]; conv1d(x, w)",
    "x = [[1, 2, 0.5, -1], [2, 1, 3, 0]]; w = [[[0.5, -1]], [[2, 1]]]; b = [0.5, 1]; "
    "conv1d(x, w, b, stride=2, padding=1, dilation=2, groups=2)",
    method=False,
    alike="expected scalar type {0} but found {1}",
)
def conv1d(
    input: Real,
    weight: Real,
    bias: Real | None = None,
    stride: Pair = 1,
    padding: Padding = 0,
    dilation: Pair = 1,
    groups: int = 1,
) -> Any:
    """Slide the kernels in `weight` along the input: (batch, channels, length) to (batch, kernels, places)."""
    return _convolve("conv1d", 1, input, weight, bias, stride, padding, dilation, groups)


@operation(
    "x = [[[[1, 2, 0], [0.5, -1, 2], [3, 1, 1]]]]; w = [[[[0.5, -1], [2, 1]]]]; conv2d(x, w)",
    "x = [[[[1, 2, 0], [0.5, -1, 2], [3, 1, 1]]]]; w = [[[[0.5, -1], [2, 1]]]]; b = [0.5]; "
    "conv2d(x, w, b, stride=(1, 2), padding=1)",
    "x = [[[1, 2, 0], [0.5, -1, 2], [3, 1, 1]]]; w = [[[[0.5, -1, 3]]], [[[2, 1, -2]]]]; conv2d(x, w, padding='same')",
    "x = [[[1, 2]], [[0.5, -1]]]; w = [[[[0.5]]], [[[2]]]]; conv2d(x, w, groups=2, padding='valid')",
    "x = [[[1, 2, 0], [0.5, -1, 2], [3, 1, 1]]]; w = [[[[0.5, -1], [2, 1]]]]; conv2d(x, w, dilation=2)",
    method=False,
    alike="expected scalar type {0} but found {1}",
)
def conv2d(
    input: Real,
    weight: Real,
    bias: Real | None = None,
    stride: Pair = 1,
    padding: Padding = 0,
    dilation: Pair = 1,
    groups: int = 1,
) -> Any:
    """Slide the kernels in `weight` over the input: (batch, channels, rows, columns) to (batch, kernels, places)."""
    return _convolve("conv2d", 2, input, weight, bias, stride, padding, dilation, groups)


@operation(
    "x = [[[[[1, 2], [0, 0.5]], [[-1, 2], [3, 1]]]]]; w = [[[[[0.5, -1]], [[2, 1]]]]]; conv3d(x, w)",
    "x = [[[[1, 2], [0, 0.5]]]]; w = [[[[[0.5, -1]]]]]; b = [1]; conv3d(x, w, b, padding=(0, 1, 0))",
    method=False,
    alike="expected scalar type {0} but found {1}",
)
def conv3d(
    input: Real,
    weight: Real,
    bias: Real | None = None,
    stride: Pair = 1,
    padding: Padding = 0,
    dilation: Pair = 1,
    groups: int = 1,
) -> Any:
    """Slide the kernels in `weight` through the input: (batch, channels, depth, rows, columns) to the same."""
    return _convolve("conv3d", 3, input, weight, bias, stride, padding, dilation, groups)


def _declare_adjoints(count: int, input_example: str, weight_example: str) -> None:
    """Declare the gradients of a convolution under their names in torch.nn.grad."""

    def input_gradient(
        input_size: Shape,
        weight: Real,
        grad_output: Real,
        stride: Pair = 1,
        padding: Pair = 0,
        dilation: Pair = 1,
        groups: int = 1,
    ) -> Any:
        """The gradient of a convolution with respect to its input, which has the given size."""
        o = options(count, stride, padding, dilation, groups)
        found = places(input_size, weight.shape, o)
        check_upstream(grad_output, (input_size[0], weight.shape[0], *found))
        return convolution_input(weight, grad_output, size=input_size, **o)

    def weight_gradient(
        input: Real,
        weight_size: Shape,
        grad_output: Real,
        stride: Pair = 1,
        padding: Pair = 0,
        dilation: Pair = 1,
        groups: int = 1,
    ) -> Any:
        """The gradient of a convolution with respect to its kernels, which have the given size."""
        o = options(count, stride, padding, dilation, groups)
        found = places(input.shape, weight_size, o)
        check_upstream(grad_output, (input.shape[0], weight_size[0], *found))
        return convolution_weight(input, grad_output, size=weight_size, **o)

    register(f"conv{count}d_input", input_gradient, [input_example], method=False)
    register(f"conv{count}d_weight", weight_gradient, [weight_example], method=False)


_declare_adjoints(
    1,
    "w = [[[0.5, -1]]]; u = [[[1, 2]]]; conv1d_input((1, 1, 4), w, u, stride=2)",
    "x = [[[1, 2, 0.5, -1]]]; u = [[[1, 2]]]; conv1d_weight(x, (1, 1, 2), u, dilation=2)",
)
_declare_adjoints(
    2,
    "w = [[[[0.5, -1]]]]; u = [[[[1, 2], [3, 1]]]]; conv2d_input((1, 1, 2, 1), w, u, padding=(0, 1))",
    "x = [[[[1, 2]], [[0.5, -1]]]]; u = [[[[1]], [[2]]]]; conv2d_weight(x, (2, 1, 1, 2), u, groups=2)",
)
_declare_adjoints(
    3,
    "w = [[[[[0.5, -1]]]]]; u = [[[[[1, 2]]]]]; conv3d_input((1, 1, 1, 1, 3), w, u)",
    "x = [[[[[1, 2, 3]]]]]; u = [[[[[1, 2]]]]]; conv3d_weight(x, (1, 1, 1, 1, 2), u)",
)
