"""Parts, grids and places of arrays, sums of products, sets and dtypes are those of numpy."""

from __future__ import annotations

import pytest

from tests.script.agreement import REFUSED, agree, limited, programs

START = f"""import numpy as np
{REFUSED}
a = np.arange(24).reshape(2, 3, 4)
m = np.array([[1.0, 2.0], [3.0, 5.0]])
"""


@programs(
    "print(np.hsplit(a, 3)[0], np.vsplit(a, 2)[1], np.append(m, m))",
    "print(np.r_[1:3, 7], np.c_[[1, 2], [3, 4]], np.mgrid[0:2, 0:3], np.ogrid[0:2, 0:2])",
    "print(np.unravel_index(a.argmax(), a.shape))",
    "print(np.broadcast_arrays([1, 2], 3)[1])",
    "print(np.einsum('ij,jk->ik', m, m), np.einsum('ii', m), np.einsum('i,i->', m[0], m[1]), np.einsum('ijk->i', a))",
    "print(np.tensordot(m, m, axes=1), np.tensordot(m, m, axes=([0], [1])))",
    "print(np.isin([1, 2], [2]), np.intersect1d([1, 2], [2, 3]), np.union1d([1], [2]), np.setdiff1d([1, 2], [2]))",
    "print(np.cov([1, 2, 3], [1, 2, 4]), np.corrcoef([1, 2, 3], [1, 2, 4]), np.gradient([1.0, 4.0, 9.0]))",
    "print(np.digitize([0.5], [0, 1]), np.convolve([1, 2, 3], [0, 1]), np.trapezoid([1, 2, 3]))",
    "print(m.clip(2), m.clip(max=3), np.clip(m, 2, None), m.real, m.base is None, a.flat[5])",
    "print(type(m.dtype), np.fix([1.7, -1.7]))",
    "print(np.linalg.eigh(m @ m.T), np.linalg.svd(np.eye(2)).S, np.linalg.slogdet(m).sign)",
    "print(np.shares_memory(m, m[0]), np.shares_memory(m, m.copy()), m.view().base is m)",
    "refused(lambda: m.append(1)); refused(lambda: np.nothing); refused(lambda: np.float(1)); "
    "refused(lambda: m.sum(axis=5))",
)
def test_positions_and_products(program: str) -> None:
    agree(f"{START}{program}")


@pytest.mark.slow
@programs(
    "np.mgrid[0:10**5, 0:10**5]",
    "np.r_[0:10**10]",
    "np.einsum('i,j,k,l->', *[np.ones(3000)] * 4)",
    "np.convolve(np.ones(10**6), np.ones(10**6))",
    "np.tensordot(np.ones(10**5), np.ones(10**5), axes=0)",
    "np.cov(np.ones((10**5, 2)))",
    "np.broadcast_arrays(np.ones((10**6, 1)), np.ones((1, 10**6)))[0].copy()",
)
def test_what_would_not_fit(program: str) -> None:
    limited(f"import numpy as np\n{program}")
