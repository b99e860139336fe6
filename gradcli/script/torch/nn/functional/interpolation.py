"""`F.interpolate`: resize rows and images, by the nearest entry or between the nearest ones."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradcli.engine.tensor import Tensor
from gradcli.errors import AutogradError
from gradcli.ops.windows.resampling import nearest, output_sizes, resampled
from gradcli.script.errors import UnsupportedError
from gradcli.script.python.members.absence import without

DIMENSIONS = {"nearest": (1, 2, 3), "linear": (1,), "bilinear": (2,)}


@without("recompute_scale_factor antialias")
def interpolate(
    input: Tensor,
    size: Any = None,
    scale_factor: Any = None,
    mode: str = "nearest",
    align_corners: bool | None = None,
) -> Any:
    """Resize all dimensions behind the batch and the channels, to a size or by a factor."""
    if mode == "nearest" and align_corners is not None:
        raise ValueError("align_corners option can only be set with the interpolating modes")
    spatial = input.shape[2:]
    if len(spatial) not in DIMENSIONS.get(mode, ()):
        words = f"interpolate of {len(spatial)} dimensions with mode={mode!r} is not supported here"
        raise UnsupportedError(words, help="there are nearest, linear for rows and bilinear for images")
    sizes, factors = _asked(spatial, size, scale_factor)
    if factors is not None:
        sizes = output_sizes(spatial, factors)
    scales = tuple(None if factors is None else 1 / factor for factor in factors or sizes)
    if min((*sizes, *spatial), default=1) < 1:
        words = f"Input and output sizes should be greater than 0, but got {list(spatial)} and {list(sizes)}"
        raise AutogradError(words, code="E301")
    name = f"Upsample{mode.title()}{len(spatial)}DBackward0"
    if mode == "nearest":
        return nearest(input, sizes, scales, name)
    if input.dtype.kind != "f" or not np.all(np.isfinite(input.value)):  # torch weighs the neighbours alone
        what = "whole numbers" if input.dtype.kind != "f" else "numbers that are not finite"
        raise UnsupportedError(f"interpolate of {what} with mode={mode!r} is not supported here")
    return resampled(input, sizes, scales, bool(align_corners), name)


def _asked(spatial: tuple[int, ...], size: Any, factor: Any) -> tuple[Any, Any]:
    """Return the sizes or the factors, one for each dimension; the other is None."""
    if (size is None) is (factor is None):
        raise ValueError("one of size and scale_factor should be defined")
    wanted = factor if size is None else size
    wanted = tuple(wanted) if isinstance(wanted, list | tuple) else (wanted,) * len(spatial)
    name = "scale_factor" if size is None else "size"
    if len(wanted) != len(spatial):
        raise ValueError(f"{name} should have {len(spatial)} numbers, one for each of {list(spatial)}, not {wanted}")
    if size is not None and not all(isinstance(n, int) for n in wanted):
        raise UnsupportedError("interpolate to sizes that are no whole numbers is not supported here", python=TypeError)
    return (None, wanted) if size is None else (wanted, None)
