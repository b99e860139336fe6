"""Padding by a constant or by a tensor's own entries; a negative width crops, which is the adjoint."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradcli.engine.primitive import Primitive, structured
from gradcli.engine.symbolic.formula import literal
from gradcli.engine.symbolic.indices import ELSEWHERE
from gradcli.engine.tensor import Tensor
from gradcli.errors import AutogradError, ShapeError, UnsupportedHere
from gradcli.language.tree import Argument, Call
from gradcli.ops.indexing.gathering import taken
from gradcli.ops.support.arguments import Shape, check_size
from gradcli.ops.support.surface import operation

# torch's node names, with the number of padded dimensions
NODES = {"reflect": "ReflectionPad{}DBackward0", "replicate": "ReplicationPad{}DBackward0"}
KERNELS = {"reflect": "reflection_pad{}d", "replicate": "replication_pad{}d"}


def _padded(x: Any, *, pad: Shape, value: float = 0) -> Any:
    """Pad with a constant; `pad` holds two widths for each dimension, from the last one on."""
    missing = x.ndim - len(pad) // 2
    widths = [(0, 0)] * missing + list(zip(pad[-2::-2], pad[::-2], strict=True))
    kept = tuple(slice(max(-a, 0), n - max(-b, 0)) for (a, b), n in zip(widths, x.shape, strict=True))
    border = [(max(a, 0), max(b, 0)) for a, b in widths]
    return np.pad(np.ascontiguousarray(x[kept]), border, constant_values=value) if border else x.copy()


pad_constant: Primitive = structured(
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
    says="The border was added from outside, so its gradient is cut away and the rest goes back.",
    index=lambda out, x, *, pad, value=0: "" if value else ELSEWHERE,
)


def _sources(size: int, before: int, after: int, mode: str) -> Any:
    """Return the index of the input entry that each entry of a padded dimension copies."""
    places = np.arange(-before, size + after)
    if mode == "replicate":
        return np.clip(places, 0, size - 1)
    turned = np.abs(places)
    return np.where(turned >= size, 2 * (size - 1) - turned, turned)


def _continued(x: Tensor, pad: Shape, mode: str, value: float | None) -> Any:
    """Pad the last dimensions with the tensor's own entries."""
    count = len(pad) // 2
    AutogradError.when(value, f'Padding mode "{mode}" doesn\'t take in value argument')
    if count not in (1, 2, 3) or x.ndim not in (count + 1, count + 2):
        raise ShapeError(
            f"Padding size {len(pad)} is not supported for {x.ndim}D input tensor.\nSupported combinations for "
            "non-constant padding:\n  - 2D or 3D input: padding size = 2 (pads last dimension)\n  - 3D or 4D input: "
            "padding size = 4 (pads last 2 dimensions)\n  - 4D or 5D input: padding size = 6 (pads last 3 dimensions)"
        )
    if 0 in x.shape[-count - 1 :]:
        dims = (
            f"Expected {count + 1}D or {count + 2}D (batch mode) tensor with possibly 0 batch size and other non-zero"
        )
        raise ShapeError(f"{dims} dimensions for input, but got: {list(x.shape)}")
    widths, spatial = list(zip(pad[-2::-2], pad[::-2], strict=True)), x.shape[-count:]
    for axis, (size, (before, after)) in reversed(list(enumerate(zip(spatial, widths, strict=True)))):
        if mode == "reflect" and max(before, after) >= size:
            raise ShapeError(
                f"Argument #{2 * (count - axis) + 2}: Padding size should be less than the corresponding input "
                f"dimension, but got: padding ({before}, {after}) at dimension {x.ndim - count + axis} of input "
                f"{list(x.shape)}"
            )
        ShapeError.when(
            size + before + after < 1 or not size, f"input of size {list(x.shape)} is too small for this padding"
        )
        check_size((size + before + after,))
    check_size((*x.shape[:-count], *(size + sum(width) for size, width in zip(spatial, widths, strict=True))))
    if x.dtype == np.bool_:
        raise AutogradError(f"\"{KERNELS[mode].format(count)}\" not implemented for 'Bool'")
    sides = [_sources(size, *width, mode) for size, width in zip(spatial, widths, strict=True)]
    return taken(x, np.ravel_multi_index(np.ix_(*sides), spatial), count, NODES[mode].format(count), (0,))


@operation(
    "x = [[1, 2], [3, 4]]; pad(x, (1, 0))",
    "x = [[1, 2], [3, 4]]; pad(x, (-1, 0, 2, 1), value=5)",
    "x = [[1, 2], [3, 4]]; pad(x, (1, 1), mode='constant')",
    "x = [[1, 2, 5], [3, 4, 6]]; pad(x, (2, 1), mode='reflect')",
    "x = [[[1, 2], [3, 4]]]; pad(x, (1, 0, 2, 1), mode='replicate')",
    method=False,
)
def pad(input: Tensor, pad: Shape, mode: str = "constant", value: float | None = None) -> Any:
    """Add `pad` entries before and after each dimension, from the last one on; negative numbers crop."""
    if mode == "circular":
        raise UnsupportedHere("circular padding is not supported here", help="write cat with the ends of the tensor")
    if mode not in ("constant", *NODES):
        raise AutogradError(f"Unrecognised padding mode {mode}", help=f"the modes are constant, {', '.join(NODES)}")
    AutogradError.when(len(pad) % 2, "Padding length must be divisible by 2")
    if len(pad) > 2 * input.ndim:
        raise AutogradError(
            f"Padding length should be less than or equal to two times the input dimension but got padding length "
            f"{len(pad)} and input of dimension {input.ndim}"
        )
    if mode != "constant":
        return _continued(input, pad, mode, value)
    shape = list(input.shape)
    for position, width in enumerate(pad):
        shape[-1 - position // 2] += width
        ShapeError.when(
            min(input.shape[-1 - position // 2] + width, shape[-1 - position // 2]) < 0,
            "narrow(): length must be non-negative.",
        )
    check_size(tuple(shape))
    return pad_constant(input, pad=pad, value=0 if value is None else value)
