"""The parts of the gates of recurrent layers, which torch makes by `unsafe_chunk`."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from gradcli.engine.checks.shapes import dimension
from gradcli.engine.graph import join
from gradcli.engine.tensor import Tensor
from gradcli.ops.shaping.joining import unsafe_part


def unsafe_chunk(input: Tensor, chunks: int, dim: int = 0) -> Any:
    """Return equal parts on the same memory, but not as views, so that they may be changed."""
    axis = dimension(dim, input.ndim)
    ends = range(0, input.shape[axis] + 1, input.shape[axis] // chunks)
    return join(unsafe_part(input, dim=axis, start=i, stop=j, index=n) for n, (i, j) in enumerate(pairwise(ends)))
