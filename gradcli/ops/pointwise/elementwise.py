"""Functions of one real number: exponentials, logarithms, roots, trigonometry, rounding.

Adding one is one declaration; users can call it at once.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from gradcli.engine.numerics.precision import nearest, one_minus_square
from gradcli.engine.primitive import Primitive, Rule, primitive
from gradcli.language.tree import Binary, Number
from gradcli.ops.pointwise.comparisons import equal
from gradcli.ops.pointwise.numbers import by_number
from gradcli.ops.pointwise.powers import power
from gradcli.ops.pointwise.selection import guarded
from gradcli.ops.support.adjoints import printed
from gradcli.ops.support.arguments import Array, Real
from gradcli.ops.support.constants import LOG_2, LOG_10, SQRT_PI
from gradcli.ops.support.surface import Operation, operation, register

POSITIVE = (0.0, math.inf)

# torch gives 0 even where g is infinite; formulas write the product `0*g`.
zero = primitive(
    "zero",
    lambda g: np.zeros_like(g)[()],
    notation=lambda operands, _: Binary("*", Number(0), operands[0].tree),
)


def elementwise(
    name: str,
    forward: Callable[..., Any],
    rule: Rule,
    doc: str,
    *,
    example: str = "",
    whole: bool = False,
    **facts: Any,
) -> Primitive:
    """Declare a primitive of one input and the operation of its name; `whole` leaves integers unconverted.

    The facts are fields of `Operation` or options of `primitive`.
    """
    own = {fact: facts.pop(fact) for fact in Operation.__match_args__ if fact in facts}
    declared = primitive(name, forward, rule, **facts)

    def function(input: Real) -> Any:
        return declared(input)

    if whole:
        function.__annotations__["input"] = "Tensor"

    function.__doc__ = doc
    function.__module__ = rule.__module__  # the family that declares it
    register(name, function, [example or f"x = [0.25, 0.5]; {name}(x)"], **own)
    return declared


def sign_of(x: Any) -> Any:
    """Return the sign of each entry; that of nan is 0 as in torch, where numpy has nan."""
    if np.asarray(x).dtype == np.bool_:
        return x
    return np.subtract(np.greater(x, 0), np.less(x, 0), dtype=np.asarray(x).dtype)


def keeping_integers(rounded: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Leave integers as they are, of which numpy before 2.1 would make floats."""
    return lambda x: rounded(x) if isinstance(x, float) or x.dtype.kind == "f" else x


def _at_integers(x: Any) -> Any:
    return np.equal(x, np.floor(x))


exp = elementwise("exp", nearest(np.exp), lambda g, out, x: g * out, "The exponential, e to the power of the input.")
exp2 = elementwise(
    "exp2",
    nearest(np.exp2),
    lambda g, out, x: g * out * LOG_2.beside(g),
    "Two to the power of the input.",
)
expm1 = elementwise("expm1", nearest(np.expm1), lambda g, out, x: g * (out + 1), "`exp(x) - 1`, exact near 0.")
log = elementwise(
    "log", nearest(np.log), lambda g, out, x: g / x, "The natural logarithm.", aliases=["ln"], domain=POSITIVE
)
log2 = elementwise(
    "log2", nearest(np.log2), lambda g, out, x: g / (x * LOG_2.beside(g)), "The logarithm to base 2.", domain=POSITIVE
)
log10 = elementwise(
    "log10",
    nearest(np.log10),
    lambda g, out, x: g / (x * LOG_10.beside(g)),
    "The logarithm to base 10.",
    domain=POSITIVE,
)
log1p = elementwise(
    "log1p",
    nearest(np.log1p),
    lambda g, out, x: g / (x + 1),
    "`log(1 + x)`, exact near 0.",
    node="Log1PBackward0",
    domain=(-1.0, math.inf),
)
sqrt = elementwise("sqrt", np.sqrt, lambda g, out, x: g / (2 * out), "The square root.", domain=POSITIVE)
rsqrt = elementwise(
    "rsqrt",
    lambda x: 1 / np.sqrt(x),
    lambda g, out, x: -g * power(out, exponent=3) / 2,
    "One over the root.",
    domain=POSITIVE,
)
sign = elementwise(
    "sign",
    sign_of,
    lambda g, out, x: zero(g),
    "The sign: -1, 0 or 1.",
    kinks=(0.0,),
    convention="flat everywhere: sign' = 0",
    whole=True,
)
absolute = elementwise(
    "abs",
    np.abs,
    lambda g, out, x: g * sign(x),
    "The absolute value.",
    example="x = [0.25, -0.5]; abs(x)",
    aliases=["absolute"],
    kinks=(0.0,),
    convention="abs'(0) = 0",
    whole=True,
)
floor = elementwise(
    "floor",
    keeping_integers(np.floor),
    lambda g, out, x: zero(g),
    "The next whole number below.",
    kinks=_at_integers,
    convention="flat everywhere: floor' = 0",
    whole=True,
)
ceil = elementwise(
    "ceil",
    keeping_integers(np.ceil),
    lambda g, out, x: zero(g),
    "The next whole number above.",
    kinks=_at_integers,
    convention="flat everywhere: ceil' = 0",
    whole=True,
)
trunc = elementwise(
    "trunc",
    keeping_integers(np.trunc),
    lambda g, out, x: zero(g),
    "The whole part.",
    aliases=["fix"],
    kinks=_at_integers,
    convention="flat everywhere: trunc' = 0",
    whole=True,
)
sin = elementwise(
    "sin", nearest(np.sin), lambda g, out, x: g * cos(x), "The sine of an angle in radians.", traits=("angle",)
)
cos: Primitive = elementwise(
    "cos",
    nearest(np.cos),
    lambda g, out, x: -g * sin(x),
    "The cosine of an angle in radians.",
    traits=("angle",),
)
tan = elementwise(
    "tan",
    nearest(np.tan),
    lambda g, out, x: g * (1 + out**2),
    "The tangent.",
    domain=(-math.pi / 2, math.pi / 2),
    traits=("angle",),
)
asin = elementwise(
    "asin",
    nearest(np.arcsin),
    lambda g, out, x: g / sqrt(1 - x**2),
    "The angle that has this sine.",
    aliases=["arcsin"],
    domain=(-1.0, 1.0),
    traits=("inverse",),
)
acos = elementwise(
    "acos",
    nearest(np.arccos),
    lambda g, out, x: -g / sqrt(1 - x**2),
    "The angle that has this cosine.",
    aliases=["arccos"],
    domain=(-1.0, 1.0),
    traits=("inverse",),
)
atan = elementwise(
    "atan",
    nearest(np.arctan),
    lambda g, out, x: g / (x**2 + 1),
    "The angle that has this tangent.",
    aliases=["arctan"],
    traits=("inverse", "saturating"),
)
sinh = elementwise("sinh", nearest(np.sinh), lambda g, out, x: g * cosh(x), "The hyperbolic sine.")
cosh: Primitive = elementwise("cosh", nearest(np.cosh), lambda g, out, x: g * sinh(x), "The hyperbolic cosine.")


