"""Functions of the normal distribution (probabilities, quantiles, the scaled error function) and terms of entropies."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from gradcli.engine.domain import EVERYWHERE, POSITIVE, above, between
from gradcli.engine.primitive import Primitive, primitive
from gradcli.engine.symbolic.notation import Notation
from gradcli.ops.pointwise.comparisons import at_most, both, equal
from gradcli.ops.pointwise.elementwise import elementwise, erf, exp, log, log1p
from gradcli.ops.pointwise.numbers import by_number
from gradcli.ops.pointwise.scalars import add_number, mul_number
from gradcli.ops.pointwise.selection import guarded
from gradcli.ops.support.arguments import Operand, Real, as_tensor
from gradcli.ops.support.constants import SQRT_2_OVER_PI, SQRT_PI
from gradcli.ops.support.surface import operation

FAR = 25.0  # from here on `erfc` nears underflow


def _scaled_complement(x: float) -> float:
    """Return `exp(x*x)*erfc(x)`; for large x by Laplace's continued fraction, evaluated from its end."""
    if x < FAR:
        return math.exp(x * x) * math.erfc(x) if x > -26.7 else math.inf
    if x > 1e8 or x != x:
        return 1 / (x * math.sqrt(math.pi))
    fraction = 0.0
    for k in range(30, 0, -1):
        fraction = k / 2 / (x + fraction)
    return 1 / ((x + fraction) * math.sqrt(math.pi))


def _quantile(p: float) -> float:
    """Return the normal quantile: Python's own, and one step of Newton's method for its last digits."""
    from statistics import NormalDist

    if not 0 < p < 1:
        return math.nan if p not in (0, 1) else math.copysign(math.inf, p - 0.5)
    x = NormalDist().inv_cdf(p)
    if x < -37:  # here the density is too small to divide by
        return x
    below = 0.5 * math.erfc(-x / math.sqrt(2))
    return x - (below - p) * math.sqrt(2 * math.pi) * math.exp(x * x / 2)


def _log_probability(x: Any) -> Any:
    """Return the logarithm of the area in torch's steps, whose squares are rounded to the precision of `x`."""
    x = np.asarray(x)
    t = x * x.dtype.type(math.sqrt(0.5))
    above = by_number(lambda t: math.log1p(-math.erfc(t) / 2))(np.maximum(t, -1))
    below = by_number(math.log)(by_number(_scaled_complement)(np.clip(-t, 0.5, 1e30)) / 2)
    with np.errstate(over="ignore"):
        return np.where(x < -1, below - t * t, above)[()]


def _entropy(x: Any) -> Any:
    return np.where(np.less(x, 0), -np.inf, np.where(np.equal(x, 0), 0, -x * np.log(x))).astype(x.dtype)[()]


erfcx: Primitive = elementwise(
    "erfcx",
    by_number(_scaled_complement),
    lambda g, out, x: 2 * g * (x * out) - 2 * g / SQRT_PI.beside(g),
    "`exp(x**2)*erfc(x)`, which stays a number far from 0.",
    node="SpecialErfcxBackward0",
    method=False,
    says="The derivative is 2*x times itself, less 2/sqrt(pi).",
)
ndtri: Primitive = elementwise(
    "ndtri",
    by_number(_quantile),
    lambda g, out, x: 2 * g / SQRT_2_OVER_PI.beside(g) * exp(out**2 / 2),
    "The quantile of the normal distribution: the inverse of `ndtr`.",
    node="SpecialNdtriBackward0",
    domain=between(0, 1),
    method=False,
    says="The derivative of an inverse is one over the height of the bell curve, taken at the result.",
)
log_ndtr: Primitive = elementwise(
    "log_ndtr",
    _log_probability,
    lambda g, out, x: g / 2 * SQRT_2_OVER_PI.beside(g) * exp(-(out + x**2 / 2)),
    "The logarithm of `ndtr`, exact far below 0.",
    node="SpecialLogNdtrBackward0",
    method=False,
    says="The derivative of the logarithm of an area is the height of the bell curve over the area.",
)
entr: Primitive = elementwise(
    "entr",
    _entropy,
    lambda g, out, x: g * (-log(x) - 1),
    "`-x*log(x)`, and 0 at 0: the terms of an entropy.",
    node="SpecialEntrBackward0",
    domain=POSITIVE,
    method=False,
    says="The derivative of -x*log(x) is -log(x) - 1.",
)


def _xlog1py(x: Any, y: Any) -> Any:
    return np.where(np.equal(x, 0) & ~np.isnan(y), 0, x * np.log1p(1.0 * y))[()]


def _factor_rule(g: Any, out: Any, x: Any, y: Any) -> Any:
    return guarded(both(equal(x, 0), at_most(y, -1)), 0, g * log1p(y))


def _declare(name: str, *rules: Any, number: int, says: str, notation: Notation | None = None) -> Primitive:
    """Declare one of torch's three nodes of xlog1py: of two tensors, of a number first, of a number second."""
    return primitive(
        name,
        _xlog1py,
        *rules,
        node=f"SpecialXlog1PyBackward{number}",
        says=says,
        notation=notation,
        domain=EVERYWHERE if number == 2 else above(-1, 1),
        convention="0*log1p(-1) is 0, and flat in its factor",
    )


xlog1py = _declare(
    "xlog1py",
    _factor_rule,
    lambda g, out, x, y: g * x / (y + 1),
    number=0,
    says="The factor gets log(1 + y), and y gets the factor over 1 + y.",
)
xlog1py_of = _declare(
    "xlog1py_of",
    None,
    lambda g, out, x, y: g * x / (y + 1),
    number=1,
    says="The derivative of x*log(1 + y) by y is x/(1 + y).",
    notation=xlog1py.notation,
)
xlog1py_number = _declare(
    "xlog1py_number",
    _factor_rule,
    number=2,
    says="The derivative of x*log(1 + y) by x is log(1 + y).",
    notation=xlog1py.notation,
)


@operation(
    "x = [3, 1]; y = [4, 2]; xlog1py(x, y)",
    "x = [3, 1]; xlog1py(x, 2)",
    "y = [4, 2]; xlog1py(2, y)",
    method=False,
    numbers="first",
)
def xlog1py_(input: Operand, other: Operand) -> Any:
    """`input*log1p(other)`, and 0 where the input is 0."""
    if isinstance(other, int | float):
        return xlog1py_number(as_tensor(input), other + 0)  # True is 1
    return xlog1py_of(input, other) if isinstance(input, int | float) else xlog1py(input, other)


@operation("x = [0.25, -0.5]; ndtr(x)", method=False)
def ndtr(input: Real) -> Any:
    """The probability that a standard normal number is at most the input."""
    return mul_number(add_number(erf(mul_number(input, math.sqrt(0.5))), 1), 0.5)
