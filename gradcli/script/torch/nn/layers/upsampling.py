"""Modules that make images larger."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradcli.engine.tensor import Tensor
from gradcli.errors import AutogradError
from gradcli.ops.indexing.entries import taken
from gradcli.script.torch.nn.base.base import Module
from gradcli.script.torch.nn.functional.interpolation import interpolate
from gradcli.script.torch.nn.functional.module import operation


class Upsample(Module):
    """To a size, or by a factor."""

    __module__ = "torch.nn.modules.upsampling"

    def __init__(
        self,
        size: Any = None,
        scale_factor: Any = None,
        mode: str = "nearest",
        align_corners: bool | None = None,
        recompute_scale_factor: bool | None = None,
    ) -> None:
        super().__init__()
        self.name = type(self).__name__
        self.size, self.mode, self.align_corners = size, mode, align_corners
        self.recompute_scale_factor = recompute_scale_factor
        self.scale_factor: Any = None
        if scale_factor:
            each = isinstance(scale_factor, tuple)
            self.scale_factor = tuple(map(float, scale_factor)) if each else float(scale_factor)

    def forward(self, input: Tensor) -> Any:
        sizes = (self.size, self.scale_factor)
        return interpolate(input, *sizes, self.mode, self.align_corners, self.recompute_scale_factor)

    def extra_repr(self) -> str:
        if self.scale_factor is None:
            return f"size={self.size!r}, mode={self.mode!r}"
        return f"scale_factor={self.scale_factor!r}, mode={self.mode!r}"


class UpsamplingNearest2d(Upsample):
    __module__ = "torch.nn.modules.upsampling"

    def __init__(self, size: Any = None, scale_factor: Any = None) -> None:
        super().__init__(size, scale_factor)


class UpsamplingBilinear2d(Upsample):
    __module__ = "torch.nn.modules.upsampling"

    def __init__(self, size: Any = None, scale_factor: Any = None) -> None:
        super().__init__(size, scale_factor, "bilinear", True)


class PixelShuffle(Module):
    """Groups of channels folded out into squares of pixels."""

    __module__ = "torch.nn.modules.pixelshuffle"

    def __init__(self, upscale_factor: int) -> None:
        super().__init__()
        self.upscale_factor = upscale_factor

    def forward(self, input: Tensor) -> Any:
        return operation("pixel_shuffle")(input, self.upscale_factor)

    def extra_repr(self) -> str:
        return f"upscale_factor={self.upscale_factor}"


class PixelUnshuffle(Module):
    """Squares of pixels folded into channels."""

    __module__ = "torch.nn.modules.pixelshuffle"

    def __init__(self, downscale_factor: int) -> None:
        super().__init__()
        self.downscale_factor = downscale_factor

    def forward(self, input: Tensor) -> Any:
        return operation("pixel_unshuffle")(input, self.downscale_factor)

    def extra_repr(self) -> str:
        return f"downscale_factor={self.downscale_factor}"


def channel_shuffle(input: Tensor, groups: int) -> Any:
    """The channels of all groups in turn."""
    channels = input.shape[1] if input.ndim > 2 else 0
    if input.ndim < 3:
        raise AutogradError(
            f"channel_shuffle expects input with > 2 dims, but got input with sizes {list(input.shape)}", code="E301"
        )
    if groups < 1:
        raise AutogradError(
            f"Number of groups to divide channels in must be positive. Value of groups:{groups}", code="E301"
        )
    if channels % groups:
        raise AutogradError(
            f"Number of channels must be divisible by groups. Got {channels} channels and {groups} groups.", code="E301"
        )
    order = np.arange(channels).reshape(groups, channels // groups).T.ravel()
    rest = int(np.prod(input.shape[2:]))
    places = np.arange(channels * rest).reshape(channels, *input.shape[2:])[order]
    return taken(input, places, input.ndim - 1, "NativeChannelShuffleBackward0")


class ChannelShuffle(Module):
    __module__ = "torch.nn.modules.channelshuffle"

    def __init__(self, groups: int) -> None:
        super().__init__()
        self.groups = groups

    def forward(self, input: Tensor) -> Any:
        return channel_shuffle(input, self.groups)

    def extra_repr(self) -> str:
        return f"groups={self.groups}"
