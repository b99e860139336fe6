"""Dropout: entries that are left out at random while a network trains."""

from __future__ import annotations

from typing import Any

from gradcli.script.torch.nn import functional
from gradcli.script.torch.nn.base import Module


class Dropout(Module):
    """Each entry 0 with probability `p` while training; nothing afterwards."""

    __module__ = "torch.nn.modules.dropout"
    _function = staticmethod(functional.dropout)

    def __init__(self, p: float = 0.5, inplace: bool = False) -> None:
        super().__init__()
        if p < 0 or p > 1:
            raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")
        self.p, self.inplace = p, inplace

    def forward(self, input: Any) -> Any:
        return self._function(input, self.p, self.training, self.inplace)

    def extra_repr(self) -> str:
        return f"p={self.p}, inplace={self.inplace}"


class Dropout1d(Dropout):
    """Whole channels of rows."""

    __module__ = "torch.nn.modules.dropout"
    _function = staticmethod(functional.dropout1d)


class Dropout2d(Dropout):
    """Whole channels of images."""

    __module__ = "torch.nn.modules.dropout"
    _function = staticmethod(functional.dropout2d)
