"""Special functions of one number: gamma and its derivatives, the error functions, entropies, sinc, logit."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from gradcli.engine.carrier import Carrier
from gradcli.engine.domain import EVERYWHERE, POSITIVE, Domain, between
from gradcli.engine.primitive import Primitive, primitive
from gradcli.engine.symbolic.notation import number
from gradcli.errors import AutogradError
from gradcli.language.tree import Argument, Call, Name
from gradcli.ops.pointwise.comparisons import both, either, equal
from gradcli.ops.pointwise.elementwise import by_number, elementwise, erf, exp, log
from gradcli.ops.pointwise.scalars import add_number, mul_number
from gradcli.ops.pointwise.selection import guarded, where
from gradcli.ops.pointwise.trigonometry import cos, sin
from gradcli.ops.support.arguments import Real
from gradcli.ops.support.constants import SQRT_PI, Constant
from gradcli.ops.support.surface import operation

PI = Constant(math.pi, Name("pi"))
BERNOULLI = (1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6)  # B2, B4, ...
FAR = 12  # from here on the asymptotic series is exact to the last digit
NO_POLE = Domain("0 < {0} or {0} is no whole number", lambda x, **_: (x > 0) | (x != np.floor(x)))


def _sinc_rule(g: Carrier, out: Carrier, x: Carrier) -> Any:
    pi = PI.beside(x)
    return guarded(equal(x, 0), 0, g * ((pi * x * cos(pi * x) - sin(pi * x)) / (pi * x**2)))


def _inverse_error(y: float) -> float:
    """Return the inverse of erf: by the normal quantile, and one step of Newton's method for its lost digits."""
    from statistics import NormalDist

    if not -1 < y < 1:
        return math.copysign(math.inf, y) if abs(y) == 1 else math.nan
    x = math.copysign(NormalDist().inv_cdf((1 - abs(y)) / 2) / math.sqrt(2), y)
    return x - (math.erf(x) - y) * math.sqrt(math.pi) / 2 * math.exp(x * x)


def _log_gamma(x: float) -> float:
    if x != x or x in (math.inf, -math.inf):
        return abs(x)
    return math.inf if x <= 0 and x == int(x) else math.lgamma(x)


def _polygamma(x: Any, *, n: int) -> Any:
    """Return the derivative of order `n + 1` of `lgamma`: a recurrence to large x, there the asymptotic series.

    Far left of 0 the terms of the recurrence are those of a series too, the other way round.
    Abramowitz and Stegun, Handbook of Mathematical Functions, 6.3.18, 6.4.6 and 6.4.11.
    """
    given = np.asarray(x)
    x = given.astype(np.float64)
    sign, factorial = (-1) ** (n + 1), math.factorial(n)
    pole = (x <= 0) & (x == np.floor(x))
    start = np.where((x < -FAR) & np.isfinite(x), x + np.floor(-x) - FAR, x)
    out = np.where(start > x, _series(1 - start, n) - _series(1 - x, n), 0)
    x = start
    while (near := (x < FAR) & np.isfinite(x)).any():
        out = np.where(near, out + sign * factorial / x ** (n + 1), out)
        x = np.where(near, x + 1, x)
    found = np.where((given == math.inf) & (n > 1), math.nan, out + sign * _series(x, n))
    at_pole = np.where(given == 0, -math.inf, math.nan) if n == 0 else sign * math.inf
    return np.where(pole, at_pole, found).astype(given.dtype)[()]


def _series(x: Any, n: int) -> Any:
    """Return the asymptotic series of `polygamma`, but for its sign."""
    series = -np.log(x) if n == 0 else math.factorial(n - 1) / x**n
    series = series + math.factorial(n) / (2 * x ** (n + 1))
    for k, bernoulli in enumerate(BERNOULLI, 1):
        series = series + bernoulli * math.factorial(2 * k + n - 1) / math.factorial(2 * k) / x ** (2 * k + n)
    return series


