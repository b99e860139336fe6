"""numpy's sums of products, statistics of pairs, sets, polynomials and dtypes."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from gradcli.engine.numerics.lapack import is_finite
from gradcli.script.numpy.functions import option, product
from gradcli.script.numpy.values import asarray, fits, value

Function = Callable[..., Any]
PAIRS = "isin intersect1d union1d setdiff1d setxor1d digitize convolve correlate cov corrcoef trapezoid"
MEASURED = ("convolve", "correlate", "cov", "corrcoef")  # functions whose work or size is a product


def einsum(subscripts: str, *operands: Any) -> Any:
    """Products summed over the axes that the subscripts do not keep."""
    values = [value(operand) for operand in operands]
    sizes: dict[str, int] = {}
    for letters, one in zip(subscripts.partition("->")[0].replace(" ", "").split(","), values, strict=False):
        named = letters.replace("...", "")
        sizes |= dict(zip(named, np.shape(one)[-len(named) :] if named else (), strict=False))
        if "..." in letters:
            sizes["..."] = max(sizes.get("...", 1), math.prod(np.shape(one)[: np.ndim(one) - len(named)]))
    fits(math.prod(sizes.values()) // 2**6)
    kept = subscripts.rpartition("->")[2]
    fits(math.prod(size for name, size in sizes.items() if name in kept))
    return np.einsum(subscripts, *values)


def tensordot(a: Any, b: Any, axes: Any = 2) -> Any:
    """The sum of products over several axes."""
    plain: Any = axes if isinstance(axes, int) else tuple(tuple(x) if isinstance(x, list) else x for x in axes)
    x, y = value(a), value(b)
    fits(np.size(x) * np.size(y) // max(np.size(x), np.size(y), 1) if axes else np.size(x) * np.size(y))
    return product(lambda p, q: np.tensordot(p, q, plain), x, y)


def gradient(f: Any, *varargs: Any, axis: Any = None) -> Any:
    """Differences between neighbours."""
    return np.gradient(value(f), *map(value, varargs), axis=axis)


def pairs(name: str) -> Function:
    """Wrap a function of one or two arrays."""
    function = getattr(np, name)

    def call(*arrays: Any, **options: Any) -> Any:
        values: list[Any] = [x if isinstance(x, str | bool) or x is None else value(x) for x in arrays]
        if name in MEASURED:
            sizes = [np.size(x) for x in values if not isinstance(x, str | bool)]
            fits(math.prod(max(size, 1) for size in sizes) // 2**6)
            fits((np.shape(values[0]) or (1,))[0] ** 2 if np.ndim(values[0]) > 1 else 0)
        return function(*values, **{key: option(x) for key, x in options.items()})

    return call


def interp(x: Any, xp: Any, fp: Any) -> Any:
    """Interpolate linearly between points."""
    return np.interp(value(x), value(xp), value(fp))


def polyfit(x: Any, y: Any, deg: int) -> Any:
    """The polynomial nearest to points."""
    points = value(x), value(y)
    fits(np.size(points[0]) * (deg + 1))
    if not is_finite(*points):
        raise np.linalg.LinAlgError("SVD did not converge in Linear Least Squares")
    return np.polyfit(*points, deg)


def bincount(x: Any, weights: Any = None, minlength: int = 0) -> Any:
    """Count how often each whole number occurs."""
    numbers = asarray(x)
    fits(max(int(numbers.max(initial=0)), minlength))
    return np.bincount(numbers, None if weights is None else value(weights), minlength)


def histogram(a: Any, bins: Any = 10, range: Any = None, density: bool = False) -> Any:
    """Count the entries between edges."""
    fits(bins if isinstance(bins, int) else 0)
    return np.histogram(value(a), option(bins), range, density)


ALGEBRA: dict[str, Any] = {name: pairs(name) for name in PAIRS.split()}
ALGEBRA |= {
    function.__name__: function
    for function in (
        einsum, tensordot, gradient, interp, polyfit, bincount, histogram,
    )
}  # fmt: skip
ALGEBRA |= {
    "shares_memory": lambda a, b: np.may_share_memory(value(a), value(b)),
    "may_share_memory": lambda a, b: np.may_share_memory(value(a), value(b)),
}
