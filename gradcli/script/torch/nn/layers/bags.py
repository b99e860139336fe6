"""`EmbeddingBag`: sums, means or largest entries of rows of a table, for each of several bags of numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradcli.engine.tensor import Tensor
from gradcli.errors import AutogradError
from gradcli.script.torch.nn.functional.ending import ended
from gradcli.script.torch.nn.functional.lookup import embedding
from gradcli.script.torch.nn.layers.embedding import Embedding
from gradcli.script.torch.nn.layers.gates import operation
from gradcli.script.torch.tensor.printing import size_text

MODES = ("sum", "mean", "max")


def embedding_bag(
    input: Tensor,
    weight: Tensor,
    offsets: Tensor | None = None,
    max_norm: float | None = None,
    norm_type: float = 2,
    scale_grad_by_freq: bool = False,
    mode: str = "mean",
    sparse: bool = False,
    per_sample_weights: Tensor | None = None,
    include_last_offset: bool = False,
    padding_idx: int | None = None,
) -> Any:
    """One row for each bag: the rows of a matrix of numbers, or what lies between two offsets."""
    if mode not in MODES:
        raise ValueError("mode has to be one of sum, mean or max")
    if per_sample_weights is not None and per_sample_weights.shape != input.shape:
        raise ValueError(
            f"embedding_bag: If per_sample_weights ({size_text(per_sample_weights.shape)}) is not None, then it must "
            f"have the same shape as the input ({size_text(input.shape)})"
        )
    if per_sample_weights is not None and mode != "sum":
        raise NotImplementedError(
            "embedding_bag: per_sample_weights was not None. per_sample_weights is only supported for mode='sum' (got "
            f"mode='{mode}'). Please open a feature request on GitHub."
        )
    starts, flat = _starts(input, offsets), input.array.reshape(-1)
    _check_rows(flat, weight.shape[0])
    if include_last_offset:
        starts = starts[:-1]
    rows = embedding(Tensor(flat), weight, None, max_norm, norm_type, scale_grad_by_freq)
    if per_sample_weights is not None:
        rows = rows * operation("unsqueeze")(operation("reshape")(per_sample_weights, -1), 1)
    keep = [np.arange(a, b) for a, b in zip(starts, [*starts[1:], flat.size], strict=True)]
    if padding_idx is not None:
        keep = [places[flat[places] != padding_idx % weight.shape[0]] for places in keep]
    found = [_reduced(rows, places, mode) for places in keep]
    return ended(operation("stack")(found, 0), "EmbeddingBagBackward0")


def _check_rows(rows: Any, count: int) -> None:
    outside = np.flatnonzero((rows < 0) | (rows >= count))
    if outside.size:
        place = int(outside[0])
        raise AutogradError(
            f"Index {place} of input takes value {rows[place]} which is not in the valid range [0, {count})"
        )


def _starts(input: Tensor, offsets: Tensor | None) -> list[int]:
    if input.ndim == 2:
        if offsets is not None:
            raise ValueError(
                "if input is 2D, then offsets has to be None, as input is treated is a mini-batch of fixed length "
                "sequences. However, found offsets of type <class 'torch.Tensor'>"
            )
        return list(range(0, input.value.size, input.shape[1]))
    if input.ndim != 1:
        raise ValueError(f"input has to be 1D or 2D Tensor, but got Tensor of dimension {input.ndim}")
    if offsets is None:
        raise ValueError("offsets has to be a 1D Tensor but got None")
    if offsets.ndim != 1:
        raise ValueError("offsets has to be a 1D Tensor")
    starts: list[int] = offsets.array.tolist()
    if starts and starts[0] != 0:
        raise AutogradError(
            "offsets[0] has to be 0, i.e., the first sequence in the mini-batch has to start from position 0. However, "
            f"got {starts[0]}"
        )
    if starts and starts[-1] > input.value.size:
        raise AutogradError(
            f"offsets[-1] can not be greater than input's length {input.value.size} but got offsets[-1] of {starts[-1]}"
        )
    return starts


def _reduced(rows: Any, places: Any, mode: str) -> Any:
    """One row from those of a bag; zeros for an empty one."""
    if not places.size:
        return Tensor(np.zeros(rows.shape[1], rows.dtype))
    some = operation("index_select")(rows, 0, Tensor(places))
    return operation("amax" if mode == "max" else mode)(some, 0)


class EmbeddingBag(Embedding):
    """A table, of whose rows bags are made."""

    __module__ = "torch.nn.modules.sparse"

    def __init__(
        self,
        num_embeddings: int,
        embedding_dim: int,
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        mode: str = "mean",
        sparse: bool = False,
        _weight: Tensor | None = None,
        include_last_offset: bool = False,
        padding_idx: int | None = None,
        device: Any = None,
        dtype: Any = None,
        _freeze: bool = False,
    ) -> None:
        options = (max_norm, norm_type, scale_grad_by_freq, sparse, _weight, _freeze, device, dtype)
        super().__init__(num_embeddings, embedding_dim, padding_idx, *options)
        self.mode, self.include_last_offset = mode, include_last_offset

    def forward(self, input: Tensor, offsets: Tensor | None = None, per_sample_weights: Tensor | None = None) -> Any:
        options = (self.max_norm, self.norm_type, self.scale_grad_by_freq, self.mode, self.sparse)
        last = (self.include_last_offset, self.padding_idx)
        return embedding_bag(input, self.weight, offsets, *options, per_sample_weights, *last)

    def extra_repr(self) -> str:
        text = f"{self.num_embeddings}, {self.embedding_dim}"
        if self.max_norm is not None:
            text += f", max_norm={self.max_norm}"
        if self.norm_type != 2:
            text += f", norm_type={self.norm_type}"
        text += f", mode={self.mode!r}"
        return text if self.padding_idx is None else f"{text}, padding_idx={self.padding_idx}"
