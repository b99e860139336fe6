"""A table whose rows are looked up by number."""

from __future__ import annotations

from typing import Any

from gradcli.engine.tensor import Tensor
from gradcli.script.machine import running
from gradcli.script.torch.nn import functional
from gradcli.script.torch.nn.base import Module
from gradcli.script.torch.nn.making import blank
from gradcli.script.torch.nn.parameter import Parameter


class Embedding(Module):
    """Rows of learned numbers; that of `padding_idx` starts at 0 and gets no gradient."""

    __module__ = "torch.nn.modules.sparse"

    def __init__(
        self,
        num_embeddings: int,
        embedding_dim: int,
        padding_idx: int | None = None,
        max_norm: None = None,
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
        if _weight is None:
            table = blank((num_embeddings, embedding_dim), dtype)
            table.value = running.machine.generator.normal(table.shape, table.dtype)
            table.changed()
            if padding_idx is not None:
                table.value[padding_idx] = 0
        else:
            table = _weight
        self.weight = Parameter(table, not _freeze)

    @classmethod
    def from_pretrained(
        cls, embeddings: Tensor, freeze: bool = True, padding_idx: int | None = None, **_: Any
    ) -> Embedding:
        """A table of given rows, which do not learn unless asked to."""
        rows, columns = embeddings.shape
        return cls(rows, columns, padding_idx, _weight=embeddings, _freeze=freeze)

    def forward(self, input: Tensor) -> Any:
        return functional.embedding(input, self.weight, self.padding_idx)

    def extra_repr(self) -> str:
        padding = f", padding_idx={self.padding_idx}" if self.padding_idx is not None else ""
        return f"{self.num_embeddings}, {self.embedding_dim}{padding}"
