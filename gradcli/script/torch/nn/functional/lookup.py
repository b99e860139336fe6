"""`F.embedding`: rows of a table, looked up by number."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradcli.engine.dtypes import TYPE_NAMES
from gradcli.engine.tensor import Tensor
from gradcli.errors import AutogradError
from gradcli.ops.support.surface import OPERATIONS
from gradcli.script.errors import UnsupportedError
from gradcli.script.torch.nn.functional.arguments import check_tensor


def embedding(
    input: Tensor,
    weight: Tensor,
    padding_idx: int | None = None,
    max_norm: float | None = None,
    norm_type: float = 2.0,
    scale_grad_by_freq: bool = False,
    sparse: bool = False,
) -> Any:
    """Rows of a table; those of `padding_idx` get no gradient."""
    check_tensor("embedding", input, "indices", 2)
    kind = TYPE_NAMES[input.dtype]
    if kind not in ("Long", "Int"):
        found = "CPUBoolType" if kind == "Bool" else f"torch.{kind}Tensor"
        raise AutogradError(
            "Expected tensor for argument #1 'indices' to have one of the following scalar types: Long, Int; but got "
            f"{found} instead (while checking arguments for embedding)"
        )
    rows = weight.shape[0]
    if np.any((input.value < 0) | (input.value >= rows)):
        raise IndexError("index out of range in self")
    if padding_idx is not None:
        if not -rows <= padding_idx < rows:
            raise AssertionError("Padding_idx must be within num_embeddings")
        padding_idx %= rows
    if scale_grad_by_freq or sparse:
        what = "sparse gradients are" if sparse else "scale_grad_by_freq is"
        raise UnsupportedError(f"{what} not supported here", python=ValueError, help="leave the argument out")
    if max_norm is not None:
        _shorten(weight, np.unique(input.value), float(max_norm), float(norm_type))
    return OPERATIONS["embedding"].function(input, weight, padding_idx)


def _shorten(weight: Tensor, rows: Any, longest: float, order: float) -> None:
    """Make those rows shorter, in place, that are longer than they may be."""
    number = weight.dtype.type
    for row in rows:
        length = np.linalg.norm(weight.array[row], order)
        if length > longest:
            weight.array[row] *= number(longest / (float(length) + 1e-7))
    weight.changed()
