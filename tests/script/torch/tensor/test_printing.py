"""The text of a tensor, letter for letter: by hand, and against torch where it can be had."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

import gradcli.ops  # noqa: F401  # gives tensors their operators
from gradcli.engine.modes import switched
from gradcli.engine.tensor import Tensor, tensor
from gradcli.script.torch.tensor.printing import (
    dtype_text,
    format_tensor,
    set_printoptions,
    size_text,
    tensor_text,
)

DTYPES = [np.float32, np.float64, np.float16, np.int64, np.int32, np.uint8, np.bool_]
SPECIAL = [math.nan, math.inf, -math.inf, 0.0, -0.0, 1.0, 1000.0, 1e8, 1e-4, -1e-4, 99999.0]


@pytest.fixture(autouse=True)
def single_precision() -> Iterator[None]:
    """As in a script: plain numbers are float32, and printing starts from torch's options."""
    with switched(default_dtype=np.dtype(np.float32)):
        yield
    set_printoptions(profile="default")


def text(data: Any, **about: Any) -> str:
    return tensor_text(tensor(data, **about))


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (3.0, "tensor(3.)"),
        (0.1, "tensor(0.1000)"),
        ([], "tensor([])"),
        ([1.0, math.inf, math.nan], "tensor([1., inf, nan])"),
        ([0.0, -0.0], "tensor([0., -0.])"),
    ],
)
def test_numbers(data: Any, expected: str) -> None:
    assert text(data) == expected


def test_suffixes_move_to_a_line_of_their_own_when_the_line_is_full() -> None:
    numbers = "1., 1., 1., 1., 1., 1., 1., 1., 1., 1., 1., 1., 1., 1., 1."
    assert text([1.0] * 15, requires_grad=True) == f"tensor([{numbers}],\n       requires_grad=True)"


def test_formatting() -> None:
    assert format_tensor(tensor(0.1, requires_grad=True)) == "0.10000000149011612"
    assert format_tensor(tensor(0.1), ".3f") == "0.100"
    assert format_tensor(tensor([0.5])) == "tensor([0.5000])"
    with pytest.raises(TypeError, match=r"unsupported format string passed to Tensor.__format__"):
        format_tensor(tensor([0.5]), ".3f")


@st.composite
def values(draw: st.DrawFn) -> Any:
    """Arrays of 0 to 4 axes, sometimes empty, sometimes too large to show, of magnitudes alike or mixed."""
    dtype = np.dtype(draw(st.sampled_from(DTYPES)))
    shape = draw(
        st.just(())
        | array_shapes(max_dims=4, min_side=0, max_side=5)
        | array_shapes(max_dims=2, max_side=60)
        | st.just((1200,))
        | st.just((3, 9, 50))
    )
    scale = 10.0 ** draw(st.integers(-12, 12))
    element = st.sampled_from(SPECIAL) | st.integers(-2000, 2000) | st.integers(-2000, 2000).map(lambda n: n * scale)
    fill = draw(st.integers(-40, 40)) * draw(st.sampled_from([1, 0.25, 0.0001, 1e6]))
    array = draw(arrays(np.float64, shape, elements=element, fill=st.just(fill)))
    return np.asarray(array if dtype.kind == "f" else np.nan_to_num(array, posinf=0, neginf=0) % 128, dtype)


printing = st.fixed_dictionaries(
    {},
    optional={
        "precision": st.integers(0, 8),
        "threshold": st.sampled_from([0, 10, 1000, math.inf]),
        "edgeitems": st.integers(0, 4),
        "linewidth": st.sampled_from([1, 20, 60, 80, 200]),
        "profile": st.sampled_from(["default", "short", "full"]),
        "sci_mode": st.booleans(),
    },
)


@pytest.fixture(scope="module")
def torch() -> Iterator[Any]:
    torch = pytest.importorskip("torch")
    yield torch
    torch.set_printoptions(profile="default")


@pytest.mark.slow
@settings(max_examples=100)
@given(values(), st.sampled_from(["constant", "leaf", "mul", "neg"]), st.just({}) | printing)
def test_the_text_is_that_of_torch(torch: Any, value: Any, role: str, about: dict[str, Any]) -> None:
    theirs, ours = torch.tensor(value), Tensor(value[()])
    if value.dtype.kind == "f" and role != "constant":
        theirs.requires_grad_()
        ours.requires_grad_()
        if role != "leaf":
            theirs = theirs * 2 if role == "mul" else -theirs
            ours = ours * 2 if role == "mul" else -ours
    for change in (torch.set_printoptions, set_printoptions):
        change(profile="default")
        change(**about)
    assert tensor_text(ours) == repr(theirs)
    assert format_tensor(ours) == f"{theirs}"
    assert size_text(ours.shape) == repr(theirs.shape)
    assert dtype_text(ours.dtype) == repr(theirs.dtype)
