"""Variance and standard deviation."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradcli.engine.primitive import primitive
from gradcli.engine.tensor import Tensor
from gradcli.ops.arguments import Dims, Real
from gradcli.ops.axes import Axes, aligned, axes, count, wrapped
from gradcli.ops.comparisons import equal
from gradcli.ops.reductions import mean, mean_dim
from gradcli.ops.selection import guarded
from gradcli.ops.surface import operation


def _freedom(x: Any, dim: Axes, correction: float) -> float:
    """The degrees of freedom; never below 0, as in torch."""
    return max(count(x.shape, dim) - correction, 0)


def _centred(x: Any, dim: Axes) -> Any:
    return x - (mean(x) if len(axes(dim, len(x.shape))) == len(x.shape) else mean_dim(x, dim=dim, keepdim=True))


def _var(x: Any, *, dim: Axes = None, correction: float = 1, keepdim: bool = False) -> Any:
    centred = x - mean_dim(x, dim=dim, keepdim=True)
    return np.sum(centred * centred, axis=axes(dim, x.ndim), keepdims=keepdim) / _freedom(x, dim, correction)


def _var_rule(g: Any, out: Any, x: Any, *, dim: Axes = None, correction: float = 1, keepdim: bool = False) -> Any:
    return 2 * aligned(g, x.shape, dim, keepdim) * _centred(x, dim) / _freedom(x, dim, correction)


def _std_rule(g: Any, out: Any, x: Any, *, dim: Axes = None, correction: float = 1, keepdim: bool = False) -> Any:
    g, out = aligned(g, x.shape, dim, keepdim), aligned(out, x.shape, dim, keepdim)
    return guarded(equal(out, 0), 0, g * _centred(x, dim) / out) / _freedom(x, dim, correction)


var = primitive("var", _var, _var_rule, structured=True)
std = primitive(
    "std",
    lambda x, *, dim=None, correction=1, keepdim=False: np.sqrt(
        _var(x, dim=dim, correction=correction, keepdim=keepdim)
    ),
    _std_rule,
    structured=True,
    kinks=lambda x, **options: np.equal(_var(x, **options), 0),
    convention="the gradient of std at equal values is 0",
)


def _options(input: Tensor, dim: Any, unbiased: bool, keepdim: bool, correction: float | None) -> dict[str, Any]:
    """Torch's three forms of the arguments: `var(x, False)`, `var(x, 0, False)` and `var(x, 0, correction=0)`."""
    if isinstance(dim, bool):
        dim, unbiased = None, dim
    if correction is None:
        correction = 1 if unbiased else 0
    return {"dim": wrapped(dim, input.ndim), "correction": correction, "keepdim": keepdim}


@operation(
    "x = [[1, -2, 5], [3, 0.5, 1]]; var(x)",
    "x = [[1, -2, 5], [3, 0.5, 1]]; var(x, dim=1)",
    "x = [[1, -2, 5], [3, 0.5, 1]]; var(x, 1, unbiased=False, keepdim=True)",
    "x = [[1, -2, 5], [3, 0.5, 1]]; var(x, correction=2)",
)
def var_(
    input: Real,
    dim: Dims | bool | None = None,
    unbiased: bool = True,
    keepdim: bool = False,
    *,
    correction: float | None = None,
) -> Any:
    """The variance: squared deviations over `n - correction`; `unbiased=False` is `correction=0`."""
    return var(input, **_options(input, dim, unbiased, keepdim, correction))


@operation(
    "x = [[1, -2, 5], [3, 0.5, 1]]; std(x)",
    "x = [[1, -2, 5], [3, 0.5, 1]]; std(x, dim=1)",
    "x = [[1, -2, 5], [3, 0.5, 1]]; std(x, (0, 1), unbiased=False, keepdim=True)",
    "x = [[1, -2, 5], [3, 0.5, 1]]; std(x, correction=0)",
)
def std_(
    input: Real,
    dim: Dims | bool | None = None,
    unbiased: bool = True,
    keepdim: bool = False,
    *,
    correction: float | None = None,
) -> Any:
    """The standard deviation, the root of the variance."""
    return std(input, **_options(input, dim, unbiased, keepdim, correction))
