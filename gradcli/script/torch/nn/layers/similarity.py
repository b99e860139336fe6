"""How alike rows are, as modules."""

from __future__ import annotations

from typing import Any

from gradcli.script.torch.nn.base.base import Module
from gradcli.script.torch.nn.functional.module import operation


class CosineSimilarity(Module):
    """The cosine of the angle between rows."""

    __module__ = "torch.nn.modules.distance"

    def __init__(self, dim: int = 1, eps: float = 1e-8) -> None:
        super().__init__()
        self.dim, self.eps = dim, eps

    def forward(self, x1: Any, x2: Any) -> Any:
        return operation("cosine_similarity")(x1, x2, self.dim, self.eps)


class PairwiseDistance(Module):
    """The norm of the difference of rows."""

    __module__ = "torch.nn.modules.distance"

    def __init__(self, p: float = 2.0, eps: float = 1e-6, keepdim: bool = False) -> None:
        super().__init__()
        self.norm, self.eps, self.keepdim = p, eps, keepdim

    def forward(self, x1: Any, x2: Any) -> Any:
        return operation("pairwise_distance")(x1, x2, self.norm, self.eps, self.keepdim)
