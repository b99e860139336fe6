"""Layers that enlarge images or exchange channels and pixels."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradcli.engine.tensor import Tensor
from gradcli.errors import AutogradError
from gradcli.ops.indexing.entries import taken
from gradcli.script.torch.nn.base.configured import Configured


class Upsample(Configured):
    """A layer that resizes its input to a size, or by a factor."""

    __module__ = "torch.nn.modules.upsampling"
    _function = "interpolate"
    _signature = "size=None, scale_factor=None, mode='nearest', align_corners=None, recompute_scale_factor=None"
    scale_factor: Any

    def _settle(self) -> None:
        self.name, factor = type(self).__name__, self.scale_factor
        self.scale_factor = None
        if factor:
            self.scale_factor = tuple(map(float, factor)) if isinstance(factor, tuple) else float(factor)

    def extra_repr(self) -> str:
        shown = "size" if self.scale_factor is None else "scale_factor"
        return f"{shown}={getattr(self, shown)!r}, mode={self.mode!r}"


class UpsamplingNearest2d(Upsample):
    __module__ = "torch.nn.modules.upsampling"

    def __init__(self, size: Any = None, scale_factor: Any = None) -> None:
        super().__init__(size, scale_factor)


class UpsamplingBilinear2d(Upsample):
    __module__ = "torch.nn.modules.upsampling"

    def __init__(self, size: Any = None, scale_factor: Any = None) -> None:
        super().__init__(size, scale_factor, "bilinear", True)


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
    return taken(input, places, input.ndim - 1, "ChannelShuffleBackward0")


class ChannelShuffle(Configured):
    """The channels of all groups in turn."""

    __module__ = "torch.nn.modules.channelshuffle"
    _function, _signature, _text = "channel_shuffle", "groups", "groups={groups}"
