"""Sums of products by subscripts: numpy's own is the oracle for values, refusals are torch's."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradcli.engine.tensor import Tensor, tensor
from gradcli.errors import AutogradError
from gradcli.ops.support.surface import OPERATIONS

SIZES = {"a": 2, "b": 3, "c": 1, "d": 2}
SUBSCRIPTS = st.text("abcd", min_size=1, max_size=3)


@given(st.lists(SUBSCRIPTS, min_size=1, max_size=4), st.randoms(use_true_random=False))
def test_any_equation_gives_what_numpy_gives(parts: list[str], random: object) -> None:
    labels = sorted(set("".join(parts)))
    out = "".join(label for label in labels if random.random() < 0.5)  # type: ignore[attr-defined]
    equation = f"{','.join(parts)}->{out}"
    numbers = np.random.default_rng(3)
    arrays = [numbers.normal(size=[SIZES[label] for label in part]) for part in parts]
    found = OPERATIONS["einsum"](equation, *map(Tensor, arrays))
    np.testing.assert_allclose(found.value, np.einsum(equation, *arrays), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize(
    "equation", ["...ij,...jk->...ik", "...ij,jk", "i...,i...->...", "...,...->...", "...ii->...i", "ii...->i..."]
)
def test_dots_stand_for_the_other_dimensions(equation: str) -> None:
    arrays = [np.arange(8.0).reshape(2, 2, 2), np.arange(4.0).reshape(2, 2)][: equation.count(",") + 1]
    found = OPERATIONS["einsum"](equation, *map(Tensor, arrays))
    np.testing.assert_allclose(found.value, np.einsum(equation, *arrays))


@pytest.mark.parametrize(
    ("equation", "message"),
    [
        ("ij,jk->iz", "output subscript z does not appear"),
        ("ij,jk->ii", "output subscript i appears more than once"),
        ("ijk,jk", r"subscripts in the equation \(3\) does not match the number of dimensions \(2\) for operand 0"),
        ("i1,jk", "invalid subscript given at index 1"),
        ("i.j,jk", "not part of any ellipsis"),
        ("ij,ik->jk", "subscript i has size 3 for operand 1 which does not broadcast with previously seen size 2"),
        ("ii,jk->", "subscript i is repeated for operand 0 but the sizes don't match, 3 != 2"),
    ],
)
def test_what_torch_refuses_is_refused(equation: str, message: str) -> None:
    operands = [tensor(np.ones((2, 3))), tensor(np.ones((3, 2)))]
    with pytest.raises(AutogradError, match=message):
        OPERATIONS["einsum"](equation, *operands)
