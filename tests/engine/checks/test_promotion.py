"""The dtype of every result of two tensors of different dtypes, with and without dimensions, as torch has it."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

import gradcli.ops
from gradcli.engine.modes import switched
from gradcli.engine.tensor import Tensor
from gradcli.ops.support.surface import OPERATIONS
from tests.script.running import torchs

gradcli.ops.load()
DTYPES = ["bool", "uint8", "int32", "int64", "float16", "float32", "float64"]
SHAPES = [((2,), (2,)), ((2,), ()), ((), (2,)), ((), ())]


PAIRS = """
import torch
from itertools import product
torch.set_default_dtype(torch.{default})
for (a, b), (m, n) in product(product({dtypes}, repeat=2), {shapes}):
    x, y = torch.ones(m, dtype=getattr(torch, a)), torch.ones(n, dtype=getattr(torch, b))
    print({call}.dtype)
torch.set_default_dtype(torch.float32)
"""
NUMBERS = """
import torch
for dtype in {dtypes}:
    for number in (True, 2, 1.5):
        try:
            print(torch.{name}(torch.ones(2, dtype=getattr(torch, dtype)), number).dtype)
        except RuntimeError:
            print(None)
"""


@pytest.mark.parametrize("default", ["float32", "float64"])
@pytest.mark.parametrize("name", ["add", "mul", "div", "maximum", "eq", "lt", "where"])
def test_every_pair_of_dtypes(name: str, default: str) -> None:
    call = "torch.where(torch.tensor([True, False]), x, y)" if name == "where" else f"torch.{name}(x, y)"
    told = torchs(PAIRS.format(default=default, dtypes=DTYPES, shapes=SHAPES, call=call))
    found = []
    with switched(default_dtype=np.dtype(default)):
        for dtypes, shapes in product(product(DTYPES, DTYPES), SHAPES):
            pair = [Tensor(np.ones(shape, dtype)[()]) for shape, dtype in zip(shapes, dtypes, strict=True)]
            mask = [Tensor(np.array([True, False]))] if name == "where" else []
            found.append(f"torch.{OPERATIONS[name].function(*mask, *pair).dtype}")
    assert found == told.split()


@pytest.mark.parametrize("name", ["add", "mul", "div", "remainder", "pow", "lt"])
def test_numbers_count_by_category(name: str) -> None:
    told = torchs(NUMBERS.format(dtypes=DTYPES, name=name)).split()
    for (dtype, number), expected in zip(product(DTYPES, (True, 2, 1.5)), told, strict=True):
        if expected != "None":  # torch has no such operation on two booleans
            with switched(default_dtype=np.dtype(np.float32)):
                found = OPERATIONS[name].function(Tensor(np.ones(2, dtype)), number)
            assert f"torch.{found.dtype}" == expected, (dtype, number)
