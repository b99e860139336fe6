"""Padding, by a constant or by own entries, and resizing, to nearest neighbours or by linear interpolation.

A negative width crops, which is the adjoint. Interpolation multiplies every dimension by a matrix; the gradient
multiplies by the transposed matrices.
"""

from __future__ import annotations

import math
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np

from gradcli.engine.primitive import Primitive, structured
from gradcli.engine.recorder import with_origin
from gradcli.engine.symbolic.formula import literal
from gradcli.engine.symbolic.indices import ELSEWHERE
from gradcli.engine.tensor import Tensor
from gradcli.errors import AutogradError, ShapeError, UnsupportedHere
from gradcli.language.tree import Argument, Call
from gradcli.ops.indexing.gathering import take_entries
from gradcli.ops.shaping.shaping import transpose
from gradcli.ops.support.arguments import Real, Shape, check_size
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
    stacked=(),
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
    return take_entries(x, np.ravel_multi_index(np.ix_(*sides), spatial), count, NODES[mode].format(count), (0,))


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


def _turned(matrix: Any) -> Any:
    return transpose(matrix, dim0=0, dim1=1)


resample: Primitive = structured(
    "resample",
    lambda x, down, across: down @ x @ across.T,
    lambda g, out, x, down, across: resample(g, _turned(down), _turned(across)),
    says="Each result mixes nearby entries, which get the gradient with the same weights.",
)


@cache
def _named(node: str) -> Primitive:
    return replace(resample, node=node, saves=None)


@operation("x = [[[1, 2], [3, 5]]]; resample(x, [[1, 0], [0.5, 0.5], [0, 1]], [[1, 0], [0, 1]])", method=False)
def apply_resample(input: Real, down: Tensor, across: Tensor) -> Any:
    """Each image times a matrix from the left for its columns, and one from the right for its rows."""
    ShapeError.when(
        down.ndim != 2 or across.ndim != 2 or input.shape[-2:] != (down.shape[1], across.shape[1]),
        f"matrices of shapes {down.shape} and {across.shape} do not fit images of shape {input.shape}",
    )
    check_size((*input.shape[:-2], down.shape[0], across.shape[0]))
    check_size((*input.shape[:-2], down.shape[0], input.shape[-1]))  # `down @ x` comes first
    matrices = (with_origin(Tensor(x.value.astype(input.dtype)), x) for x in (down, across))
    return resample(input, *matrices)


def _centres(size: int, outputs: int, scale: float | None, align_corners: bool, dtype: Any) -> Any:
    """Return the coordinates of the output entries among the input entries."""
    places = np.arange(outputs, dtype=dtype)
    if align_corners:
        return places * dtype((size - 1) / (outputs - 1) if outputs > 1 else 0)
    return (places + dtype(0.5)) * dtype(scale or size / outputs) - dtype(0.5)


def weights(size: int, outputs: int, scale: float | None, align_corners: bool, dtype: Any) -> Any:
    """Return the matrix from `size` entries to `made` ones; `scale` is the spacing of the outputs, if given."""
    out = np.zeros((outputs, size), dtype)
    centres = np.maximum(_centres(size, outputs, scale, align_corners, dtype), 0)
    first = np.minimum(centres.astype(int), size - 1)
    share = np.clip(centres - first, 0, 1).astype(dtype)
    for offset, part in ((0, 1 - share), (1, share)):
        np.add.at(out, (np.arange(outputs), np.minimum(first + offset, size - 1)), part)
    return out


def resize_axes(x: Tensor, sizes: Shape, scales: tuple[float | None, ...], align_corners: bool, node: str) -> Any:
    """Resize rows (one size) or images (two), recorded as a node of the given name."""
    dtype = x.dtype.type
    spatial = x.shape[-len(sizes) :]
    check_size((*x.shape[: -len(sizes)], *sizes))
    check_size((*x.shape[: -len(sizes)], *sizes[:-1], x.shape[-1]))  # `down @ x` comes first
    for old, new in zip(spatial, sizes, strict=True):
        check_size((old, new))
    sides = zip(spatial, sizes, scales, strict=True)
    matrices = [Tensor(weights(*side, align_corners, dtype)) for side in sides]
    if len(sizes) == 1:
        check_size((x.shape[-2], x.shape[-2]))
        matrices.insert(0, Tensor(np.eye(x.shape[-2], dtype=dtype)))
    return _named(node)(x, *matrices)


def nearest(x: Tensor, sizes: Shape, scales: tuple[float | None, ...], node: str) -> Any:
    """Resize so that each output is the input entry in which it lies."""
    check_size((*x.shape[: -len(sizes)], *sizes))
    spatial = x.shape[-len(sizes) :]
    sides = []
    for old, new, scale in zip(spatial, sizes, scales, strict=True):
        step = np.float32(scale or old / new)
        starts = np.arange(new, dtype=np.float32) * step
        sides.append(np.minimum(starts.astype(int), old - 1))
    return take_entries(x, np.ravel_multi_index(np.ix_(*sides), spatial), len(sizes), node)


def output_sizes(spatial: Shape, factors: tuple[float, ...]) -> Shape:
    return tuple(math.floor(n * factor) for n, factor in zip(spatial, factors, strict=True))
