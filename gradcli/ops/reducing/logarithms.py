"""Running logarithms of sums of exponentials."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from gradcli.engine.checks.shapes import dimension
from gradcli.engine.primitive import Primitive, primitive
from gradcli.engine.symbolic.formula import Formula
from gradcli.ops.formulas import scans as entries
from gradcli.ops.pointwise.elementwise import exp, log
from gradcli.ops.pointwise.selection import where
from gradcli.ops.reducing.reductions import sum_dim
from gradcli.ops.shaping.joining import flip
from gradcli.ops.shaping.shaping import unsqueeze
from gradcli.ops.support.arguments import Real, check_size
from gradcli.ops.support.surface import operation


def _from_behind(x: Any, dim: int) -> Any:
    return flip(logcumsumexp(flip(x, dims=(dim,)), dim=dim), dims=(dim,))


def _logcumsumexp_rule(g: Any, out: Any, x: Any, *, dim: int) -> Any:
    """Sum `g[j]*exp(x[i] - out[j])` over all j from i on; the factor is never above 1.

    Numbers are summed by their logarithms, those of the positive gradients apart from the negative ones, as in torch,
    where large entries lose digits by it.
    """
    if not x.shape or 0 in x.shape:
        return g
    if not isinstance(x, Formula):
        least = float(np.finfo(x.dtype).min)
        logarithms = where(g > 0, log(g), least), where(g < 0, log(-g), least)
        more, less = (exp(_from_behind(each - out, dim) + x) for each in logarithms)
        return more - less
    behind = np.triu(np.ones((x.shape[dim],) * 2, bool)).reshape(*(x.shape[dim],) * 2, *(1,) * (len(x.shape) - dim - 1))
    exponents = where(behind, unsqueeze(x, dim=dim + 1) - unsqueeze(out, dim=dim), -math.inf)
    return sum_dim(unsqueeze(g, dim=dim) * exp(exponents), dim=dim + 1)


logcumsumexp: Primitive = primitive(
    "logcumsumexp",
    lambda x, *, dim: np.logaddexp.accumulate(x, axis=dim, dtype=np.float64).astype(x.dtype) if x.shape else x,
    _logcumsumexp_rule,
    structured=True,
    says="Each entry adds up, from its own place on, its softmax share of the gradients.",
    index=entries.running_logarithm,
)


@operation(
    "x = [[1, 3, -2], [0.5, 4, 1]]; logcumsumexp(x, 1)",
    "x = [[1, 3], [0.5, 4]]; logcumsumexp(x, 0)",
    kernel="logcumsumexp_out_cpu",
)
def logcumsumexp_(input: Real, dim: int) -> Any:
    """The logarithm of the running sum of the exponentials."""
    axis = dimension(dim, input.ndim)
    check_size((*input.shape, input.shape[axis] if input.ndim else 1))
    return logcumsumexp(input, dim=axis)
