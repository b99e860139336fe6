"""Functions of single precision that are computed in double precision and rounded once.

numpy's own are quick, and often off by one unit in the last digit, where this is the number nearest to the true value.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

import numpy as np

SINGLE = np.dtype(np.float32)
MANY = 2**16  # entries from which numpy's own functions are used: nobody looks at all of their digits
PLAIN = frozenset({int, float, bool})  # numbers of Python alone: a double of numpy is a float too


def nearest(function: Callable[..., Any]) -> Callable[..., Any]:
    """Round a function of numpy once; of a plain number it returns one.

    `spare` is an array that may be written over, as `x` itself where nobody else needs it.
    """

    @wraps(function)
    def compute(x: Any, spare: Any = None) -> Any:
        if type(x) in PLAIN:
            return float(function(x, dtype=np.float64))
        if x.dtype is SINGLE and x.size <= MANY:
            return function(x, dtype=np.float64).astype(SINGLE)
        return function(x, out=spare)

    return compute


exp, expm1, exp2 = nearest(np.exp), nearest(np.expm1), nearest(np.exp2)
log, log1p, tanh = nearest(np.log), nearest(np.log1p), nearest(np.tanh)


def raise_to_power(x: Any, y: Any) -> Any:
    """Return `x**y`; single precision where numpy has single precision."""
    if isinstance(y, np.floating) and y == 0.5 and isinstance(x, np.ndarray):
        y = np.full(x.shape, y)  # of a number numpy would take the root, which -inf has not
    dtypes = [value.dtype for value in (x, y) if isinstance(value, np.ndarray | np.generic)]
    if all(each is SINGLE for each in dtypes) and np.size(x) <= MANY:
        return np.power(x, y, dtype=np.float64).astype(SINGLE)
    if isinstance(x, np.floating) and np.ndim(y) == 0:
        return (np.full(1, x) ** y)[0]  # numpy raises single numbers by another function, with other last digits
    if isinstance(y, np.ndarray | np.generic) and y.dtype.kind == "i" and not is_floating(x):
        return _whole_power(x, y)
    return x**y


def is_floating(x: Any) -> bool:
    return isinstance(x, float) or (isinstance(x, np.ndarray | np.generic) and x.dtype.kind == "f")


def _whole_power(x: Any, y: Any) -> Any:
    """Return integers to negative powers, truncated to integers, where the exponents are a tensor."""
    part = np.where(np.equal(x, 1), 1, np.where(np.equal(x, -1), 1 - 2 * (y % 2), 0))
    return np.where(y < 0, part, x ** np.maximum(y, 0)).astype((x ** np.abs(y)).dtype)[()]
