"""What is switched on: recording of graphs (torch's grad mode), the dtype of a plain number, the largest result, and
whether products of matrices refuse integers beside floating point numbers.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np


class Mode:
    """The one mutable object of the engine; read on every operation, so a plain attribute."""

    __slots__ = ("default_dtype", "grad_enabled", "inference", "largest", "strict")

    def __init__(self) -> None:
        self.grad_enabled = True
        self.inference = False  # torch's inference mode: results have no version, and no graph may save them
        self.default_dtype: np.dtype[np.floating] = np.dtype(np.float64)
        self.strict = False  # torch asks its users to convert integers; numbers in an expression need not be
        self.largest = 2**24  # entries of one result; more is a slip, and not worth a machine out of memory


mode = Mode()


@contextmanager
def set_grad_enabled(enabled: bool) -> Iterator[None]:
    """Record graphs, or do not, inside the block."""
    before, mode.grad_enabled = mode.grad_enabled, enabled
    try:
        yield
    finally:
        mode.grad_enabled = before


def no_grad() -> object:
    """A context in which results do not require grad."""
    return set_grad_enabled(False)


def enable_grad() -> object:
    """A context in which graphs are recorded again."""
    return set_grad_enabled(True)


@contextmanager
def default_dtype(dtype: np.dtype[np.floating]) -> Iterator[None]:
    """The dtype that plain numbers become inside the block."""
    before, mode.default_dtype = mode.default_dtype, dtype
    try:
        yield
    finally:
        mode.default_dtype = before