sinc = elementwise(
    "sinc",
    np.sinc,
    _sinc_rule,
    "`sin(pi*x)/(pi*x)`, and 1 at 0.",
    convention="sinc'(0) = 0",
    says="The quotient rule for sin(pi*x)/(pi*x); at 0 it is flat.",
)
frac = elementwise(
    "frac",
    lambda x: x - np.trunc(x),
    lambda g, out, x: g,
    "The fractional part, with the sign of the input.",
    kinks=lambda x: np.equal(x, np.floor(x)) & np.not_equal(x, 0),
    convention="frac' is 1 at its jumps too",
    integers_stay=True,
    pieces=np.trunc,
    says="The fraction moves along with the input, so the gradient goes back unchanged.",
)
erfc = elementwise(
    "erfc",
    by_number(math.erfc),
    lambda g, out, x: -2 * g / SQRT_PI.beside(g) * exp(-(x**2)),
    "`1 - erf(x)`, exact where that is small.",
    says="The derivative of 1 - erf(x) is minus a bell curve, -2/sqrt(pi)*exp(-x**2).",
)
erfinv: Primitive = elementwise(
    "erfinv",
    by_number(_inverse_error),
    lambda g, out, x: g * (SQRT_PI.beside(g) / 2 * exp(erfinv(x) ** 2)),
    "The inverse of erf.",
    domain=between(-1, 1),
    says="The derivative of an inverse is one over that of erf, taken at the result.",
)
polygamma: Primitive = primitive(
    "polygamma",
    _polygamma,
    lambda g, out, x, *, n: g * polygamma(x, n=n + 1),
    notation=lambda operands, options: Call(
        "polygamma", tuple(map(Argument, (number(options["n"]), operands[0].tree)))
    ),
    domain=NO_POLE,
    says="The derivative of each of these functions is the next one.",
    node_in_place="PolygammaBackward1",
)


def _digamma(x: Any) -> Any:
    found = _polygamma(x, n=0)
    return np.where(np.equal(x, 0), np.copysign(np.inf, -x), found).astype(found.dtype)[()]


digamma = elementwise(
    "digamma",
    _digamma,
    lambda g, out, x: g * polygamma(x, n=1),
    "The derivative of `lgamma`.",
    example="x = [30, 50]; digamma(x)",
    domain=NO_POLE,
    torch=["special.psi"],
    says="The derivative of digamma is the first polygamma function.",
)
lgamma = elementwise(
    "lgamma",
    by_number(_log_gamma),
    lambda g, out, x: g * digamma(x),
    "The logarithm of the gamma function, which is that of a factorial: `exp(lgamma(n + 1)) = n!`.",
    example="x = [0.5, 3]; lgamma(x)",
    domain=NO_POLE,
    torch=["special.gammaln"],
    says="The derivative of the logarithm of the gamma function is digamma.",
)


def _entropy(x: Any) -> Any:
    return np.where(np.less(x, 0), -np.inf, np.where(np.equal(x, 0), 0, -x * np.log(x))).astype(x.dtype)[()]


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


def _logit(x: Any, *, eps: float | None = None) -> Any:
    if eps is not None:
        x = np.where(np.less(x, eps), eps, np.minimum(x, 1 - eps)).astype(x.dtype)[()]
    return np.log(x / (1 - x))


def _logit_rule(g: Carrier, out: Carrier, x: Carrier, *, eps: float | None = None) -> Any:
    slope = g / (x * (1 - x))
    if eps is None:
        return guarded(either(x < 0, x > 1), float("nan"), slope)
    return where(both(x >= eps, x <= 1 - eps), slope, 0)


logit = primitive(
    "logit",
    _logit,
    _logit_rule,
    domain=lambda *, eps=None: between(0, 1) if eps is None else EVERYWHERE,
    kinks=lambda x, *, eps=None: False if eps is None else np.equal(x, eps) | np.equal(x, 1 - eps),
    convention="with eps, logit' at eps and 1 - eps is that between them",
    says="The derivative of the logit is 1/(x*(1 - x)), steep near 0 and 1.",
)


@operation("x = [0.25, 0.5]; logit(x)", "x = [0.25, 0.01]; logit(x, eps=0.1)")
def apply_logit(input: Real, eps: float | None = None) -> Any:
    """`log(x/(1 - x))`, the inverse of the sigmoid; `eps` keeps the input from 0 and 1."""
    return logit(input, eps=eps) if eps is not None else logit(input)


@operation("x = [30, 50]; polygamma(1, x)", method=False)
def apply_polygamma(n: int, input: Real) -> Any:
    """The derivative of order `n` of `digamma`."""
    AutogradError.when(n < 0, "polygamma(n, x) does not support negative n.")
    AutogradError.when(n > 100, "polygamma(n, x) takes n up to 100 here")
    return polygamma(input, n=n)


@operation("x = [0.25, -0.5]; ndtr(x)", method=False)
def ndtr(input: Real) -> Any:
    """The probability that a standard normal number is at most the input."""
    return mul_number(add_number(erf(mul_number(input, math.sqrt(0.5))), 1), 0.5)
