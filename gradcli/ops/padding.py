"""A border of equal entries around a tensor; padding by a negative width crops, which is the adjoint."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradcli.engine.notation import literal
from gradcli.engine.primitive import Primitive, primitive
from gradcli.engine.tensor import Tensor
from gradcli.errors import AutogradError
from gradcli.language.tree import Argument, Call
from gradcli.ops.arguments import Shape, check_size
from gradcli.ops.surface import operation


def _padded(x: Any, *, pad: Shape, value: float = 0) -> Any:
    """`pad` holds two widths for each dimension, from the last one on."""
    missing = x.ndim - len(pad) // 2
    widths = [(0, 0)] * missing + list(zip(pad[-2::-2], pad[::-2], strict=True))
    kept = tuple(slice(max(-a, 0), n - max(-b, 0)) for (a, b), n in zip(widths, x.shape, strict=True))
    border = [(max(a, 0), max(b, 0)) for a, b in widths]
    return np.pad(x[kept], border, constant_values=value) if border else x.copy()


pad_constant: Primitive = primitive(
    "pad",
    _padded,
    lambda g, out, x, *, pad, value=0: pad_constant(g, pad=tuple(-width for width in pad), value=0),
    node="ConstantPadNdBackward0",
    notation=lambda operands, options: Call(
        "pad",
        (
            Argument(operands[0].tree),
            Argument(literal(options["pad"])),
            *([Argument(literal(options["value"]), "value")] if options["value"] else []),
        ),
    ),
    structured=True,
)


@operation(
    "x = [[1, 2], [3, 4]]; pad(x, (1, 0))",
    "x = [[1, 2], [3, 4]]; pad(x, (-1, 0, 2, 1), value=5)",
    "x = [[1, 2], [3, 4]]; pad(x, (1, 1), mode='constant')",
    method=False,
)
def pad(input: Tensor, pad: Shape, mode: str = "constant", value: float | None = None) -> Any:
    """Add `pad` entries before and after each dimension, from the last one on; negative numbers crop."""
    if mode != "constant":
        raise AutogradError(f"Unrecognised padding mode {mode}", help="mode='constant' is the one there is")
    if len(pad) % 2:
        raise AutogradError("Padding length must be divisible by 2")
    if len(pad) > 2 * input.ndim:
        raise AutogradError(
            f"Padding length should be less than or equal to two times the input dimension but got padding length "
            f"{len(pad)} and input of dimension {input.ndim}"
        )
    shape = list(input.shape)
    for position, width in enumerate(pad):
        shape[-1 - position // 2] += width
        if min(input.shape[-1 - position // 2] + width, shape[-1 - position // 2]) < 0:
            raise AutogradError("narrow(): length must be non-negative.", code="E301")
    check_size(tuple(shape))
    return pad_constant(input, pad=pad, value=0 if value is None else value)
