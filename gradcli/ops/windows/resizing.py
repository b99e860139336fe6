"""Upsampling: transposed convolution, and channels rearranged into pixels (pixel_shuffle)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gradcli.engine.primitive import Primitive, primitive
from gradcli.engine.symbolic.formula import Formula
from gradcli.engine.symbolic.notation import literal
from gradcli.engine.tensor import Tensor
from gradcli.errors import AutogradError
from gradcli.language.tree import Argument, Call, Expression
from gradcli.ops.formulas import windows as entries
from gradcli.ops.indexing.indexing import flat_positions, scattered
from gradcli.ops.reducing.reductions import sum_dim
from gradcli.ops.shaping.shaping import squeeze_dim, unsqueeze
from gradcli.ops.support.arguments import Pair, Real, check_size
from gradcli.ops.support.sentences import MOVED, SLID
from gradcli.ops.support.surface import operation
from gradcli.ops.windows import windows
from gradcli.ops.windows.convolution import convolution_weight, slid_back
from gradcli.ops.windows.convolution_shapes import SIDES, options, places
from gradcli.ops.windows.patches import input_gradient


def _transposed(x: Any, w: Any, bias: Any = 0, *, size: Any, **o: Any) -> Any:
    out = input_gradient(w, x, size=size, **o)
    return out if isinstance(bias, int) else out + bias.reshape(1, -1, *(1,) * (out.ndim - 2))


def _write(operands: Sequence[Formula], options: dict[str, Any]) -> Expression:
    """Write the call; `output_padding` settles the size where the stride leaves it open."""
    x, w, bias = operands
    arguments = [Argument(x.tree), Argument(w.tree)]
    if bias.number != 0:
        arguments.append(Argument(bias.tree))
    for option, default in (("stride", 1), ("padding", 0), ("dilation", 1)):
        if set(options[option]) != {default}:
            arguments.append(Argument(literal(windows.short(options[option])), option))
    found = _size(x.shape, w.shape, 0, {key: options[key] for key in ("stride", "padding", "dilation", "groups")})
    rest = tuple(n - m for n, m in zip(options["size"][2:], found[2:], strict=True))
    if any(rest):
        arguments.append(Argument(literal(windows.short(rest)), "output_padding"))
    if options["groups"] != 1:
        arguments.append(Argument(literal(options["groups"]), "groups"))
    return Call(f"conv_transpose{len(options['stride'])}d", tuple(arguments))


transposed: Primitive = primitive(
    "convolution_transposed",
    _transposed,
    lambda g, out, x, w, bias, *, size, **o: slid_back(g, w, x, o),
    lambda g, out, x, w, bias, *, size, **o: convolution_weight(g, x, size=w.shape, **o),
    lambda g, out, x, w, bias, **_: sum_dim(g, dim=(0, *range(2, len(g.shape)))),
    node="ConvolutionBackward0",
    notation=_write,
    structured=True,
    inputs=("input", "weight", "bias"),
    says=SLID,
    index=entries.transposed,
)


def _size(x: Sequence[int], w: Sequence[int], extra: Any, o: dict[str, Any]) -> tuple[int, ...]:
    """Return the shape of the result: the input shape that a convolution with these options takes to `x`."""
    added = (extra,) * len(o["stride"]) if isinstance(extra, int) else tuple(extra)
    reach = windows.extent(tuple(w[2:]), o["dilation"])
    sides = zip(x[2:], o["stride"], o["padding"], reach, added, strict=True)
    return (x[0], w[1] * o["groups"], *((n - 1) * s - 2 * p + r + e for n, s, p, r, e in sides))


def _convolve(
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
        found = _convolve(count, unsqueeze(x, dim=0), w, bias, stride, padding, output_padding, groups, dilation)
        return squeeze_dim(found, dim=0)
    if x.ndim != count + 2 or w.ndim != count + 2:
        raise AutogradError(
            f"Expected {count + 1}D (unbatched) or {count + 2}D (batched) input to conv_transpose{count}d, but got "
            f"input of size: {list(x.shape)}",
            code="E301",
        )
    o = options(count, stride, padding, dilation, groups)
    if x.shape[1] != w.shape[0]:
        raise AutogradError(
            f"Given transposed=1, weight of size {list(w.shape)}, expected input{list(x.shape)} to have {w.shape[0]} "
            f"channels, but got {x.shape[1]} channels instead",
            code="E301",
        )
    extra = windows.each(output_padding, count, "expected output_padding to be a single integer or one for each side")
    if min(extra) < 0:
        raise AutogradError("negative output_padding is not supported")
    if any(e >= max(s, d) for e, s, d in zip(extra, o["stride"], o["dilation"], strict=True)):
        flat = ((0,), (1,), (1,)) if count == 1 else ((), (), ())  # torch makes one dimension two
        given = (("output_padding", extra), ("stride", o["stride"]), ("dilation", o["dilation"]))
        told = " ".join(
            f"{name}_{side}: {size}"
            for (name, sizes), first in zip(given, flat, strict=True)
            for side, size in zip(SIDES[-max(count, 2) :], (*first, *sizes), strict=True)
        )
        raise AutogradError(f"output padding must be smaller than either stride or dilation, but got {told}")
    size = _size(x.shape, w.shape, extra, o)
    if min(size[2:]) < 1:
        raise AutogradError(f"Given input size per channel: {list(x.shape[2:])}. Output size is too small", code="E301")
    check_size(size)
    places(size, w.shape, o)
    if bias is not None and bias.shape != (size[1],):
        raise AutogradError(
            f"Given transposed=1, weight of size {list(w.shape)}, expected bias to be 1-dimensional with {size[1]} "
            f"elements, but got bias of size {list(bias.shape)} instead",
            code="E301",
        )
    return transposed(x, w, 0 if bias is None else bias, size=size, **o)


@operation(
    "x = [[[1, 2, 0.5]]]; w = [[[0.5, -1]]]; b = [1]; conv_transpose1d(x, w, b, stride=2, output_padding=1)",
    method=False,
    alike="expected scalar type {0} but found {1}",
)
def conv_transpose1d(
    input: Real,
    weight: Real,
    bias: Real | None = None,
    stride: Pair = 1,
    padding: Pair = 0,
    output_padding: Pair = 0,
    groups: int = 1,
    dilation: Pair = 1,
) -> Any:
    """The adjoint of `conv1d`: each entry spreads a kernel along the result."""
    return _convolve(1, input, weight, bias, stride, padding, output_padding, groups, dilation)


@operation(
    "x = [[[[1, 2], [0.5, -1]]]]; w = [[[[0.5, -1], [2, 1]]]]; conv_transpose2d(x, w, stride=2)",
    "x = [[[1, 2], [0.5, -1]]]; w = [[[[0.5, -1], [2, 1]]]]; b = [1]; conv_transpose2d(x, w, b, padding=1)",
    method=False,
    alike="expected scalar type {0} but found {1}",
)
def conv_transpose2d(
    input: Real,
    weight: Real,
    bias: Real | None = None,
    stride: Pair = 1,
    padding: Pair = 0,
    output_padding: Pair = 0,
    groups: int = 1,
    dilation: Pair = 1,
) -> Any:
    """The adjoint of `conv2d`: each entry spreads a kernel over the result."""
    return _convolve(2, input, weight, bias, stride, padding, output_padding, groups, dilation)


@operation(
    "x = [[[[[1, 2]]]]]; w = [[[[[0.5, -1]], [[2, 1]]]]]; conv_transpose3d(x, w, stride=(1, 1, 2))",
    method=False,
    alike="expected scalar type {0} but found {1}",
)
def conv_transpose3d(
    input: Real,
    weight: Real,
    bias: Real | None = None,
    stride: Pair = 1,
    padding: Pair = 0,
    output_padding: Pair = 0,
    groups: int = 1,
    dilation: Pair = 1,
) -> Any:
    """The adjoint of `conv3d`: each entry spreads a kernel through the result."""
    return _convolve(3, input, weight, bias, stride, padding, output_padding, groups, dilation)


def _shuffled(x: Any, *, upscale_factor: int) -> Any:
    r = upscale_factor
    *lead, channels, height, width = x.shape
    parts = x.reshape(*lead, channels // r**2, r, r, height, width)
    n = len(lead)
    order = (*range(n), n, n + 3, n + 1, n + 4, n + 2)
    return parts.transpose(order).copy().reshape(*lead, channels // r**2, height * r, width * r)


def _gathered(g: Any, *, upscale_factor: int) -> Any:
    r = upscale_factor
    *lead, channels, height, width = g.shape
    shape = (*lead, channels * r**2, height // r, width // r)
    return scattered(g, _shuffled(flat_positions(shape), upscale_factor=r), shape)


shuffle: Primitive = primitive(
    "pixel_shuffle",
    _shuffled,
    lambda g, out, x, *, upscale_factor: unshuffle(g, downscale_factor=upscale_factor),
    structured=True,
    says=MOVED,
    index=entries.shuffled,
)
unshuffle: Primitive = primitive(
    "pixel_unshuffle",
    lambda x, *, downscale_factor: _gathered(x, upscale_factor=downscale_factor),
    lambda g, out, x, *, downscale_factor: shuffle(g, upscale_factor=downscale_factor),
    structured=True,
    says=MOVED,
    index=entries.unshuffled,
)


def _check_image(name: str, x: Tensor, factor: int) -> None:
    if x.ndim < 3:
        raise AutogradError(
            f"{name} expects input to have at least 3 dimensions, but got input with {x.ndim} dimension(s)", code="E301"
        )
    if factor < 1:
        way = "upscale" if name == "pixel_shuffle" else "downscale"
        raise AutogradError(f"{name} expects a positive {way}_factor, but got {factor}")


@operation("x = [[[1, 2]], [[3, 4]], [[5, 6]], [[7, 8]]]; pixel_shuffle(x, 2)", method=False)
def pixel_shuffle(input: Tensor, upscale_factor: int) -> Any:
    """Groups of channels folded out into squares of pixels."""
    _check_image("pixel_shuffle", input, upscale_factor)
    if input.shape[-3] % upscale_factor**2:
        raise AutogradError(
            "pixel_shuffle expects its input's 'channel' dimension to be divisible by the square of upscale_factor, "
            f"but input.size(-3)={input.shape[-3]} is not divisible by {upscale_factor**2}",
            code="E301",
        )
    return shuffle(input, upscale_factor=upscale_factor)


@operation("x = [[[1, 2], [3, 4]]]; pixel_unshuffle(x, 2)", method=False)
def pixel_unshuffle(input: Tensor, downscale_factor: int) -> Any:
    """Squares of pixels folded into channels."""
    _check_image("pixel_unshuffle", input, downscale_factor)
    for dim, side in ((-2, "height"), (-1, "width")):
        if input.shape[dim] % downscale_factor:
            raise AutogradError(
                f"pixel_unshuffle expects {side} to be divisible by downscale_factor, but input.size({dim})="
                f"{input.shape[dim]} is not divisible by {downscale_factor}",
                code="E301",
            )
    return unshuffle(input, downscale_factor=downscale_factor)
