"""`torch.unsafe_split` and `torch.unsafe_chunk`."""

from __future__ import annotations

from itertools import accumulate, pairwise
from typing import Any

from gradcli.engine.checks.shapes import dimension
from gradcli.engine.primitive import Primitive
from gradcli.engine.tensor import Tensor
from gradcli.ops.shaping.joining import unsafe_part, unsafe_part_with_sizes
from gradcli.ops.support.calling import ops
from gradcli.ops.support.several import bound


def unsafe_chunk(input: Tensor, chunks: int, dim: int = 0) -> Any:
    parts = ops.chunk(input.detach(), chunks, dim)
    along = input.shape[dimension(dim, input.ndim)]
    return _unsafe(unsafe_part if along else unsafe_part_with_sizes, input, parts, dim)


def unsafe_split(input: Tensor, split_size: Any, dim: int = 0) -> Any:
    part = unsafe_part if isinstance(split_size, int) else unsafe_part_with_sizes
    return _unsafe(part, input, ops.split(input.detach(), split_size, dim), dim)


def unsafe_split_with_sizes(input: Tensor, split_sizes: Any, dim: int = 0) -> Any:
    return unsafe_split(input, tuple(split_sizes), dim)


def _unsafe(part: Primitive, input: Tensor, parts: Any, dim: int) -> Any:
    """Return the parts on the same memory, but not as views, so that they may be changed."""
    axis = dimension(dim, input.ndim)
    ends = accumulate((x.shape[axis] for x in parts), initial=0)
    return bound(part(input, dim=axis, start=i, stop=j, index=n) for n, (i, j) in enumerate(pairwise(ends)))
