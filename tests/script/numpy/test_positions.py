"""Rows, margins and places of arrays, sums of products and dtypes are those of numpy."""

from __future__ import annotations

import re

import pytest

from tests.script.agreement import REFUSED, agree, limited, programs
from tests.script.running import ours

START = f"""import numpy as np
{REFUSED}
a = np.arange(24).reshape(2, 3, 4)
m = np.array([[1.0, 2.0], [3.0, 5.0]])
"""


@programs(
    "print(np.append(m, m), np.append(m, [[1, 2]], axis=0), np.pad(m, 1), np.pad([1, 2], (0, 2), mode='edge'))",
    "print(np.r_[1:3, 7], np.c_[[1, 2], [3, 4]], np.c_[m, np.ones(2)])",
    "print(np.unravel_index(a.argmax(), a.shape))",
    "print(np.einsum('ij,jk->ik', m, m), np.einsum('ii', m), np.einsum('i,i->', m[0], m[1]), np.einsum('ijk->i', a))",
    "print(np.isin([1, 2], [2]), np.bincount([0, 1, 1]), np.polyfit([0, 1, 2], [1, 3, 5], 1).round(6))",
    "print(np.cov([1, 2, 3], [1, 2, 4]), np.corrcoef([1, 2, 3], [1, 2, 4]), np.convolve([1, 2, 3], [0, 1]))",
    "print(m.clip(2), m.clip(max=3), np.clip(m, 2, None), m.real, m.base is None, a.flat[5])",
    "print(type(m.dtype), np.fix([1.7, -1.7]))",
    "print(np.linalg.eigh(m @ m.T), np.linalg.svd(np.eye(2)).S, np.linalg.slogdet(m).sign)",
    "it = np.nditer(m.T, flags=['multi_index'], op_flags=['readwrite'])\n"
    "while not it.finished:\n    m[it.multi_index] += 1\n    print(it.multi_index, it[0])\n    it.iternext()",
    "for v in np.nditer(m, op_flags=['readwrite']): v[...] = 2 * v\nprint(m)",
    "print(list(np.ndindex(2, 1)), list(np.ndindex(m.shape)), [(i, v) for i, v in np.ndenumerate(m)])",
    "refused(lambda: m.append(1)); refused(lambda: np.nothing); refused(lambda: np.float(1)); "
    "refused(lambda: m.sum(axis=5))",
)
def test_positions_and_products(program: str) -> None:
    agree(f"{START}{program}")


@pytest.mark.slow
@programs(
    "np.r_[0:10**10]",
    "np.einsum('i,j,k,l->', *[np.ones(3000)] * 4)",
    "np.convolve(np.ones(10**6), np.ones(10**6))",
    "np.cov(np.ones((10**5, 2)))",
    "np.pad([1], 10**12)",
    "np.bincount([10**12])",
)
def test_what_would_not_fit(program: str) -> None:
    limited(f"import numpy as np\n{program}")


@pytest.mark.parametrize("walk", ["nditer(m, flags=['external_loop'])", "nditer((m, m))", "nditer(m).operands"])
def test_other_walks_are_refused_by_name(walk: str) -> None:
    assert re.search(r"Error: .*nditer.* is not supported", ours(f"{START}np.{walk}"))
