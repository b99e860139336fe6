"""`F.interpolate`: resize rows and images."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from gradcli.engine.dtypes import TYPE_NAMES
from gradcli.engine.tensor import Tensor
from gradcli.errors import AutogradError
from gradcli.ops.windows.resampling import nearest, output_sizes, resampled
from gradcli.script.errors import UnsupportedError
from gradcli.script.torch.nn.functional.module import checked
from gradcli.script.torch.nn.functional.pools import adaptive_avg_pool3d
from gradcli.script.torch.operations.readers import kind_name

NAMES = {
    ("nearest", 1): "UpsampleNearest1DBackward0",
    ("nearest", 2): "UpsampleNearest2DBackward0",
    ("nearest", 3): "UpsampleNearest3DBackward0",
    ("nearest-exact", 1): "UpsampleNearestExact1DBackward0",
    ("nearest-exact", 2): "UpsampleNearestExact2DBackward0",
    ("nearest-exact", 3): "UpsampleNearestExact3DBackward0",
    ("linear", 1): "UpsampleLinear1DBackward0",
    ("bilinear", 2): "UpsampleBilinear2DBackward0",
    ("trilinear", 3): "UpsampleTrilinear3DBackward0",
}
KINDS = {"bilinear": "linear", "trilinear": "linear"}
DIMENSIONS = {"linear": "3D", "bilinear": "4D", "trilinear": "5D"}


def _kernel(mode: str, input: Tensor) -> str:
    """Return the kernel of torch that would be reached."""
    if input.ndim == 4:
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
    if antialias or mode in ("bicubic", "lanczos"):
        what = "antialias" if antialias else f"mode={mode!r}"
        raise UnsupportedError(f"interpolate with {what} is not supported here", help="bilinear is there")
    spatial = input.shape[2:]
    sizes, factors = _asked(spatial, size, scale_factor)
    if factors is not None:
        sizes = output_sizes(spatial, factors)
    scales = tuple(None if factors is None or recompute_scale_factor else 1 / factor for factor in factors or sizes)
    if min((*sizes, *spatial), default=1) < 1:
        names = "DHW"[-len(spatial) :] if len(spatial) < 4 else ""
        given, found = (
            ", ".join(f"{name}: {n}" for name, n in zip(names, side, strict=False)) for side in (spatial, sizes)
        )
        both = f"input ({given}) {'and ' if len(spatial) == 1 else ''}output ({found})"
        raise AutogradError(f"Input and output sizes should be greater than 0, but got {both}", code="E301")
    if mode == "area" and len(spatial) in (1, 2):
        return checked(f"adaptive_avg_pool{len(spatial)}d")(input, sizes)
    if mode == "area" and len(spatial) == 3:
        return adaptive_avg_pool3d(input, sizes)
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
    return resampled(input, sizes, scales, bool(align_corners), name)


def _asked(spatial: tuple[int, ...], size: Any, factor: Any) -> tuple[Any, Any]:
    """Return the sizes or the factors, one for each dimension; the other is None."""
    if size is not None and factor is not None:
        raise ValueError("only one of size or scale_factor should be defined")
    if size is None and factor is None:
        raise ValueError("either size or scale_factor should be defined")
    given = factor if size is None else size
    if not isinstance(given, list | tuple):
        given = (given,) * len(spatial)
    if len(given) != len(spatial):
        start = "the same number of spatial dimensions, but got input with spatial dimensions of"
        form = "Please provide input tensor in (N, C, d1, d2, ...,dK) format and"
        if size is None:
            raise ValueError(
                f"Input and scale_factor must have {start} {list(spatial)} and scale_factor of shape {factor}. {form} "
                "scale_factor in (s1, s2, ...,sK) format."
            )
        raise ValueError(
            f"Input and output must have {start} {list(spatial)} and output size of {size}. {form} output size in "
            "(o1, o2, ...,oK) format."
        )
    if size is not None and not all(isinstance(n, int) for n in given):
        kinds = ", ".join(f"<class '{kind_name(n)}'>" for n in given)
        raise TypeError(
            "expected size to be one of int or Tuple[int] or Tuple[int, int] or Tuple[int, int, int], but got size "
            f"with types [{kinds}]"
        )
    return (None, tuple(given)) if size is None else (tuple(given), None)


def _refused(mode: str, ndim: int) -> Exception:
    if mode in DIMENSIONS and 3 <= ndim <= 5:
        return NotImplementedError(f"Got {ndim}D input, but {mode} mode needs {DIMENSIONS[mode]} input")
    return NotImplementedError(
        "Input Error: Only 3D, 4D and 5D input Tensors supported (got "
        f"{ndim}D) for the modes: nearest | linear | bilinear | bicubic | trilinear | lanczos | area | nearest-exact "
        f"(got {mode})"
    )


def upsample(
    input: Tensor, size: Any = None, scale_factor: Any = None, mode: str = "nearest", align_corners: bool | None = None
) -> Any:
    _warn_of("upsample")
    return interpolate(input, size, scale_factor, mode, align_corners)


def _warn_of(name: str) -> None:
    words = f"`nn.functional.{name}` is deprecated. Use `nn.functional.interpolate` instead."
    warnings.warn(words, UserWarning, stacklevel=3)


def upsample_nearest(input: Tensor, size: Any = None, scale_factor: Any = None) -> Any:
    _warn_of("upsample_nearest")
    return interpolate(input, size, scale_factor, "nearest")


def upsample_bilinear(input: Tensor, size: Any = None, scale_factor: Any = None) -> Any:
    _warn_of("upsample_bilinear")
    return interpolate(input, size, scale_factor, "bilinear", True)
