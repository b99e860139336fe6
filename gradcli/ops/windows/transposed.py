"""Transposed convolution, by which a net enlarges its images."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gradcli.engine.primitive import Primitive, primitive
from gradcli.engine.symbolic.formula import Formula
from gradcli.engine.symbolic.notation import named
from gradcli.engine.tensor import Tensor
from gradcli.errors import AutogradError, ShapeError
from gradcli.language.tree import Argument, Call, Expression
from gradcli.ops.reducing.reductions import sum_dim
from gradcli.ops.shaping.shaping import squeeze_dim, unsqueeze
from gradcli.ops.support.arguments import Pair, Real, check_size
from gradcli.ops.support.surface import SLID, register, taking
from gradcli.ops.windows import windows
from gradcli.ops.windows.convolution import convolution_weight, input_gradient, options, places, slid_back


def _transposed(x: Any, w: Any, bias: Any = 0, *, size: Any, **o: Any) -> Any:
    out = input_gradient(w, x, size=size, **o)
    return out if isinstance(bias, int) else out + bias.reshape(1, -1, *(1,) * (out.ndim - 2))


def _write(operands: Sequence[Formula], options: dict[str, Any]) -> Expression:
    """Write the call; `output_padding` settles the size where the stride leaves it open."""
    x, w, _ = operands
    given = {key: options[key] for key in ("stride", "padding", "dilation")}
    found = _size(x.shape, w.shape, 0, {**given, "groups": options["groups"]})
    given["output_padding"] = tuple(n - m for n, m in zip(options["size"][2:], found[2:], strict=True))
    trees = (Argument(operand.tree) for operand in operands if operand.number != 0)
    return Call(f"conv_transpose{len(options['stride'])}d", (*trees, *named({**given, "groups": options["groups"]})))


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


def _declare(count: int, where: str, *examples: str) -> None:
    @taking(_spreading, input="Real", weight="Real")
    def forward(x: Any, w: Any, *rest: Any) -> Any:
        return _convolve(count, x, w, *rest)

    forward.__doc__ = f"The adjoint of `conv{count}d`: each entry spreads a kernel {where} the result."
    alike = "expected scalar type {0} but found {1}"
    register(f"conv_transpose{count}d", forward, examples, method=False, computes_integers=True, alike=alike)


_declare(
    1, "along", "x = [[[1, 2, 0.5]]]; w = [[[0.5, -1]]]; b = [1]; conv_transpose1d(x, w, b, stride=2, output_padding=1)"
)
_declare(
    2,
    "over",
    "x = [[[[1, 2], [0.5, -1]]]]; w = [[[[0.5, -1], [2, 1]]]]; conv_transpose2d(x, w, stride=2)",
    "x = [[[1, 2], [0.5, -1]]]; w = [[[[0.5, -1], [2, 1]]]]; b = [1]; conv_transpose2d(x, w, b, padding=1)",
)
_declare(3, "through", "x = [[[[[1, 2]]]]]; w = [[[[[0.5, -1]], [[2, 1]]]]]; conv_transpose3d(x, w, stride=(1, 1, 2))")
