"""`F.embedding` and `F.embedding_bag`: rows of a table, looked up by number, alone or reduced in bags."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from gradcli.engine.dtypes import TYPE_NAMES
from gradcli.engine.saved import watch
from gradcli.engine.tensor import Tensor
from gradcli.errors import AutogradError
from gradcli.ops.support.calling import ops
from gradcli.ops.support.covering import as_node
from gradcli.script.errors import UnsupportedError
from gradcli.script.torch.nn.functional.arguments import check_tensor
from gradcli.script.torch.tensor.printing import size_text


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
    if padding_idx and not weight.ndim:
        raise IndexError("Dimension specified as 0 but tensor has no dimensions")
    if padding_idx and not -weight.shape[0] <= padding_idx < weight.shape[0]:
        raise AssertionError("Padding_idx must be within num_embeddings")
    if weight.ndim != 2:
        raise AutogradError("'weight' must be 2-D", code="E301")
    _check_kind(input, *(("embedding",) if max_norm is None else ("embedding_renorm_", 2)))
    rows = weight.shape[0]
    if np.any((input.value < 0) | (input.value >= rows)):
        above = np.asarray(input.value)[np.asarray(input.value) >= rows]
        if max_norm is not None and above.size:  # torch shortens the rows before
            size = list(weight.shape)
            raise IndexError(f"select(): index {above.min()} out of range for tensor of size {size} at dimension 0")
        raise IndexError("index out of range in self")
    if padding_idx is not None:
        padding_idx %= rows
    if sparse or scale_grad_by_freq:
        what = "sparse gradients are" if sparse else "scale_grad_by_freq is"
        raise UnsupportedError(f"{what} not supported here", help="leave the argument out")
    if max_norm is not None:
        _shorten(weight, np.unique(input.value), float(max_norm), float(norm_type))
    return ops.embedding(input, weight, padding_idx)


def _check_kind(input: Tensor, name: str, place: int = 1) -> None:
    """Raise torch's error for numbers of rows of another dtype."""
    kind = TYPE_NAMES[input.dtype]
    if kind not in ("Long", "Int"):
        found = "CPUBoolType" if kind == "Bool" else f"torch.{kind}Tensor"
        raise AutogradError(
            f"Expected tensor for argument #{place} 'indices' to have one of the following scalar types: Long, Int; "
            f"but got {found} instead (while checking arguments for {name})"
        )


def _shorten(weight: Tensor, rows: Any, longest: float, order: float) -> None:
    """Scale the rows down, in place, whose norm is larger than `longest`."""
    number = weight.dtype.type
    for row in rows:
        length = np.linalg.norm(weight.array[row], order)
        if length > longest:
            weight.array[row] *= number(longest / (float(length) + 1e-7))
    weight.changed()


MODES = ("sum", "mean", "max")


SWAPPED = (
    "Argument order of nn.functional.embedding_bag was changed. Usage `embedding_bag(weight, input, ...)` is "
    "deprecated, and should now be `embedding_bag(input, weight, ...)`."
)


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
    if weight.dtype == np.int64 and input.dtype.kind == "f":
        warnings.warn(SWAPPED, UserWarning, stacklevel=2)
        input, weight = weight, input
    if mode not in MODES:
        raise ValueError("mode has to be one of sum, mean or max")
    if mode == "max" and scale_grad_by_freq:
        raise ValueError("max mode does not support scaling the gradient by the frequency")
    if mode == "max" and sparse:
        raise ValueError("max mode does not support sparse weights")
    if scale_grad_by_freq:  # torch counts the rows of other places here
        raise UnsupportedError("scale_grad_by_freq of embedding_bag is not supported here", help="leave it out")
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
    if per_sample_weights is not None and per_sample_weights.dtype != weight.dtype:
        one, other = (f"torch.{TYPE_NAMES[x.dtype]}Tensor" for x in (weight, per_sample_weights))
        raise RuntimeError(
            "Expected tensor for argument #1 'weight' to have the same type as tensor for argument #1 "
            f"'per_sample_weights'; but type {one} does not equal {other} (while checking arguments for embedding_bag)"
        )
    starts, flat = _starts(input, offsets), input.array.reshape(-1)
    _check_kind(input, "embedding_bag")
    _check_rows(flat, weight.shape[0])
    if include_last_offset and offsets is not None:
        if not starts:
            raise AutogradError("include_last_offset: number of offset should be at least 1")
        starts = starts[:-1]
    if not flat.size or not starts:
        raise UnsupportedError("embedding_bag without indices or without bags is not supported here")
    through = weight
    rows = embedding(Tensor(flat), through, None, max_norm, norm_type, False, sparse)
    if per_sample_weights is not None:
        if per_sample_weights.ndim > 1:
            per_sample_weights = ops.reshape(per_sample_weights, -1)
        factors = as_node(per_sample_weights, "EmbeddingBagWeightsBackward0")
        rows = rows * ops.unsqueeze(factors, 1)
    keep = [np.arange(a, b) for a, b in zip(starts, [*starts[1:], flat.size], strict=True)]
    if padding_idx is not None:
        keep = [places[flat[places] != padding_idx % weight.shape[0]] for places in keep]
    found = [_reduced(rows, places, mode) for places in keep]
    bags = as_node(ops.stack(found, 0), "EmbeddingBagBackward0")
    if per_sample_weights is not None and per_sample_weights.requires_grad:
        watch(bags, weight)
    return bags


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
        if not input.shape[1]:
            raise RuntimeError("step must be nonzero")
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
    some = ops.index_select(rows, 0, Tensor(places))
    return getattr(ops, "amax" if mode == "max" else mode)(some, 0)
