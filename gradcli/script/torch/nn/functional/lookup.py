"""`F.embedding`: rows of a table, looked up by number."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradcli.engine.dtypes import TYPE_NAMES
from gradcli.engine.tensor import Tensor
from gradcli.errors import AutogradError
from gradcli.ops.support.calling import ops
from gradcli.script.python.members.absent_arguments import without
from gradcli.script.torch.nn.functional.arguments import check_tensor


@without("scale_grad_by_freq sparse")
def embedding(
    input: Tensor,
    weight: Tensor,
    padding_idx: int | None = None,
    max_norm: float | None = None,
    norm_type: float = 2.0,
) -> Any:
    """Look rows of a table up; the row `padding_idx` gets no gradient."""
    check_tensor("embedding", input, "indices", 2)
    if weight.ndim != 2:
        raise AutogradError("'weight' must be 2-D", code="E301")
    rows = weight.shape[0]
    if padding_idx and not -rows <= padding_idx < rows:
        raise AssertionError("Padding_idx must be within num_embeddings")
    kind = TYPE_NAMES[input.dtype]
    if kind not in ("Long", "Int"):
        shown = "CPUBoolType" if kind == "Bool" else f"torch.{kind}Tensor"
        raise AutogradError(
            f"Expected tensor for argument #1 'indices' to have one of the following scalar types: Long, Int; "
            f"but got {shown} instead (while checking arguments for embedding)"
        )
    if np.any((input.value < 0) | (input.value >= rows)):
        raise IndexError("index out of range in self")
    if max_norm is not None:
        _shorten(weight, np.unique(input.value), float(max_norm), float(norm_type))
    place = None if padding_idx is None else padding_idx % rows
    return ops.embedding(input, weight, place)


def _shorten(weight: Tensor, rows: Any, longest: float, order: float) -> None:
    """Scale the rows down, in place, whose norm is larger than `longest`."""
    number = weight.dtype.type
    for row in rows:
        length = np.linalg.norm(weight.array[row], order)
        if length > longest:
            weight.array[row] *= number(longest / (float(length) + 1e-7))
    weight.changed()
