"""Dropout: entries that are left out at random while a network trains."""

from __future__ import annotations

from typing import Any

from gradcli.script.torch.nn.base.base import Module
from gradcli.script.torch.nn.functional import noise


class Dropping(Module):
    """What all kinds have in common: a probability, and nothing to do after training."""

    def __init__(self, p: float = 0.5, inplace: bool = False) -> None:
        super().__init__()
        noise.check_chance(p)
        self.p, self.inplace = p, inplace

    def forward(self, input: Any) -> Any:
        return self._dropped(input, self.p, self.training, self.inplace)

    def _dropped(self, input: Any, p: float, training: bool, inplace: bool) -> Any:
        raise NotImplementedError

    def extra_repr(self) -> str:
        return f"p={self.p}, inplace={self.inplace}"


Dropping.__init__.__qualname__ = "_DropoutNd.__init__"  # what torch's errors call it


class Dropout(Dropping):
    """Each entry 0 with probability `p`."""

    __module__ = "torch.nn.modules.dropout"
    _dropped = staticmethod(noise.dropout)


class Dropout1d(Dropping):
    """Whole channels of rows."""

    __module__ = "torch.nn.modules.dropout"
    _dropped = staticmethod(noise.dropout1d)


class Dropout2d(Dropping):
    """Whole channels of images."""

    __module__ = "torch.nn.modules.dropout"
    _dropped = staticmethod(noise.dropout2d)


class Dropout3d(Dropping):
    """Whole channels of volumes."""

    __module__ = "torch.nn.modules.dropout"
    _dropped = staticmethod(noise.dropout3d)


class AlphaDropout(Dropping):
    """Entries at the far end of SELU."""

    __module__ = "torch.nn.modules.dropout"

    def _dropped(self, input: Any, p: float, training: bool, inplace: bool) -> Any:
        return noise.alpha_dropout(input, p, training)  # torch passes inplace to no one


class FeatureAlphaDropout(Dropping):
    """Whole channels at the far end of SELU."""

    __module__ = "torch.nn.modules.dropout"
    _dropped = staticmethod(noise.feature_alpha_dropout)
