"""`F.embedding` and `F.embedding_bag`: rows of a table, looked up by number, alone or reduced in bags."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradcli.engine.dtypes import TYPE_NAMES
from gradcli.engine.tensor import Tensor
from gradcli.errors import AutogradError
from gradcli.ops.support.calling import ops
from gradcli.ops.support.covering import as_node
from gradcli.script.errors import UnsupportedError
from gradcli.script.torch.nn.functional.arguments import check_tensor

MODES = ("sum", "mean", "max")


def embedding(
    input: Tensor,
    weight: Tensor,
    padding_idx: int | None = None,
    max_norm: float | None = None,
    norm_type: float = 2.0,
    scale_grad_by_freq: bool = False,
    sparse: bool = False,
) -> Any:
    """Look rows of a table up; the row `padding_idx` gets no gradient."""
    check_tensor("embedding", input, "indices", 2)
    if weight.ndim != 2:
        raise AutogradError("'weight' must be 2-D", code="E301")
    rows = weight.shape[0]
    if padding_idx and not -rows <= padding_idx < rows:
        raise AssertionError("Padding_idx must be within num_embeddings")
    _check_kind(input, "embedding")
    if np.any((input.value < 0) | (input.value >= rows)):
        raise IndexError("index out of range in self")
    if sparse:
        raise UnsupportedError("sparse gradients are not supported here", help="leave the argument out")
    if max_norm is not None:
        _shorten(weight, np.unique(input.value), float(max_norm), float(norm_type))
    place = None if padding_idx is None else padding_idx % rows
    return ops.embedding(input, weight, place, bool(scale_grad_by_freq))


def _check_kind(input: Tensor, name: str) -> None:
    """Raise torch's error for numbers of rows of another dtype."""
    kind = TYPE_NAMES[input.dtype]
    if kind not in ("Long", "Int"):
        shown = "CPUBoolType" if kind == "Bool" else f"torch.{kind}Tensor"
        raise AutogradError(
            f"Expected tensor for argument #1 'indices' to have one of the following scalar types: Long, Int; "
            f"but got {shown} instead (while checking arguments for {name})"
        )


def _shorten(weight: Tensor, rows: Any, longest: float, order: float) -> None:
    """Scale the rows down, in place, whose norm is larger than `longest`."""
    number = weight.dtype.type
    for row in rows:
        length = np.linalg.norm(weight.array[row], order)
        if length > longest:
            weight.array[row] *= number(longest / (float(length) + 1e-7))
    weight.changed()


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
    """Reduce the rows of each bag to one; a bag is a row of `input`, or the numbers between two offsets."""
    if mode not in MODES:
        raise ValueError("mode has to be one of sum, mean or max")
    if scale_grad_by_freq or per_sample_weights is not None or include_last_offset:
        words = "scale_grad_by_freq, per_sample_weights or include_last_offset"
        raise UnsupportedError(f"embedding_bag with {words} is not supported here", help="multiply F.embedding instead")
    _check_kind(input, "embedding_bag")
    starts, flat = _starts(input, offsets), input.array.reshape(-1)
    if not flat.size or not starts:
        raise UnsupportedError("embedding_bag without indices or without bags is not supported here")
    rows = embedding(Tensor(flat), weight, None, max_norm, norm_type, False, sparse)
    bags = []
    for start, end in zip(starts, [*starts[1:], flat.size], strict=True):
        places = np.arange(start, end)
        if padding_idx is not None:
            places = places[flat[places] != padding_idx % weight.shape[0]]
        bags.append(_reduced(rows, places, mode))
    return as_node(ops.stack(bags, 0), "EmbeddingBagBackward0")


def _starts(input: Tensor, offsets: Tensor | None) -> list[int]:
    """Return the place of the first number of each bag."""
    if input.ndim == 2:
        if offsets is not None:
            raise ValueError(
                "if input is 2D, then offsets has to be None, as input is treated is a mini-batch of fixed length "
                "sequences. However, found offsets of type <class 'torch.Tensor'>"
            )
        return list(range(0, input.value.size, max(1, input.shape[1])))
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
            f"got {starts[0]}\n[ torch.LongTensor{{}} ]"
        )
    if starts and starts[-1] > input.value.size:
        raise AutogradError(
            f"offsets[-1] can not be greater than input's length {input.value.size} but got offsets[-1] of {starts[-1]}"
        )
    return starts


def _reduced(rows: Any, places: Any, mode: str) -> Any:
    """Reduce the rows of a bag to one; zeros if it is empty."""
    if not places.size:
        return Tensor(np.zeros(rows.shape[1], rows.dtype))
    chosen = ops.index_select(rows, 0, Tensor(places))
    return getattr(ops, "amax" if mode == "max" else mode)(chosen, 0)
