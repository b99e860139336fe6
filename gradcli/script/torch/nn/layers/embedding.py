"""A table whose rows are looked up by number."""

from __future__ import annotations

from typing import Any

from gradcli.engine.tensor import Tensor
from gradcli.script.torch.nn.base.base import Module
from gradcli.script.torch.nn.base.making import blank
from gradcli.script.torch.nn.base.parameter import Parameter
from gradcli.script.torch.nn.functional.lookup import embedding
from gradcli.script.torch.nn.initialisation import normal_


class Embedding(Module):
    """Rows of learned numbers; that of `padding_idx` starts at 0 and gets no gradient."""

    __module__ = "torch.nn.modules.sparse"

    def __init__(
        self,
        num_embeddings: int,
        embedding_dim: int,
        padding_idx: int | None = None,
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        sparse: bool = False,
        _weight: Tensor | None = None,
        _freeze: bool = False,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        self.num_embeddings, self.embedding_dim = num_embeddings, embedding_dim
        if padding_idx is not None:
            if not -num_embeddings <= padding_idx < num_embeddings:
                raise AssertionError("Padding_idx must be within num_embeddings")
            padding_idx %= num_embeddings
        self.padding_idx = padding_idx
        self.max_norm, self.norm_type = max_norm, norm_type
        self.scale_grad_by_freq, self.sparse = scale_grad_by_freq, sparse
        if _weight is None:
            self.weight = Parameter(blank((num_embeddings, embedding_dim), dtype), not _freeze)
            self.reset_parameters()
            return
        if _weight.shape != (num_embeddings, embedding_dim):
            raise AssertionError("Shape of weight does not match num_embeddings and embedding_dim")
        self.weight = Parameter(_weight, not _freeze)

    def reset_parameters(self) -> None:
        """Draw all rows again."""
        normal_(self.weight)
        if self.padding_idx is not None:
            self.weight.array[self.padding_idx] = 0

    @classmethod
    def from_pretrained(
        cls, embeddings: Tensor, freeze: bool = True, padding_idx: int | None = None, **options: Any
    ) -> Embedding:
        """A table of given rows, which do not learn unless asked to."""
        if embeddings.ndim != 2:
            raise AssertionError("Embeddings parameter is expected to be 2-dimensional")
        rows, columns = embeddings.shape
        return cls(rows, columns, padding_idx=padding_idx, _weight=embeddings, _freeze=freeze, **options)

    def forward(self, input: Tensor) -> Any:
        options = (self.max_norm, self.norm_type, self.scale_grad_by_freq, self.sparse)
        return embedding(input, self.weight, self.padding_idx, *options)

    def extra_repr(self) -> str:
        text = f"{self.num_embeddings}, {self.embedding_dim}"
        usuals = {"padding_idx": None, "max_norm": None, "norm_type": 2, "scale_grad_by_freq": False}
        for name, usual in usuals.items():
            if getattr(self, name) != usual:
                text += f", {name}={getattr(self, name)}"
        return text + (", sparse=True" if self.sparse else "")
