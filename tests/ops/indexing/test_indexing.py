"""`x[items]` as torch lowers it, and its words for what is not there."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from gradcli.engine.backward import grad
from gradcli.engine.tensor import Tensor, tensor
from gradcli.errors import AutogradError
from gradcli.ops.support.surface import OPERATIONS
from tests.ops.structure import structure

ROWS = Tensor(np.array([0, 1]))


@pytest.fixture
def x() -> Tensor:
    return tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], requires_grad=True)


@pytest.mark.parametrize(
    ("items", "expected", "shape"),
    [
        (0, "Select(leaf)", (3,)),
        (slice(None), "Slice(leaf)", (2, 3)),
        (..., "Alias(leaf)", (2, 3)),
        ((slice(None), 1), "Select(leaf)", (2,)),
        ((0, slice(1, None), None), "Unsqueeze(Slice(Select(leaf)))", (2, 1)),
        (slice(2, 1), "Slice(leaf)", (0, 3)),
        ((0, ROWS), "Index(Select(leaf))", (2,)),
        ((ROWS, None), "Index(Unsqueeze(leaf))", (2, 1, 3)),
        ([0, 1, 1], "Index(leaf)", (3, 3)),
        (True, "Index(Unsqueeze(leaf))", (1, 2, 3)),
        (Tensor(np.int64(1)), "Select(leaf)", (3,)),
    ],
)
def test_lowering(x: Tensor, items: Any, expected: str, shape: tuple[int, ...]) -> None:
    out = x[items]
    assert structure(out.grad_fn) == expected
    assert out.shape == shape


def test_a_variable_of_an_expression_is_an_index_where_its_numbers_are_whole(x: Tensor) -> None:
    index = OPERATIONS["index"].function
    assert index(x, Tensor(np.array([0.0, 1.0]))).shape == (2, 3)
    with pytest.raises(AutogradError, match="tensors used as indices must be long"):
        index(x, [0.5])


@pytest.mark.parametrize(
    ("items", "message"),
    [
        ((0, 1, 2), "too many indices for tensor of dimension 2"),
        (slice(None, None, -1), "step must be greater than zero"),
        (Tensor(np.array([0.5])), "tensors used as indices must be long, int, byte or bool tensors"),
        (
            (ROWS, [0, 1, 2]),
            "shape mismatch: indexing tensors could not be broadcast together with shapes [2], [3]",
        ),
    ],
)
def test_torch_words(x: Tensor, items: Any, message: str) -> None:
    with pytest.raises(AutogradError) as failure:
        x[items]
    assert failure.value.message == message


@pytest.mark.parametrize(
    ("operation", "arguments", "message"),
    [
        ("narrow", [1, 1, 5], "start (1) + length (5) exceeds dimension size (3)."),
        ("narrow", [1, 0, -1], "narrow(): length must be non-negative."),
        ("gather", [1, [0, 1]], "Index tensor must have the same number of dimensions as input tensor"),
        (
            "gather",
            [1, [[0], [0], [0]]],
            "Size does not match at dimension 0 expected index [3, 1] to be no larger than self [2, 3] apart from "
            "dimension 1",
        ),
        ("index_select", [0, [[0]]], "index_select(): Index is supposed to be a vector"),
        ("index_select", [1, [5]], "INDICES element is out of DATA bounds, id=5 axis_dim=3"),
    ],
)
def test_torch_words_of_functions(x: Tensor, operation: str, arguments: list[Any], message: str) -> None:
    with pytest.raises(AutogradError) as failure:
        OPERATIONS[operation](x, *arguments)
    assert failure.value.message == message


def test_an_infinite_gradient_stays_in_its_entry(x: Tensor) -> None:
    x[[0]].backward(np.array([[np.inf, 1.0, np.nan]]))
    assert x.grad is not None
    np.testing.assert_array_equal(x.grad.value, [[np.inf, 1.0, np.nan], [0.0, 0.0, 0.0]])


def test_iterating_ends(x: Tensor) -> None:
    assert [row.shape for row in x] == [(3,), (3,)]


@pytest.mark.parametrize("name", ["scatter", "scatter_add"])
@pytest.mark.parametrize(
    ("index", "src", "message"),
    [
        (
            [0, 0, 1],
            4.0,
            "Expected index [3] to be no larger than self [3] apart from dimension 0 and to be no larger size than "
            "src []",
        ),
        ([0, 0, 1], [[4.0, 5.0, 7.0]], "Index tensor must have the same number of dimensions as src tensor"),
        ([[0]], [[4.0]], "Index tensor must have the same number of dimensions as self tensor"),
        ([7], [4.0], "index 7 is out of bounds for dimension 0 with size 3"),
    ],
)
def test_what_is_scattered_fits_the_index(name: str, index: Any, src: Any, message: str) -> None:
    with pytest.raises(AutogradError) as failure:
        OPERATIONS[name](tensor([1.0, 2.0, 3.0]), 0, tensor(index), tensor(src))
    assert failure.value.message == message


@pytest.mark.parametrize(
    ("x", "index", "src", "expected"),
    [
        ([1.0, 2.0, 3.0], 0, [4.0, 5.0, 6.0], [5.0, 2.0, 3.0]),
        ([1.0, 2.0, 3.0], [2], 4.0, [1.0, 2.0, 7.0]),
        ([1.0, 2.0, 3.0], [0, 0], [4.0, 5.0, 6.0], [10.0, 2.0, 3.0]),
        (1.0, 0, [4.0], 5.0),
        (1.0, [0, 0], [4.0, 5.0], 10.0),
    ],
)
def test_a_scalar_is_scattered_as_a_vector(x: Any, index: Any, src: Any, expected: Any) -> None:
    leaf, source = tensor(np.array(x), requires_grad=True), tensor(np.array(src), requires_grad=True)
    out = OPERATIONS["scatter_add"](leaf, 0, tensor(index), source)
    assert out.value.tolist() == expected
    gradients = grad([out], [leaf, source], [np.ones(out.shape)])
    assert [g.shape for g in gradients if g is not None] == [leaf.shape, source.shape]
