"""`F.interpolate`: resize rows and images."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradcli.engine.dtypes import TYPE_NAMES
from gradcli.engine.tensor import Tensor
from gradcli.errors import AutogradError
from gradcli.ops.windows.resampling import nearest, output_sizes, resampled
from gradcli.script.errors import UnsupportedError
from gradcli.script.torch.nn.functional.module import checked

_DIMENSIONS = {"nearest": (1, 2, 3), "nearest-exact": (1, 2, 3), "linear": (1,), "bilinear": (2,), "bicubic": (2,)}
NAMES = {
    (mode, n): f"Upsample{mode.title().replace('-', '')}{n}DBackward0"
    for mode, dimensions in {**_DIMENSIONS, "trilinear": (3,)}.items()
    for n in dimensions
}
KINDS = {"bicubic": "cubic", "bilinear": "linear", "trilinear": "linear"}
DIMENSIONS = {"linear": "3D", "bilinear": "4D", "bicubic": "4D", "trilinear": "5D"}


def _kernel(mode: str, input: Tensor) -> str:
    """Return the kernel of torch that would be reached."""
    if input.ndim == 4 and mode != "bicubic":
        return f"upsample_{mode.removesuffix('-exact')}2d_channels_last"
    return f"compute_indices_weights_{KINDS.get(mode, mode).removesuffix('-exact')}"


def interpolate(
    input: Tensor,
    size: Any = None,
    scale_factor: Any = None,
    mode: str = "nearest",
    align_corners: bool | None = None,
    recompute_scale_factor: bool | None = None,
    antialias: bool = False,
) -> Any:
    """Resize all dimensions behind the batch and the channels, to a size or by a factor."""
    if mode in ("nearest", "area", "nearest-exact") and align_corners is not None:
        raise ValueError(
            "align_corners option can only be set with the interpolating modes: linear | bilinear | bicubic | trilinear"
        )
    if antialias or mode == "lanczos":
        what = "antialias" if antialias else f"mode={mode!r}"
        raise UnsupportedError(f"interpolate with {what} is not supported here", help="bilinear is there, and bicubic")
    spatial = input.shape[2:]
    sizes, factors = _asked(spatial, size, scale_factor)
    if factors is not None:
        sizes = output_sizes(spatial, factors)
    scales = tuple(None if factors is None or recompute_scale_factor else 1 / factor for factor in factors or sizes)
    if min((*sizes, *spatial), default=1) < 1:
        words = f"Input and output sizes should be greater than 0, but got {list(spatial)} and {list(sizes)}"
        raise AutogradError(words, code="E301")
    if mode == "area" and len(spatial) in (1, 2):
        return checked(f"adaptive_avg_pool{len(spatial)}d")(input, sizes)
    name = NAMES.get((mode, len(spatial)))
    if name is None:
        raise _refused(mode, input.ndim)
    if input.dtype.kind in "bi":
        raise NotImplementedError(f"\"{_kernel(mode, input)}\" not implemented for '{TYPE_NAMES[input.dtype]}'")
    if mode.startswith("nearest"):
        return nearest(input, sizes, scales, mode == "nearest-exact", name)
    if input.dtype.kind == "u" or not np.all(np.isfinite(input.value)):  # torch weighs the neighbours alone
        what = "bytes" if input.dtype.kind == "u" else "numbers that are not finite"
        raise UnsupportedError(f"interpolate of {what} with mode={mode!r} is not supported here")
    kind = "cubic" if mode == "bicubic" else "linear"
    return resampled(input, kind, sizes, scales, bool(align_corners), name)


def _asked(spatial: tuple[int, ...], size: Any, factor: Any) -> tuple[Any, Any]:
    """Return the sizes or the factors, one for each dimension; the other is None."""
    if size is not None and factor is not None:
        raise ValueError("only one of size or scale_factor should be defined")
    if size is None and factor is None:
        raise ValueError("either size or scale_factor should be defined")
    wanted = factor if size is None else size
    if not isinstance(wanted, list | tuple):
        wanted = (wanted,) * len(spatial)
    if len(wanted) != len(spatial):
        start = "the same number of spatial dimensions, but got input with spatial dimensions of"
        form = "Please provide input tensor in (N, C, d1, d2, ...,dK) format and"
        other, shown = (
            ("scale_factor", f"scale_factor of shape {factor}")
            if size is None
            else ("output", f"output size of {size}")
        )
        end = "scale_factor in (s1, s2, ...,sK)" if size is None else "output size in (o1, o2, ...,oK)"
        raise ValueError(f"Input and {other} must have {start} {list(spatial)} and {shown}. {form} {end} format.")
    if size is not None and not all(isinstance(n, int) for n in wanted):
        raise UnsupportedError("interpolate to sizes that are no whole numbers is not supported here", python=TypeError)
    return (None, tuple(wanted)) if size is None else (tuple(wanted), None)


def _refused(mode: str, ndim: int) -> Exception:
    if mode in DIMENSIONS and 3 <= ndim <= 5:
        return NotImplementedError(f"Got {ndim}D input, but {mode} mode needs {DIMENSIONS[mode]} input")
    return NotImplementedError(
        "Input Error: Only 3D, 4D and 5D input Tensors supported (got "
        f"{ndim}D) for the modes: nearest | linear | bilinear | bicubic | trilinear | lanczos | area | nearest-exact "
        f"(got {mode})"
    )
