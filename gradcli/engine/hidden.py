"""A value that does not show its numbers: what comes of it is the same for all numbers, or nothing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

Array = Any  # of numpy
LAYOUT = ("dtype", "flags", "itemsize", "nbytes", "ndim", "shape", "size", "strides")
ALIKE = (np.empty_like, np.full_like, np.ones_like, np.zeros_like, np.ndim, np.shape, np.size)  # by the layout alone


class Hidden:
    """A value of which a program may know the shape and the layout, and nothing else: all else is an AttributeError."""

    __slots__ = ("array",)

    def __init__(self, array: Array) -> None:
        self.array = array

    def __getattr__(self, name: str) -> Any:
        if name in LAYOUT:
            return getattr(self.array, name)
        raise AttributeError(f"{name} of a hidden value")

    def __len__(self) -> int:
        return len(self.array)

    def __bool__(self) -> bool:
        raise AttributeError("the truth of a hidden value")

    def __array_function__(self, function: Callable[..., Any], _: Any, arguments: Any, options: Any) -> Any:
        if function not in ALIKE:
            raise AttributeError(f"{function.__name__} of a hidden value")
        return function(self.array, *arguments[1:], **options)

    def __array__(self, *arguments: Any, **options: Any) -> Array:
        raise AttributeError("the numbers of a hidden value")


def layout(value: Any) -> Array:
    """Return an array of the layout of a value, for questions that do not depend on numbers."""
    return value.array if type(value) is Hidden else value
