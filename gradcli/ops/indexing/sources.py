"""What is scattered: checks of its size, the part of it that is read, and the gradient of the rest."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradcli.engine.checks.shapes import broadcastable, mismatch
from gradcli.engine.graph import Node
from gradcli.engine.modes import mode
from gradcli.engine.tensor import Tensor
from gradcli.errors import AutogradError
from gradcli.ops.indexing.indexing import cut
from gradcli.ops.indexing.places import check_places
from gradcli.ops.shaping.shaping import reshaped
from gradcli.ops.support.covering import one_way


def placing(x: Tensor, index: Tensor) -> Tensor:
    """Return the index; one without entries has the dimensions of what is written to, whatever it had."""
    return index if index.value.size else Tensor(np.zeros((0,) * max(x.ndim, 1), np.int64))


def placed(found: Any, x: Tensor, index: Tensor, src: Tensor, *, compared: bool = False) -> Any:
    """Return the result in one node, which refuses the gradient of a larger source: torch has one of the part read.

    `compared`: torch compares the whole source with what is at the index, which may not fit.
    """
    result = found
    same = (index.shape or (1,)) == (src.shape or (1,)) and src.ndim <= index.ndim
    if same or not mode.strict or not isinstance(result.node, Node) or not (src.requires_grad or compared):
        return result
    read = np.broadcast_to(0.0, index.shape)
    if not compared:
        name = result.node.primitive.node.rpartition("::")[2]
        words = f"Function {name} returned an invalid gradient at index 1 - got {list(index.shape)}"
        return one_way(result, f"{words} but expected shape compatible with {list(src.shape)}")
    if broadcastable([src.value, read]):
        raise AutogradError("the gradient of a source larger than the index is not supported here", code="E401")
    return one_way(result, str(mismatch([src.value, read])))


def scattering(x: Tensor, axis: int, index: Tensor, src: Any) -> Any:
    """Return the entries of `src` that go to the places of the index, after torch's checks; a scalar is a vector."""
    if not max(index.ndim, 1) == max(src.ndim, 1) == max(x.ndim, 1):
        other = "src" if max(index.ndim, 1) == max(x.ndim, 1) else "self"
        raise AutogradError(f"Index tensor must have the same number of dimensions as {other} tensor", code="E301")
    wanted, given = index.shape or (1,), src.shape or (1,)
    fits = 0 in wanted or all(m <= n for m, n in zip(wanted, given, strict=True))
    beside = all(m <= n for at, (m, n) in enumerate(zip(index.shape, x.shape, strict=False)) if at != axis)
    if not (fits and beside):
        raise AutogradError(
            f"Expected index {list(index.shape)} to be no larger than self {list(x.shape)} apart from dimension "
            f"{axis} and to be no larger size than src {list(src.shape)}",
            code="E301",
        )
    check_places("scatter", x, axis, index)
    found = src if src.ndim or not index.ndim else reshaped(src, (1,))
    for dim, (size, length) in enumerate(zip(wanted, given, strict=True)):
        if size < length:
            found = cut(found, dim=dim, start=0, stop=size)
    return found if found.shape == index.shape else reshaped(found, index.shape)
