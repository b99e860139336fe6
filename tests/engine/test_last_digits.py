"""Sums and small products agree with torch to the last bit, for programs print numbers with all their digits."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradcli.engine.numerics.products import (
    FUSED_COLUMNS,
    FUSED_ROWS,
    LARGE,
    LARGE_FUSED,
    added_product,
    batched_product,
    dot_product,
    matrix_product,
    matrix_vector_product,
)
from gradcli.engine.numerics.summation import THREADED, of_losses, total
from gradcli.engine.tensor import Tensor
from gradcli.ops.support.surface import OPERATIONS
from tests.engine.orders import FLOATS, OF_KNOWN_ORDER, SEEDS, numbers

torch = pytest.importorskip("torch")

LAYOUTS = st.sampled_from(["nn", "nt", "tn", "tt"])


@pytest.fixture(autouse=True, scope="module")
def one_thread() -> Iterator[None]:
    """Threads share out the rows of a product, and few rows are added in another order."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


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


def matrices(seed: int, rows: int, terms: int, columns: int, layout: str, dtype: Any) -> tuple[Any, Any]:
    """Two matrices; those that the layout says lie in memory column by column."""
    a, b = numbers(seed, (rows, terms), dtype), numbers(seed + 1, (terms, columns), dtype)
    if layout[0] == "t":
        a = np.ascontiguousarray(a.T).T
    return a, np.ascontiguousarray(b.T).T if layout[1] == "t" else b


SIZES = st.one_of(st.integers(1, 20), st.sampled_from([32, 64]))


@given(SEEDS, SIZES, st.one_of(st.integers(1, 40), st.sampled_from([64, 200])), SIZES, LAYOUTS, FLOATS)
def test_products(seed: int, rows: int, terms: int, columns: int, layout: str, dtype: Any) -> None:
    a, b = matrices(seed, rows, terms, columns, layout, dtype)
    bias = numbers(seed + 2, (columns,), dtype)
    found, added = matrix_product(a, b), added_product(bias, a, b)
    A, B, c = map(torch.from_numpy, (a, b, bias))
    limit = LARGE[a.dtype]
    if rows >= FUSED_ROWS and columns >= FUSED_COLUMNS:
        limit = LARGE_FUSED if dtype is np.float32 else 0
    if OF_KNOWN_ORDER and rows * terms * columns <= limit:
        assert same(found, A @ B)
        assert same(added, torch.addmm(c, A, B))
    np.testing.assert_allclose(found, (A @ B).numpy(), rtol=1e-4, atol=1e-4)
    np.testing.assert_allclose(added, torch.addmm(c, A, B).numpy(), rtol=1e-4, atol=1e-4)


@given(SEEDS, SIZES, SIZES, st.integers(0, 3), st.booleans(), FLOATS)
def test_products_with_vectors(seed: int, rows: int, terms: int, skipped: int, transposed: bool, dtype: Any) -> None:
    a = numbers(seed, (rows * terms + skipped,), dtype)[skipped:]  # rows that start anywhere in memory
    a, x = a.reshape(terms, rows).T if transposed else a.reshape(rows, terms), numbers(seed + 1, (terms,), dtype)
    expected = torch.from_numpy(a) @ torch.from_numpy(x)
    np.testing.assert_allclose(matrix_vector_product(a, x), expected.numpy(), rtol=1e-4, atol=1e-4)
    if OF_KNOWN_ORDER and not skipped:
        assert same(matrix_vector_product(a, x), expected)
    if OF_KNOWN_ORDER:
        y = numbers(seed + 2, (terms,), dtype)
        assert same(dot_product(x, y), torch.from_numpy(x) @ torch.from_numpy(y))


@given(SEEDS, st.integers(1, 4), st.integers(1, 9), st.integers(1, 12), st.integers(1, 11), FLOATS)
def test_products_of_batches(seed: int, count: int, rows: int, terms: int, columns: int, dtype: Any) -> None:
    a, b = numbers(seed, (count, rows, terms), dtype), numbers(seed + 1, (count, terms, columns), dtype)
    expected = torch.bmm(torch.from_numpy(a), torch.from_numpy(b))
    np.testing.assert_allclose(batched_product(a, b), expected.numpy(), rtol=1e-4, atol=1e-4)
    if OF_KNOWN_ORDER and a.size * columns <= LARGE[a.dtype]:
        assert same(batched_product(a, b), expected)


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


@pytest.mark.slow
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
