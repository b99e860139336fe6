"""Matrix products: torch's lowering by dimensions, and its words for shapes that do not fit."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from gradcli.engine.tensor import Tensor, tensor
from gradcli.errors import AutogradError
from gradcli.ops.support.surface import OPERATIONS
from tests.ops.structure import structure


def leaf(*shape: int) -> Tensor:
    return tensor(np.ones(shape), requires_grad=True)


def linear(*operands: Tensor) -> Any:
    return OPERATIONS["linear"](*operands)


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        ((3,), (3,), "Dot(leaf, leaf)"),
        ((2, 3), (3, 4), "Mm(leaf, leaf)"),
        ((5, 2, 3), (3, 4), "UnsafeView(Mm(View(leaf), leaf))"),
        ((3,), (5, 3, 4), "UnsafeView(Mv(UnsafeView(Clone(Transpose(leaf))), leaf))"),
        ((5, 2, 3), (5, 3, 4), "UnsafeView(Bmm(View(Expand(leaf)), View(Expand(leaf))))"),
        (
            (2, 1, 2, 3),
            (5, 3, 4),
            "UnsafeView(Bmm(UnsafeView(Clone(Expand(leaf))), UnsafeView(Clone(Expand(leaf)))))",
        ),
    ],
)
def test_matmul(a: tuple[int, ...], b: tuple[int, ...], expected: str) -> None:
    out = leaf(*a) @ leaf(*b)
    assert structure(out.grad_fn) == expected
    assert out.shape == (np.ones(a) @ np.ones(b)).shape


def test_matmul_folds_by_which_operand_requires_grad() -> None:
    constant = tensor(np.ones((2, 3)))
    assert structure((constant @ leaf(5, 3, 4)).grad_fn) == "UnsafeView(Bmm(None, View(Expand(leaf))))"


@pytest.mark.parametrize(
    ("shapes", "expected"),
    [
        (((2, 3), (4, 3), (4,)), "Addmm(leaf, leaf, T(leaf))"),
        (((3,), (4, 3), (4,)), "View(Addmm(leaf, View(leaf), T(leaf)))"),
        (((3,), (3,), ()), "Add(Dot(leaf, T(leaf)), leaf)"),
    ],
)
def test_linear(shapes: tuple[tuple[int, ...], ...], expected: str) -> None:
    assert structure(linear(*(leaf(*shape) for shape in shapes)).grad_fn) == expected


@pytest.mark.parametrize(
    ("a", "b", "message"),
    [
        ((2, 3), (2, 3), "mat1 and mat2 shapes cannot be multiplied (2x3 and 2x3)"),
        ((5, 2, 3), (2, 3), "mat1 and mat2 shapes cannot be multiplied (10x3 and 2x3)"),
        (
            (3,),
            (2,),
            "inconsistent tensor size, expected tensor [3] and src [2] to have the same number of elements, but got "
            "3 and 2 elements respectively",
        ),
        (
            (5, 2, 3),
            (5, 2, 3),
            "Expected size for first two dimensions of batch2 tensor to be: [5, 3] but got: [5, 2].",
        ),
    ],
)
def test_torch_words(a: tuple[int, ...], b: tuple[int, ...], message: str) -> None:
    with pytest.raises(AutogradError) as failure:
        leaf(*a) @ leaf(*b)
    assert failure.value.message == message


@pytest.mark.parametrize(
    ("a", "b", "message"),
    [
        (
            (2, 3),
            (2,),
            "The size of tensor a (3) must match the size of tensor b (2) at non-singleton dimension 1",
        ),
        (
            (2,),
            (3,),
            "The size of tensor a (2) must match the size of tensor b (3) at non-singleton dimension 0",
        ),
    ],
)
def test_shapes_that_do_not_broadcast(a: tuple[int, ...], b: tuple[int, ...], message: str) -> None:
    with pytest.raises(AutogradError) as failure:
        leaf(*a) + leaf(*b)
    assert (failure.value.message, failure.value.code) == (message, "E301")


def test_float32_and_integers() -> None:
    a, b = tensor(np.ones((2, 2), np.float32)), tensor([[1, 2], [3, 4]])
    assert (a @ a).dtype == np.float32
    assert (b @ b).dtype == np.int64
    assert OPERATIONS["matmul"](a, b).dtype == np.float32
    with pytest.raises(AutogradError, match="expected m1 and m2 to have the same dtype, but got: float != long int"):
        a @ b
    with pytest.raises(AutogradError, match="expected m1 and m2 to have the same dtype, but got: float != double"):
        a @ tensor(np.ones((2, 2)))