def _tanh_backward(g: Array, out: Array) -> Any:
    """The gradient of `tanh`, from its result."""
    return g * one_minus_square(out)


tanh_backward: Primitive = primitive(
    "tanh_backward",
    _tanh_backward,
    lambda h, _, g, out: tanh_backward(h, out),
    lambda h, _, g, out: h * (-2 * out * g),
    node="TanhBackwardBackward0",
    fold=lambda g, out, *, value: g * (1 - out**2),
)
printed(tanh_backward, "u = [1, 2]; y = [0.5, -0.25]; tanh_backward(u, y)")
tanh = elementwise(
    "tanh", nearest(np.tanh), lambda g, out, x: tanh_backward(g, out), "The hyperbolic tangent.", traits=("saturating",)
)
asinh = elementwise(
    "asinh", np.arcsinh, lambda g, out, x: g / sqrt(x**2 + 1), "The inverse of sinh.", aliases=["arcsinh"]
)
acosh = elementwise(
    "acosh",
    np.arccosh,
    lambda g, out, x: g / sqrt(x**2 - 1),
    "The inverse of cosh.",
    example="x = [1.5, 3]; acosh(x)",
    aliases=["arccosh"],
    domain=(1.0, math.inf),
)
atanh = elementwise(
    "atanh",
    nearest(np.arctanh),
    lambda g, out, x: g / (1 - x**2),
    "The inverse of tanh.",
    aliases=["arctanh"],
    domain=(-1.0, 1.0),
)
erf = elementwise(
    "erf",
    by_number(math.erf),
    lambda g, out, x: 2 * g * exp(-(x**2)) / SQRT_PI.beside(g),
    "The error function.",
    traits=("saturating",),
)
arctan2 = primitive(
    "atan2",
    np.arctan2,
    # torch multiplies by the reciprocal, which is 0 at the origin; this keeps its signs of zero and its rounding
    lambda g, out, y, x: g * x * guarded(equal(x**2 + y**2, 0), 0, (x**2 + y**2) ** -1),
    lambda g, out, y, x: g * -y * guarded(equal(x**2 + y**2, 0), 0, (x**2 + y**2) ** -1),
    kinks=lambda y, x: np.equal(y, 0) & np.equal(x, 0),
    convention="atan2' at (0, 0) is 0",
)


@operation("y = [1, -2]; x = [3, 0.5]; atan2(y, x)", aliases=["arctan2"])
def atan2(input: Real, other: Real) -> Any:
    """The angle of the point with height `input` and width `other`."""
    return arctan2(input, other)
