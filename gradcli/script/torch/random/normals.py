"""The Box-Muller transformation: normal numbers of uniform ones."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]


def standard_normals(uniforms: Array) -> Array:
    """Make normal numbers of uniform ones in [0, 1), in blocks of 16 as torch does: eight radii with eight angles."""
    blocks = uniforms.reshape(-1, 2, 8)
    radius = np.sqrt(-2 * each(math.log, 1 - blocks[:, 0]))
    angle = uniforms.dtype.type(2 * math.pi) * blocks[:, 1]  # which torch rounds before it asks for the cosine
    normals = np.stack([radius * each(math.cos, angle), radius * each(math.sin, angle)], axis=1)
    return normals.reshape(uniforms.shape).astype(uniforms.dtype)


def each(function: Callable[[float], float], values: Array) -> Array:
    """Apply a function of the C library to every entry; numpy's own sometimes differ in the last digit."""
    return np.fromiter(map(function, values.ravel().tolist()), np.float64, values.size).reshape(values.shape)
