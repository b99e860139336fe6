"""Layers that compare rows: CosineSimilarity and PairwiseDistance."""

from __future__ import annotations

from typing import Any

from gradcli.script.torch.nn.base.configured import Configured


class CosineSimilarity(Configured):
    """The cosine of the angle between rows."""

    __module__ = "torch.nn.modules.distance"
    _function, _signature = "cosine_similarity", "dim=1, eps=1e-08"

    def forward(self, x1: Any, x2: Any) -> Any:  # type: ignore[override]
        return self._called(x1, x2, *self._behind())


class PairwiseDistance(Configured):
    """The norm of the difference of rows."""

    __module__ = "torch.nn.modules.distance"
    _function, _signature = "pairwise_distance", "p=2.0, eps=1e-06, keepdim=False"

    def _settle(self) -> None:
        self.norm = vars(self).pop("p")

    def forward(self, x1: Any, x2: Any) -> Any:  # type: ignore[override]
        return self._called(x1, x2, self.norm, self.eps, self.keepdim)
