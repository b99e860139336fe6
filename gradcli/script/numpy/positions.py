"""Walks over the positions of arrays, as gradient checks by differences write them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from gradcli.script.errors import UnsupportedError
from gradcli.script.numpy.values import array, asarray
from gradcli.script.python.members.tables import describe, fields

FLAGS = ("multi_index", "c_index")
ACCESS = ("readonly", "readwrite")


def nditer(op: Any, flags: Sequence[Any] = (), op_flags: Any = ("readonly",)) -> np.nditer:
    """Walk over the entries of an array, in the order of its memory, at `it.multi_index`; `it.iternext()` goes on."""
    other = [flag for flag in (*flags, *op_flags) if flag not in FLAGS + ACCESS]
    if other or isinstance(op, tuple):
        shown = repr(other[0]) if other else "several arrays"
        raise UnsupportedError(
            f"numpy.nditer is not supported with {shown}", help="there are one array, multi_index and readwrite"
        )
    return np.nditer(asarray(op), list(flags), [op_flags])


def ndindex(*shape: Any) -> Iterator[tuple[int, ...]]:
    """Walk over the positions of a shape, row by row: `np.ndindex(2, 3)` or `np.ndindex(x.shape)`."""
    sizes = shape[0] if len(shape) == 1 and not isinstance(shape[0], int) else shape
    return iter(np.ndindex(*map(int, sizes)))


def ndenumerate(arr: Any) -> Iterator[tuple[tuple[int, ...], Any]]:
    """Walk over the entries of an array, each with its position."""
    return iter(np.ndenumerate(array(arr, copy=None)))


describe(np.nditer, methods={"iternext": np.nditer.iternext}, getters=fields("finished multi_index index"))
WALKS = {"nditer": nditer, "ndindex": ndindex, "ndenumerate": ndenumerate}
