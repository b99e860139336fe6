"""Operations that the engine computes with fractions, and torch with whole numbers where it is given nothing else."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

import numpy as np

from gradcli.engine.modes import mode
from gradcli.engine.tensor import Tensor


def with_integer_results(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return the function with whole results for whole tensors, which it computes in double precision."""

    @wraps(function)
    def call(*arguments: Any, **keywords: Any) -> Any:
        tensors = [x for x in (*arguments, *keywords.values()) if isinstance(x, Tensor)]
        if not tensors or any(x.dtype.kind == "f" for x in tensors):
            return function(*arguments, **keywords)
        keywords = {name: int(x) if isinstance(x, float) else x for name, x in keywords.items()}  # alpha and beta
        before, mode.default_dtype = mode.default_dtype, np.dtype(np.float64)
        try:
            result = function(*arguments, **keywords)
        finally:
            mode.default_dtype = before
        dtype = np.result_type(*(x.dtype for x in tensors))
        return tuple(_cast(x, dtype) for x in result) if isinstance(result, tuple) else _cast(result, dtype)

    return call


def _cast(x: Tensor, dtype: Any) -> Tensor:
    return Tensor(np.asarray(x.value).astype(dtype)[()]) if x.dtype.kind == "f" else x
