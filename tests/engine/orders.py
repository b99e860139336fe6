"""Whether the libraries of torch and numpy add the terms of products on this processor as the rules suppose.

Small products are not fused and go in lanes; larger ones are fused and go in order.
"""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any

import numpy as np
from hypothesis import strategies as st

from gradcli.engine.numerics.register_sums import fused

FLOATS = st.sampled_from([np.float32, np.float64])
SEEDS = st.integers(0, 2**32 - 1)
SHAPES = [(4, 16, 17), (5, 8, 17), (5, 17, 12), (16, 16, 16), (16, 32, 20)]  # for which libraries have other code


def numbers(seed: int, shape: tuple[int, ...], dtype: Any = np.float32) -> Any:
    return np.random.default_rng(seed).standard_normal(shape).astype(dtype)


def _fused(rows: int, columns: int) -> bool:
    import torch

    a = torch.tensor([[1.0, 1 + 2**-12]]).repeat(rows, 1)
    b = torch.tensor([[-(1 + 2**-11)], [1 + 2**-12]]).repeat(1, columns)
    return bool(((a @ b) == 2.0**-24).all())


def _in_order(rows: int, terms: int, columns: int) -> bool:
    """Whether the terms of each entry are added one after the other, each product and sum with one rounding."""
    import torch

    random = np.random.default_rng(rows)
    shapes = ((rows, terms), (terms, columns))
    a, b = (random.standard_normal(shape).astype(np.float16).astype(np.float32) for shape in shapes)
    expected = np.zeros((rows, columns), np.float32)
    for term in range(terms):  # exact in doubles, then rounded
        expected = (expected + np.outer(a[:, term], b[term]).astype(np.float64)).astype(np.float32)
    found = [(torch.from_numpy(a) @ torch.from_numpy(b)).numpy(), fused(a, b)]  # of torch's library, and of numpy's
    return all(np.array_equal(one, expected) for one in found)


def _in_lanes() -> bool:
    import torch

    return float((torch.tensor([[2.0**40, 1, -(2.0**40), 1]] * 2) @ torch.ones(4, 4).t())[0, 0]) == 2


def _is_known() -> bool:
    if find_spec("torch") is None:
        return False
    return _in_lanes() and not _fused(2, 2) and _fused(16, 16) and all(_in_order(*shape) for shape in SHAPES)


OF_KNOWN_ORDER = _is_known()
