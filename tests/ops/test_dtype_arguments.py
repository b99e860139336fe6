"""`dtype=` where torch takes it: the result has it, the gradient has that of the input."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from gradcli.engine.tensor import tensor
from gradcli.ops.support.surface import OPERATIONS

SINGLE, DOUBLE, WHOLE = (np.dtype(kind) for kind in (np.float32, np.float64, np.int64))


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        *((name, ()) for name in ("sum", "mean", "prod")),
        *((name, (0,)) for name in ("cumsum", "cumprod", "softmax", "log_softmax")),
    ],
)
def test_the_input_is_converted_first(name: str, arguments: tuple[Any, ...]) -> None:
    x = tensor([1.0, 2.0], dtype=SINGLE, requires_grad=True)
    out = OPERATIONS[name](x, *arguments, dtype=DOUBLE)
    assert out.dtype == DOUBLE
    out.backward(np.ones(out.shape))
    assert x.grad is not None
    assert x.grad.dtype == SINGLE


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        *((name, (2,)) for name in ("zeros", "ones", "empty", "eye", "arange")),
        ("linspace", (0, 2, 3)),
        ("full", ((2,), 3)),
    ],
)
@pytest.mark.parametrize("dtype", [SINGLE, DOUBLE, WHOLE])
def test_constants_are_made_in_a_dtype(name: str, arguments: tuple[Any, ...], dtype: np.dtype[Any]) -> None:
    assert OPERATIONS[name](*arguments, dtype=dtype).dtype == dtype
