"""The dtype of every result of two tensors of different dtypes, with and without dimensions, as torch has it."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest

import gradcli.ops
from gradcli.engine.checks.promotion import result_type
from gradcli.engine.modes import switched
from gradcli.engine.tensor import Tensor
from gradcli.ops.support.surface import OPERATIONS

gradcli.ops.load()
DTYPES = ["bool", "uint8", "int32", "int64", "float16", "float32", "float64"]
SHAPES = [((2,), (2,)), ((2,), ()), ((), (2,)), ((), ())]


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        (np.float32([1, 2]), np.float64(2), "float32"),
        (np.int64([1, 2]), np.float32(2), "float32"),
        (np.float32([1, 2]), np.float64([1, 2]), "float64"),
        (np.float16([1, 2]), np.int64([1, 2]), "float16"),
        (np.uint8([1, 2]), np.int64(3), "uint8"),
        (np.bool_([True, False]), np.int64(3), "int64"),
    ],
)
def test_dimensions_decide_within_a_category(a: Any, b: Any, expected: str) -> None:
    assert result_type([a, b]) == expected
    with switched(default_dtype=np.dtype(np.float32)):
        assert (Tensor(a) * Tensor(b)).dtype == expected  # type: ignore[operator]


@pytest.mark.parametrize("default", ["float32", "float64"])
@pytest.mark.parametrize("name", ["add", "mul", "div", "maximum", "eq", "lt", "where"])
def test_every_pair_of_dtypes(name: str, default: str) -> None:
    torch = pytest.importorskip("torch")
    torch.set_default_dtype(getattr(torch, default))
    try:
        with switched(default_dtype=np.dtype(default)):
            for (first, second), shapes in product(product(DTYPES, DTYPES), SHAPES):
                arrays = [np.ones(shape, dtype) for shape, dtype in zip(shapes, (first, second), strict=True)]
                theirs = [torch.ones(x.shape, dtype=getattr(torch, str(x.dtype))) for x in arrays]
                ours = [Tensor(x[()]) for x in arrays]
                if name == "where":
                    mask = np.array([True, False])
                    expected = torch.where(torch.tensor(mask), *theirs)
                    found = OPERATIONS["where"].function(Tensor(mask), *ours)
                else:
                    expected, found = getattr(torch, name)(*theirs), OPERATIONS[name].function(*ours)
                assert f"torch.{found.dtype}" == str(expected.dtype), (first, second, shapes)
    finally:
        torch.set_default_dtype(torch.float32)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("number", [True, 2, 1.5])
@pytest.mark.parametrize("name", ["add", "mul", "div", "remainder", "pow", "lt"])
def test_numbers_count_by_category(name: str, number: Any, dtype: str) -> None:
    torch = pytest.importorskip("torch")
    if number is True and dtype == "bool" and name in ("pow", "remainder"):
        return  # torch has no such operation on two booleans
    with switched(default_dtype=np.dtype(np.float32)):
        found = OPERATIONS[name].function(Tensor(np.ones(2, dtype)), number)
    assert f"torch.{found.dtype}" == str(getattr(torch, name)(torch.ones(2, dtype=getattr(torch, dtype)), number).dtype)
