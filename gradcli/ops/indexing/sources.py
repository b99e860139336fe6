"""What is scattered: checks of its size, the part of it that is read, and the gradient of the rest."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradcli.engine.tensor import Tensor
from gradcli.errors import ShapeError
from gradcli.ops.indexing.indexing import cut
from gradcli.ops.indexing.places import check_places
from gradcli.ops.shaping.shaping import reshaped


def placing(x: Tensor, index: Tensor) -> Tensor:
    """Return the index; one without entries has the dimensions of what is written to, whatever it had."""
    return index if index.value.size else Tensor(np.zeros((0,) * max(x.ndim, 1), np.int64))


def scattering(x: Tensor, axis: int, index: Tensor, src: Any) -> Any:
    """Return the entries of `src` that go to the places of the index, after torch's checks; a scalar is a vector."""
    if not max(index.ndim, 1) == max(src.ndim, 1) == max(x.ndim, 1):
        other = "src" if max(index.ndim, 1) == max(x.ndim, 1) else "self"
        raise ShapeError(f"Index tensor must have the same number of dimensions as {other} tensor")
    wanted, given = index.shape or (1,), src.shape or (1,)
    fits = 0 in wanted or all(m <= n for m, n in zip(wanted, given, strict=True))
    beside = all(m <= n for at, (m, n) in enumerate(zip(index.shape, x.shape, strict=False)) if at != axis)
    ShapeError.when(
        not (fits and beside),
        f"Expected index {list(index.shape)} to be no larger than self {list(x.shape)} apart from dimension "
        f"{axis} and to be no larger size than src {list(src.shape)}",
    )
    check_places("scatter", x, axis, index)
    found = src if src.ndim or not index.ndim else reshaped(src, (1,))
    for dim, (size, length) in enumerate(zip(wanted, given, strict=True)):
        if size < length:
            found = cut(found, dim=dim, start=0, stop=size)
    return found if found.shape == index.shape else reshaped(found, index.shape)
