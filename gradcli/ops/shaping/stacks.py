"""Tensors put together as rows, columns and grids, and taken apart in parts of nearly equal size."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gradcli.engine.broadcast import expand
from gradcli.engine.checks.shapes import broadcast_shapes, check_together
from gradcli.engine.tensor import Tensor
from gradcli.errors import AutogradError, UnsupportedHere
from gradcli.ops.shaping.joining import cat_
from gradcli.ops.shaping.shaping import reshape, reshaped, unsqueeze
from gradcli.ops.support.arguments import Tensors, all_of, check_size
from gradcli.ops.support.surface import operation


def _raised(x: Any, ndim: int) -> Any:
    """Add dimensions of size 1 where torch adds them."""
    if x.ndim >= ndim:
        return x
    if not x.ndim:
        return reshape(x, shape=(1,) * ndim)
    if x.ndim == 1 and ndim >= 2:
        x = unsqueeze(x, dim=0)
    return unsqueeze(x, dim=2) if ndim == 3 and x.ndim == 2 else x


def _some(name: str, tensors: Sequence[Tensor]) -> Sequence[Tensor]:
    AutogradError.when(not tensors, f"{name} expects a non-empty TensorList")
    return tensors


@operation("x = [1, 2]; y = [3]; hstack((x, y))", "A = [[1], [2]]; B = [[3], [4]]; hstack([A, B])", method=False)
def hstack(tensors: Sequence[Tensor]) -> Any:
    """The tensors side by side, column after column; vectors one after the other."""
    parts = [_raised(x, 1) for x in _some("hstack", tensors)]
    return cat_(parts, 0 if parts[0].ndim == 1 else 1)


@operation("x = [1, 2]; y = [3, 4]; vstack((x, y))", aliases=["row_stack"], method=False)
def vstack(tensors: Sequence[Tensor]) -> Any:
    """The tensors below each other; vectors as rows."""
    return cat_([_raised(x, 2) for x in _some("vstack", tensors)], 0)


@operation("x = [1, 2]; A = [[3, 4], [5, 6]]; column_stack((x, A))", method=False)
def column_stack(tensors: Sequence[Tensor]) -> Any:
    """The tensors side by side; vectors as columns."""
    columns = [reshaped(x, (x.value.size, 1)) if x.ndim < 2 else x for x in _some("column_stack", tensors)]
    return cat_(columns, 1)


@operation(
    "x = [1, 2]; y = 3; broadcast_tensors(x, y)[1]", "x = [1, 2]; y = 3; broadcast_tensors(x, y)[0]*x", method=False
)
def broadcast_tensors(*tensors: Tensors) -> tuple[Any, ...]:
    """The tensors, each expanded to the shape of all."""
    parts = all_of(tensors)
    check_together(*(x.value for x in parts))
    shape = broadcast_shapes(*(x.shape for x in parts))
    check_size(shape)
    return tuple(x if x.shape == shape else expand(x, size=shape) for x in parts)


@operation(
    "x = [1, 2]; y = [3, 4, 5]; meshgrid(x, y, indexing='ij')[0]",
    "x = [1, 2]; y = [3, 4, 5]; meshgrid(x, y, indexing='xy')[1]",
    method=False,
)
def meshgrid(*tensors: Tensors, indexing: str = "ij") -> tuple[Any, ...]:
    """The coordinates of the points of a grid; 'xy' lets the first vary along the columns."""
    parts = all_of(tensors)
    AutogradError.when(
        indexing not in ("ij", "xy"), f'torch.meshgrid: indexing must be one of "xy" or "ij", but received: {indexing}'
    )
    AutogradError.when(not parts, "meshgrid expects a non-empty TensorList")
    for x in parts:
        UnsupportedHere.when(x.ndim > 1, f"a grid of a tensor of {x.ndim} dimensions is not supported here")
    axes = list(range(len(parts)))
    if indexing == "xy" and len(parts) > 1:
        axes[:2] = 1, 0
    sizes = {axis: x.value.size for axis, x in zip(axes, parts, strict=True)}
    shape = tuple(sizes[axis] for axis in range(len(parts)))
    check_size(shape)
    return tuple(
        expand(reshape(x, shape=tuple(size if at == axis else 1 for at, size in enumerate(shape))), size=shape)
        for axis, x in zip(axes, parts, strict=True)
    )
