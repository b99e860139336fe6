"""Shapes: torch's nodes by memory layout, its words for what does not fit, and views."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from gradcli.engine.tensor import Tensor, tensor
from gradcli.errors import AutogradError, EvaluationError
from gradcli.ops.support.surface import OPERATIONS
from tests.ops.structure import structure

MATRIX = [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]


def call(name: str, *arguments: Any, **keywords: Any) -> Any:
    return OPERATIONS[name](*arguments, **keywords)


@pytest.fixture
def A() -> Tensor:
    return tensor(MATRIX, requires_grad=True)


@pytest.mark.parametrize(
    ("operation", "arguments", "message"),
    [
        ("reshape", [(4, 4)], "shape '[4, 4]' is invalid for input of size 6"),
        ("reshape", [(-1, 4)], "shape '[-1, 4]' is invalid for input of size 6"),
        ("reshape", [(-1, -1)], "only one dimension can be inferred"),
        ("reshape", [(-2, 3)], "invalid shape dimension -2 at index 0 of shape [-2, 3]"),
        ("flatten", [1, 0], "flatten() has invalid args: start_dim cannot come after end_dim"),
        ("unsqueeze", [3], "Dimension out of range (expected to be in range of [-3, 2], but got 3)"),
        ("squeeze", [5], "Dimension out of range (expected to be in range of [-2, 1], but got 5)"),
        ("permute", [(0, 0)], "permute(): duplicate dims are not allowed."),
        ("transpose", [0, 3], "Dimension out of range (expected to be in range of [-2, 1], but got 3)"),
        (
            "expand",
            [(4, 3)],
            "The expanded size of the tensor (4) must match the existing size (2) at non-singleton dimension 0.  "
            "Target sizes: [4, 3].  Tensor sizes: [2, 3]",
        ),
        (
            "expand",
            [(-1, 2, 3)],
            "The expanded size of the tensor (-1) isn't allowed in a leading, non-existing dimension 0",
        ),
        ("repeat", [2], "Number of dimensions of repeat dims can not be smaller than number of dimensions of tensor"),
        ("repeat", [(-1, 2)], "Trying to create tensor with negative dimension -2: [-2, 6]"),
        ("flip", [(0, 0)], "dim 0 appears multiple times in the list of dims"),
        ("roll", [(1, 2)], "shifts and dimensions must align. shifts: 2, dims:0"),
        ("chunk", [0], "chunk expects `chunks` to be greater than 0, got: 0"),
        ("split", [0], "split_size can only be 0 if dimension size is 0, but got dimension size of 2"),
        (
            "split",
            [[1, 1], 1],
            "split_with_sizes expects split_sizes to sum exactly to 3 (input tensor's size at dimension 1), but got "
            "split_sizes=[1, 1]",
        ),
        ("diagonal", [0, 0, 0], "diagonal dimensions cannot be identical 0, 0"),
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
        ("cat", [(), ()], "zero-dimensional tensor (at position 0) cannot be concatenated"),
        ("cat", [(2, 3), (3,)], "Tensors must have same number of dimensions: got 2 and 1"),
        (
            "cat",
            [(2, 3), (3, 4)],
            "Sizes of tensors must match except in dimension 0. Expected size 3 but got size 4 for tensor number 1 in "
            "the list.",
        ),
        ("stack", [], "stack expects a non-empty TensorList"),
        (
            "stack",
            [(2, 3), (3,)],
            "stack expects each tensor to be equal size, but got [2, 3] at entry 0 and [3] at entry 1",
        ),
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


@pytest.mark.parametrize(
    ("lower", "expected"),
    [
        (lambda A: A.reshape(6), "View(leaf)"),
        (lambda A: A.T.reshape(6), "UnsafeView(Clone(Permute(leaf)))"),
        (lambda A: A.T.reshape(3, 1, 2), "ReshapeAlias(Permute(leaf))"),
        (lambda A: A.T.flatten(), "UnsafeView(Clone(Permute(leaf)))"),
        (lambda A: A.view(3, 2), "View(leaf)"),
        (lambda A: A.t(), "T(leaf)"),
        (lambda A: A.mT, "Transpose(leaf)"),
        (lambda A: A.movedim(0, 1), "Permute(leaf)"),
        (lambda A: A.squeeze(), "Squeeze(leaf)"),
        (lambda A: A.squeeze(0), "SqueezeBackward1(leaf)"),
        (lambda A: A.squeeze((0,)), "SqueezeBackward2(leaf)"),
        (lambda A: A.split(1)[0], "Split(leaf)"),
        (lambda A: A.split([1, 1])[0], "SplitWithSizes(leaf)"),
        (lambda A: A.unbind()[1], "Unbind(leaf)"),
        (lambda A: A.diag(), "DiagonalBackward0_copy(leaf)"),
    ],
)
def test_nodes(A: Tensor, lower: Any, expected: str) -> None:
    assert structure(lower(A).grad_fn) == expected


def test_flatten_of_a_vector_is_the_vector() -> None:
    x = tensor([1.0, 2.0], requires_grad=True)
    assert x.flatten() is x


def test_view_needs_memory_that_can_be_looked_at(A: Tensor) -> None:
    with pytest.raises(AutogradError, match="view size is not compatible with input tensor's size and stride"):
        A.T.view(6)


@pytest.mark.parametrize(
    "look",
    [
        lambda A: A.reshape(3, 2),
        lambda A: A.T,
        lambda A: A.unsqueeze(0),
        lambda A: A.squeeze(0),
        lambda A: A[0],
        lambda A: A[0, 1],
        lambda A: A[:, 1:],
        lambda A: A[...],
        lambda A: A.split(1)[0],
        lambda A: A.unbind(1)[0],
        lambda A: A.diagonal(),
        lambda A: A.expand(4, 2, 3),
    ],
)
def test_views_share_memory_and_version(look: Any) -> None:
    A = tensor(MATRIX)
    part = look(A)
    assert np.shares_memory(part.value, A.value)
    A.changed()
    assert part._version == 1


@pytest.mark.parametrize(
    "copy", [lambda A: A.clone(), lambda A: A.T.reshape(6), lambda A: A[[0, 1]], lambda A: A.flip(0)]
)
def test_copies_do_not(copy: Any) -> None:
    A = tensor(MATRIX)
    part = copy(A)
    assert not np.shares_memory(part.value, A.value)
    A.changed()
    assert part._version == 0


def test_an_empty_vector_stands_beside_anything_in_cat(A: Tensor) -> None:
    assert call("cat", [tensor(np.zeros(0)), A]).shape == (2, 3)


def test_detach_cuts_the_graph(A: Tensor) -> None:
    assert A.detach().node is None


@pytest.mark.parametrize(
    ("made", "dtype"),
    [
        (lambda: call("zeros", 2), np.float64),
        (lambda: call("arange", 3), np.int64),
        (lambda: call("arange", 0, 1, 0.25), np.float64),
        (lambda: call("full", (2,), 3), np.int64),
        (lambda: call("full", (2,), 3.0), np.float64),
        (lambda: call("zeros_like", tensor([1, 2])), np.int64),
    ],
)
def test_dtypes_of_constants(made: Any, dtype: Any) -> None:
    assert made().dtype == dtype
