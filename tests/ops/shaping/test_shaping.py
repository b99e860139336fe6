"""Shapes: torch's nodes by memory layout, its words for what does not fit, and views."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from gradcli.engine.tensor import Tensor, tensor
from gradcli.errors import AutogradError, EvaluationError
from gradcli.ops.support.surface import OPERATIONS

MATRIX = [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]


def call(name: str, *arguments: Any, **keywords: Any) -> Any:
    return OPERATIONS[name](*arguments, **keywords)


@pytest.fixture
def A() -> Tensor:
    return tensor(MATRIX, requires_grad=True)


@pytest.mark.parametrize(
    ("operation", "arguments", "message"),
    [
        ("reshape", [(-1, -1)], "only one dimension can be inferred"),
        ("reshape", [(-2, 3)], "invalid shape dimension -2 at index 0 of shape [-2, 3]"),
        ("flatten", [1, 0], "flatten() has invalid args: start_dim cannot come after end_dim"),
        ("unsqueeze", [3], "Dimension out of range (expected to be in range of [-3, 2], but got 3)"),
        ("permute", [(0, 0)], "permute(): duplicate dims are not allowed."),
        (
            "expand",
            [(4, 3)],
            "The expanded size of the tensor (4) must match the existing size (2) at non-singleton dimension 0.  "
            "Target sizes: [4, 3].  Tensor sizes: [2, 3]",
        ),
        ("repeat", [(-1, 2)], "Trying to create tensor with negative dimension -2: [-2, 6]"),
        ("chunk", [0], "chunk expects `chunks` to be greater than 0, got: 0"),
        ("split", [0], "split_size can only be 0 if dimension size is 0, but got dimension size of 2"),
        (
            "split",
            [[1, 1], 1],
            "split_with_sizes expects split_sizes to sum exactly to 3 (input tensor's size at dimension 1), but got "
            "split_sizes=[1, 1]",
        ),
    ],
)
def test_torch_words(A: Tensor, operation: str, arguments: list[Any], message: str) -> None:
    with pytest.raises(AutogradError) as failure:
        call(operation, A, *arguments)
    assert failure.value.message == message


@pytest.mark.parametrize(
    ("operation", "shapes", "message"),
    [
        ("cat", [], "torch.cat(): expected a non-empty list of Tensors"),
        ("cat", [(2, 3), (3,)], "Tensors must have same number of dimensions: got 2 and 1"),
        ("stack", [], "stack expects a non-empty TensorList"),
    ],
)
def test_what_cannot_be_joined(operation: str, shapes: list[tuple[int, ...]], message: str) -> None:
    with pytest.raises(AutogradError) as failure:
        call(operation, [Tensor(np.ones(shape)) for shape in shapes])
    assert failure.value.message == message


def test_absurd_sizes_are_refused(A: Tensor) -> None:
    for attempt in (
        lambda: call("repeat", A, (10**6, 10**6)),
        lambda: call("zeros", 10**6, 10**6),
        lambda: call("arange", 1e18),
        lambda: call("outer", call("zeros", 10**5), call("zeros", 10**5)),
    ):
        with pytest.raises(EvaluationError, match="the limit"):
            attempt()


def test_view_needs_memory_that_can_be_looked_at(A: Tensor) -> None:
    with pytest.raises(AutogradError, match="view size is not compatible with input tensor's size and stride"):
        A.T.view(6)
