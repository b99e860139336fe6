"""Incomplete gamma functions, the zeta function of Hurwitz, and the gamma function of several dimensions."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from gradcli.engine.domain import Domain
from gradcli.engine.primitive import Primitive, primitive
from gradcli.errors import AutogradError
from gradcli.ops.pointwise.elementwise import exp, log
from gradcli.ops.pointwise.numbers import by_pair
from gradcli.ops.reducing.reductions import sum_dim
from gradcli.ops.shaping.shaping import unsqueeze
from gradcli.ops.special.special import NO_POLE, digamma, lgamma
from gradcli.ops.support.arguments import Operand, Real, check_size, real
from gradcli.ops.support.surface import operation

STEPS = 2000  # the most terms of a series or a continued fraction
SMALL = 1e-300  # replaces a 0 that the continued fraction would divide by
HUGE = 1e15  # orders from which the cube root of x/a counts as normally distributed
BOTH_POSITIVE = Domain("0 < {0} and 0 < {1}", lambda a, x: np.greater(a, 0) & np.greater(x, 0))
MOST_DIMENSIONS = 10_000  # of the gamma function of several


def _lower(a: float, x: float) -> float:
    """Return the regularized lower function: its series for small x, else 1 less the upper one's fraction.

    Press and others, Numerical Recipes, section 6.2.
    """
    if not (a >= 0 and x >= 0) or a == x == math.inf:
        return math.nan
    if a == 0 or x == math.inf:
        return 1.0 if x > 0 else math.nan
    if x == 0 or a == math.inf:
        return 0.0
    if a > HUGE:
        return math.erfc(-_deviation(a, x)) / 2
    front = math.exp(a * math.log(x) - x - math.lgamma(a))
    return _series(a, x) * front if x < a + 1 else 1 - _fraction(a, x) * front


def _upper(a: float, x: float) -> float:
    if not (a > 0 and 0 < x < math.inf) or x < a + 1:
        return 1 - _lower(a, x)
    if a > HUGE:
        return math.erfc(_deviation(a, x)) / 2
    return _fraction(a, x) * math.exp(a * math.log(x) - x - math.lgamma(a))


def _deviation(a: float, x: float) -> float:
    """Return the distance of `x` from the middle of the gamma distribution of order `a`, in units of erf.

    Wilson and Hilferty, The distribution of chi-square (1931).
    """
    return 3 * math.sqrt(a / 2) * (math.cbrt(x / a) - 1 + 1 / (9 * a))


def _series(a: float, x: float) -> float:
    term = total = 1 / a
    for k in range(1, STEPS):
        term *= x / (a + k)
        total += term
        if term < total * 1e-17:
            break
    return total


def _fraction(a: float, x: float) -> float:
    b = x + 1 - a
    c, d = 1 / SMALL, 1 / b
    found = d
    for k in range(1, STEPS):
        factor, b = -k * (k - a), b + 2
        d = factor * d + b or SMALL
        c = b + factor / c or SMALL
        d = 1 / d
        found *= d * c
        if abs(d * c - 1) < 1e-16:
            break
    return found


def _zeta(s: float, q: float) -> float:
    """Return the sum of `(q + k)**-s`, by the formula of Euler and Maclaurin behind the first terms."""
    if s == 1:
        return math.inf
    if s < 1 or q != q:
        return math.nan
    if math.isinf(q):
        return math.nan if q > 0 else math.inf
    if q <= 0 and q == math.floor(q):
        return math.inf
    if s != s or (q <= 0 and s < math.inf and s != math.floor(s)):
        return math.nan
    if q < -STEPS:  # the many terms below 0 are terms of a positive q, up to their sign
        r, sign = q - math.floor(q), -1 if s % 2 else 1
        return sign * (_zeta(s, 1 - r) - _zeta(s, 1 - q)) + _zeta(s, r)
    first = max(12, math.ceil(12 - q))
    terms = [_inverse_power(q + k, s) for k in range(first)]
    if infinite := [term for term in terms if math.isinf(term)]:
        return infinite[0]
    total, x = math.fsum(terms), q + first
    if abs(terms[-1]) < abs(total) * 1e-17:
        return total
    total += math.pow(x, 1 - s) / (s - 1) + math.pow(x, -s) / 2
    factor = s * x ** (-s - 1)
    for k, bernoulli in enumerate((1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6), 1):
        total += bernoulli / math.factorial(2 * k) * factor
        factor *= (s + 2 * k - 1) / x * ((s + 2 * k) / x)
    return total


def _inverse_power(q: float, s: float) -> float:
    """Return `q**-s`, infinite where it overflows."""
    try:
        return math.pow(q, -s)
    except OverflowError:
        return math.copysign(math.inf, q) if s % 2 == 1 else math.inf


def _density(a: Any, x: Any) -> Any:
    return exp((a - 1) * log(x) - x - lgamma(a))


lower: Primitive = primitive(
    "igamma",
    by_pair(_lower),
    None,
    lambda g, out, a, x: g * _density(a, x),
    domain=BOTH_POSITIVE,
    says="The derivative of an area by its upper end is the height of the curve there.",
)
upper: Primitive = primitive(
    "igammac",
    by_pair(_upper),
    None,
    lambda g, out, a, x: -g * _density(a, x),
    domain=BOTH_POSITIVE,
    says="The derivative of the area that is left is minus the height of the curve.",
)
zeta: Primitive = primitive(
    "zeta",
    by_pair(_zeta),
    None,
    lambda g, out, s, q: -g * s * zeta(s + 1, q),
    node="SpecialZetaBackward0",
    domain=Domain("1 < {0} and 0 < {1}", lambda s, q: np.greater(s, 1) & np.greater(q, 0)),
    says="Each term 1/(k + q)**s has one power more and the factor -s.",
)


def _multivariate(x: Any, *, p: int) -> Any:
    values = np.asarray(x, np.float64)[..., None] - np.arange(p) / 2
    logs = lgamma.forward(values).sum(axis=-1) + p * (p - 1) / 4 * math.log(math.pi)
    return logs.astype(x.dtype)[()]


def _multivariate_rule(g: Any, out: Any, x: Any, *, p: int) -> Any:
    steps = 0 - np.arange(p) / 2  # 0 and not -0, for the pole at 0 has two sides
    return g * sum_dim(digamma(unsqueeze(x, dim=len(x.shape)) + steps.astype(x.dtype)), dim=len(x.shape))


def _no_pole(*, p: int) -> Domain:
    """Return where none of the gamma functions has a pole."""
    steps = np.arange(p) / 2
    unit = "{0}" if p == 1 else "2*{0}"
    return Domain(
        f"{(p - 1) / 2:g} < {{0}} or {unit} is no whole number",
        lambda x, **_: NO_POLE.holds(np.asarray(x)[..., None] - steps).all(axis=-1),
    )


mvlgamma = primitive(
    "mvlgamma",
    _multivariate,
    _multivariate_rule,
    domain=_no_pole,
    says="The sum of several log-gammas has the sum of their digammas as its slope.",
)


@operation("x = [0.5, 3]; igamma([2.0, 1.5], x)", aliases=["gammainc"])
def igamma(input: Real, other: Real) -> Any:
    """The regularized lower incomplete gamma function of `other`; its order is the input."""
    return lower(input, other)


@operation("x = [0.5, 3]; igammac([2.0, 1.5], x)", aliases=["gammaincc"])
def igammac(input: Real, other: Real) -> Any:
    """The regularized upper incomplete gamma function of `other`; its order is the input."""
    return upper(input, other)


@operation("x = [1.5, 3]; zeta([2.0, 3.0], x)", method=False, numbers="first")
def zeta_(input: Operand, other: Operand) -> Any:
    """The zeta function of Hurwitz: the sum of `(k + other)**-input` from k = 0 on."""
    return zeta(real(input), real(other))


@operation("x = [2.5, 3]; mvlgamma(x, 2)", torch=["special.multigammaln"])
def mvlgamma_(input: Real, p: int) -> Any:
    """The logarithm of the gamma function of `p` dimensions."""
    if p < 1:
        raise AutogradError("p has to be greater than or equal to 1")
    if p > MOST_DIMENSIONS:
        raise AutogradError(f"mvlgamma(x, p) takes p up to {MOST_DIMENSIONS:,} here")
    check_size((*input.shape, p))  # terms of its sum
    return mvlgamma(input, p=p)
