"""The gelu: the input times the area under the bell curve on its left."""

from __future__ import annotations

import math
from typing import Any

from gradcli.engine.numerics import precision
from gradcli.engine.numerics.precision import SINGLE
from gradcli.engine.primitive import Primitive, primitive
from gradcli.errors import AutogradError
from gradcli.ops.pointwise.numbers import by_number
from gradcli.ops.pointwise.powers import power
from gradcli.ops.pointwise.trigonometry import tanh
from gradcli.ops.support.adjoints import printed
from gradcli.ops.support.arguments import Array, Real
from gradcli.ops.support.constants import SQRT_2_OVER_PI
from gradcli.ops.support.surface import operation


def _normal_pdf(x: Array) -> Any:
    """The density of the standard normal distribution."""
    return precision.exp(-(x**2) / 2) * (1 / math.sqrt(2 * math.pi))


def _normal_cdf(x: Array) -> Any:
    """The distribution function of the standard normal distribution; single precision has the rounding of torch."""
    is_single = getattr(x, "dtype", None) == SINGLE
    return 0.5 * (1 + _erf(x * math.sqrt(0.5)) if is_single else _erfc(-x * math.sqrt(0.5)))


normal_pdf: Primitive = primitive(
    "normal_pdf",
    _normal_pdf,
    lambda g, out, x: -g * x * out,
    says="The bell curve falls away from 0: its derivative is -x times itself.",
)
_erf, _erfc = by_number(math.erf), by_number(math.erfc)
normal_cdf = primitive(
    "normal_cdf",
    _normal_cdf,
    lambda g, out, x: g * normal_pdf(x),
    says="The derivative of the area under the bell curve is the bell curve.",
)
printed(normal_pdf, "x = [-1, 2]; normal_pdf(x)")
printed(normal_cdf, "x = [-1, 2]; normal_cdf(x)")


def _gelu(x: Any, *, approximate: str = "none") -> Any:
    if approximate == "none":
        return x * normal_cdf(x)
    return 0.5 * x * (1 + precision.tanh(_gelu_inner(x)))


def _gelu_inner(x: Any) -> Any:
    return SQRT_2_OVER_PI.beside(x) * (x + 0.044715 * power(x, exponent=3))


def _gelu_rule(g: Any, out: Any, x: Any, *, approximate: str = "none") -> Any:
    if approximate == "none":
        return g * (normal_cdf(x) + x * normal_pdf(x))
    t = tanh(_gelu_inner(x))
    slope = SQRT_2_OVER_PI.beside(x) * (1 + 3 * 0.044715 * x**2)
    return g * (0.5 * (1 + t) + 0.5 * x * ((1 - t**2) * slope))


gelu = primitive(
    "gelu",
    _gelu,
    _gelu_rule,
    traits=("cancelling", "saturating"),
    says="The input times the area under the bell curve: the product rule adds area and input times height.",
)


@operation("x = [-1, 2]; gelu(x)", "x = [-1, 2]; gelu(x, approximate='tanh')", method=False)
def gelu_(input: Real, approximate: str = "none") -> Any:
    """The input times the normal distribution function; 'tanh' is its usual approximation."""
    AutogradError.when(approximate not in ("none", "tanh"), "approximate argument must be either none or tanh.")
    return gelu(input, approximate=approximate)
