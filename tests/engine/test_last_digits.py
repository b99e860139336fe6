"""Sums and small products agree with torch to the last bit, for programs print numbers with all their digits."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradcli.engine.products import added_product, dot_product, matrix_product, matrix_vector_product, term_by_term
from gradcli.engine.summation import THREADED, of_losses, total
from gradcli.engine.tensor import Tensor
from gradcli.ops.surface import OPERATIONS

torch = pytest.importorskip("torch")

FLOATS = st.sampled_from([np.float32, np.float64])
SEEDS = st.integers(0, 2**32 - 1)
LAYOUTS = st.sampled_from(["nn", "nt", "tn"])


# Whether torch's library adds small products term by term on this processor, as the rules suppose.
FUSES_NOTHING = float(torch.tensor([[1 + 2**-12, 1.0]]) @ torch.tensor([[1 + 2**-12], [-1.0]])) == 2**-11


def numbers(seed: int, shape: tuple[int, ...], dtype: Any = np.float32) -> Any:
    return np.random.default_rng(seed).standard_normal(shape).astype(dtype)


def same(found: Any, expected: Any) -> bool:
    return np.array_equal(np.asarray(found), expected.numpy())


@given(SEEDS, st.integers(1, THREADED), FLOATS)
def test_sums_of_rows(seed: int, size: int, dtype: Any) -> None:
    x = numbers(seed, (size,), dtype)
    assert same(total(x), torch.from_numpy(x).sum())


@given(SEEDS, st.lists(st.integers(1, 20), min_size=1, max_size=3), FLOATS, st.data())
def test_sums_over_dimensions(seed: int, shape: list[int], dtype: Any, data: st.DataObject) -> None:
    x = numbers(seed, tuple(shape), dtype)
    axes = tuple(sorted(data.draw(st.sets(st.integers(0, len(shape) - 1), min_size=1))))
    keepdims = data.draw(st.booleans())
    assert same(total(x, axes, keepdims), torch.from_numpy(x).sum(axes, keepdim=keepdims))


@given(SEEDS, st.integers(1, 256))
def test_sums_of_losses(seed: int, count: int) -> None:
    x = numbers(seed, (count, 3))
    labels = np.random.default_rng(seed).integers(0, 3, count)
    expected = torch.nn.functional.nll_loss(torch.from_numpy(x), torch.from_numpy(labels), reduction="sum")
    assert same(of_losses(-x[np.arange(count), labels]), expected)


def matrices(seed: int, rows: int, terms: int, columns: int, layout: str) -> tuple[Any, Any]:
    """Two matrices; the one that the layout says lies in memory column by column."""
    a, b = numbers(seed, (rows, terms)), numbers(seed + 1, (terms, columns))
    if layout == "tn":
        a = np.ascontiguousarray(a.T).T
    return a, np.ascontiguousarray(b.T).T if layout == "nt" else b


@given(SEEDS, st.integers(1, 40), st.integers(1, 32), st.integers(1, 40), LAYOUTS)
def test_small_products(seed: int, rows: int, terms: int, columns: int, layout: str) -> None:
    a, b = matrices(seed, rows, terms, columns, layout)
    transposed = b.flags.f_contiguous and not b.flags.c_contiguous
    found, added = matrix_product(a, b), added_product(numbers(seed + 2, (columns,)), a, b)
    expected = torch.from_numpy(a) @ torch.from_numpy(b)
    if FUSES_NOTHING and term_by_term(rows, terms, columns, transposed=transposed) and rows * columns <= 100:
        bias = torch.from_numpy(numbers(seed + 2, (columns,)))
        assert same(found, expected)
        assert same(added, torch.addmm(bias, torch.from_numpy(a), torch.from_numpy(b)))
    else:
        np.testing.assert_allclose(found, expected.numpy(), rtol=1e-4, atol=1e-5)


@given(SEEDS, st.integers(1, 12), st.integers(1, 4))
def test_small_products_with_vectors(seed: int, rows: int, terms: int) -> None:
    a, _ = matrices(seed, rows, terms, 1, "nn")
    x = numbers(seed + 1, (terms,))
    expected = torch.from_numpy(a) @ torch.from_numpy(x)
    np.testing.assert_allclose(matrix_vector_product(a, x), expected.numpy(), rtol=1e-4, atol=1e-5)
    if FUSES_NOTHING:
        assert same(matrix_vector_product(a, x), expected)
    if FUSES_NOTHING and terms <= 3:
        assert same(dot_product(a[0], x), torch.from_numpy(a[0]) @ torch.from_numpy(x))


def test_other_dtypes_and_layouts_are_numpys() -> None:
    assert total(np.arange(10)).dtype == np.int64
    assert total(np.ones((3, 4), np.float32).T, 0).tolist() == [4, 4, 4]
    assert total(np.zeros((0, 3), np.float32), 0).tolist() == [0, 0, 0]
    assert total(np.float32(2.5)) == 2.5


BY_PRODUCTS = st.sampled_from([2, 3, -1, -2, 1.0, 2.0, 3.0])


@given(SEEDS, BY_PRODUCTS, st.sampled_from([(), (7,), (40, 3)]))
def test_powers_that_are_products(seed: int, exponent: float, shape: tuple[int, ...]) -> None:
    x = numbers(seed, shape)
    assert same((Tensor(x[()]) ** exponent).value, torch.from_numpy(np.asarray(x)) ** exponent)


def gradients(function: Callable[..., Any], *values: Any) -> list[Any]:
    """What a function of tensors gives, and what flows back, here and in torch side by side."""
    found = []
    for make in (lambda x: Tensor(np.array(x)), lambda x: torch.tensor(x)):
        inputs = [make(x).requires_grad_() for x in values]
        out = function(*inputs)
        out.sum().backward()
        found.append([np.array(x.detach().numpy()) for x in (out, *(x.grad for x in inputs))])
    return found


def rational(name: str) -> Callable[..., Any]:
    return lambda *x: (
        OPERATIONS[name].function(*x) if isinstance(x[0], Tensor) else getattr(torch.nn.functional, name)(*x)
    )


@given(SEEDS, st.integers(1, 60))
@pytest.mark.parametrize(
    "function",
    [
        lambda x, y: x / y,
        lambda x, y: x * y - y,
        lambda x, y: x**3 * y**2,
        lambda x, y: 1 / x - y,
        lambda x, y: x.add(y, alpha=0.3),
        lambda x, y: x.cumsum(0) * y,
        lambda x, y: (x - y).var(unbiased=False),
        rational("mse_loss"),
        rational("smooth_l1_loss"),
        rational("huber_loss"),
        rational("l1_loss"),
    ],
)
def test_values_and_gradients_have_torchs_digits(function: Callable[..., Any], seed: int, size: int) -> None:
    here, there = gradients(function, numbers(seed, (size,)), numbers(seed + 1, (size,)))
    assert all(map(np.array_equal, here, there))
