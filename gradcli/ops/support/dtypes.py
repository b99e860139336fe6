"""The `dtype=` of operations: the input is converted first."""

from __future__ import annotations

from typing import Any

from gradcli.engine.broadcast import to_copy
from gradcli.engine.tensor import Tensor
from gradcli.ops.support.arguments import Dtype


def converted(x: Tensor, dtype: Dtype | None) -> Any:
    """Return the tensor in a dtype; None keeps its own."""
    return x if dtype is None or x.dtype == dtype else to_copy(x, dtype=dtype)
