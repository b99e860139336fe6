"""Clipped arrays, dtypes and results of several arrays are those of numpy."""

from __future__ import annotations

from tests.script.agreement import REFUSED, agree, programs

START = f"""import numpy as np
{REFUSED}
a = np.arange(24).reshape(2, 3, 4)
m = np.array([[1.0, 2.0], [3.0, 5.0]])
"""


@programs(
    "print(m.clip(2), m.clip(max=3), np.clip(m, 2, None), m.real, m.base is None, a.flat[5])",
    "print(type(m.dtype), np.fix([1.7, -1.7]))",
    "print(np.linalg.eigh(m @ m.T), np.linalg.svd(np.eye(2)).S, np.linalg.slogdet(m).sign)",
    "refused(lambda: m.append(1)); refused(lambda: np.nothing); refused(lambda: np.float(1)); "
    "refused(lambda: m.sum(axis=5))",
)
def test_arrays(program: str) -> None:
    agree(f"{START}{program}")
