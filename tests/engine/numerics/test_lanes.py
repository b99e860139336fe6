"""Functions of the vectorised kernels agree with torch to the last bit, in whole blocks and in what is left of them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradcli.engine.tensor import Tensor
from gradcli.ops.indexing.indexing import scattered
from gradcli.ops.nn.softmax import log_softmax_backward, softmax_backward
from gradcli.ops.support.surface import OPERATIONS

torch = pytest.importorskip("torch")

WIDE = torch.backends.cpu.get_cpu_capability() == "AVX512"  # another processor takes other blocks
SEEDS, SIZES = st.integers(0, 2**32 - 1), st.one_of(st.integers(1, 40), st.sampled_from([64, 100, 128]))
EXACT = ("softmax", "layer_norm")
GRADIENTS = {"softmax": softmax_backward, "log_softmax": log_softmax_backward}
NEARLY = ("sigmoid", "silu", "log_softmax", "logsigmoid", "softplus")  # the C library does not always give the nearest


def numbers(seed: int, *shape: int) -> Any:
    return (np.random.default_rng(seed).standard_normal(shape) * 3).astype(np.float32)


def both(name: str, x: Any, *arguments: Any) -> tuple[Any, Any]:
    """Return the result in gradcli and in torch."""
    at = getattr(torch.nn.functional, name, None) or getattr(torch, name)
    if name == "layer_norm":
        arguments = (x.shape[-1:],)
    found = OPERATIONS[name].function(Tensor(x), *arguments)
    return np.asarray(found.value), at(torch.from_numpy(x), *arguments).numpy()


@pytest.mark.parametrize("name", [*EXACT, *NEARLY])
@given(SEEDS, st.integers(1, 4), SIZES)
def test_results(name: str, seed: int, rows: int, size: int) -> None:
    found, expected = both(name, numbers(seed, rows, size), *[-1] * ("softmax" in name))
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-6)
    if WIDE:
        assert (found != expected).mean() <= (0 if name in EXACT else 0.2 + 1 / found.size)


@pytest.mark.parametrize("name", ["softmax", "log_softmax"])
@given(SEEDS, st.integers(1, 4), SIZES)
def test_gradients(name: str, seed: int, rows: int, size: int) -> None:
    x, g = numbers(seed, rows, size), numbers(seed + 1, rows, size)
    out = torch.from_numpy(x).requires_grad_()
    result = getattr(out, name)(-1)
    (expected,) = torch.autograd.grad(result, out, torch.from_numpy(g))
    found = GRADIENTS[name].forward(g, result.detach().numpy(), dim=1)
    np.testing.assert_allclose(found, expected.numpy(), rtol=1e-4, atol=1e-5)
    assert not WIDE or (name == "softmax" and size > 16) or (found == expected.numpy()).all()


@given(SEEDS, st.integers(1, 40), st.integers(1, 5))
def test_rows_are_added_in_order(seed: int, count: int, size: int) -> None:
    g, rows = numbers(seed, count, size), np.random.default_rng(seed).integers(0, 4, count)
    table = torch.zeros(4, size, requires_grad=True)
    for found in (table[torch.from_numpy(rows)], torch.nn.functional.embedding(torch.from_numpy(rows), table)):
        (expected,) = torch.autograd.grad(found, table, torch.from_numpy(g))
        assert (scattered(g, rows[:, None] * size + np.arange(size), (4, size)) == expected.numpy()).all()


@given(SEEDS, st.integers(1, 5), st.one_of(st.integers(2, 40), st.sampled_from([64, 100, 128])), st.booleans())
def test_gradients_of_layer_norms(seed: int, rows: int, size: int, weighted: bool) -> None:
    x, g, weight = numbers(seed, rows, size), numbers(seed + 1, rows, size), numbers(seed + 2, size)
    found, expected = [], []
    for made, inputs in (
        (found, [Tensor(each) for each in (x, weight)]),
        (expected, list(map(torch.tensor, (x, weight)))),
    ):
        rows_of, scale = (each.requires_grad_() for each in inputs)
        norm = torch.nn.functional.layer_norm if made is expected else OPERATIONS["layer_norm"].function
        out = norm(rows_of, (size,), weight=scale if weighted else None)
        out.backward(torch.from_numpy(g) if made is expected else Tensor(g))
        made += [np.asarray(each.grad.detach().numpy()) for each in (rows_of, scale)[: 1 + weighted]]
    for ours, theirs in zip(found, expected, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-3, atol=1e-4)
    if WIDE:
        assert all((ours == theirs).all() for ours, theirs in zip(found, expected, strict=True))


@given(SEEDS, st.integers(2, 40), st.one_of(st.integers(1, 20), st.sampled_from([32, 33])), st.booleans())
def test_batch_norms_of_columns(seed: int, rows: int, size: int, weighted: bool) -> None:
    x, g = numbers(seed, rows, size), numbers(seed + 1, rows, size)
    scales = [numbers(seed + 2 + n, size) for n in range(2)]
    found, expected = [], []
    for made, leaf in ((found, Tensor), (expected, torch.tensor)):
        batch, *scale = (leaf(each).requires_grad_() for each in (x, *scales))
        norm = torch.nn.functional.batch_norm if made is expected else OPERATIONS["batch_norm"].function
        out = norm(batch, None, None, *(scale if weighted else (None, None)), training=True)
        out.backward(leaf(g))
        made += [np.asarray(each.detach().numpy()) for each in (out, batch.grad, *(s.grad for s in scale if weighted))]
    for ours, theirs in zip(found, expected, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-3, atol=1e-2)
        assert not WIDE or (ours == theirs).all()


@pytest.mark.parametrize("name", ["elu", "celu"])
@given(SEEDS, st.integers(1, 4), SIZES)
def test_gradients_of_exponential_units(name: str, seed: int, rows: int, size: int) -> None:
    x = numbers(seed, rows, size)
    found, expected = Tensor(x).requires_grad_(), torch.tensor(x).requires_grad_()
    OPERATIONS[name].function(found).sum().backward()
    getattr(torch.nn.functional, name)(expected).sum().backward()
    here, there = np.asarray(found.grad.value), expected.grad.numpy()  # type: ignore[union-attr]
    np.testing.assert_allclose(here, there, rtol=1e-5, atol=1e-6)
    assert not WIDE or (here != there).mean() <= 1 / here.size
