"""Angles and hyperbolas: sine, cosine, tangent, and their inverses."""

from __future__ import annotations

import numpy as np

from gradcli.engine.numerics.precision import nearest
from gradcli.engine.primitive import Domain, Primitive, above, between
from gradcli.ops.pointwise.arithmetic import reciprocal
from gradcli.ops.pointwise.comparisons import equal
from gradcli.ops.pointwise.elementwise import elementwise, sqrt
from gradcli.ops.pointwise.selection import guard_edge

sin = elementwise(
    "sin",
    nearest(np.sin),
    lambda g, out, x: g * cos(x),
    "The sine of an angle in radians.",
    traits=("angle",),
    says="The derivative of the sine is the cosine.",
)
cos: Primitive = elementwise(
    "cos",
    nearest(np.cos),
    lambda g, out, x: -g * sin(x),
    "The cosine of an angle in radians.",
    traits=("angle", "minus"),
    says="The derivative of the cosine is minus the sine.",
)
tan = elementwise(
    "tan",
    nearest(np.tan),
    lambda g, out, x: g * (1 + out**2),
    "The tangent.",
    domain=Domain("cos({0}) != 0", lambda x: np.not_equal(np.cos(x), 0)),
    traits=("angle",),
    says="The derivative of the tangent is 1 plus its own square.",
)
asin = elementwise(
    "asin",
    nearest(np.arcsin),
    lambda g, out, x: g * reciprocal(sqrt(1 - x**2)),
    "The angle that has this sine.",
    aliases=["arcsin"],
    domain=between(-1, 1),
    traits=("arc",),
    edge=("has an infinite derivative at 1 and -1", "torch.asin({x}.clamp(-1 + 1e-6, 1 - 1e-6))"),
    says="The derivative of the arcsine is 1/sqrt(1 - x**2), steep near -1 and 1.",
)
acos = elementwise(
    "acos",
    nearest(np.arccos),
    lambda g, out, x: g * -reciprocal(sqrt(1 - x**2)),
    "The angle that has this cosine.",
    aliases=["arccos"],
    domain=between(-1, 1),
    traits=("arc",),
    edge=("has an infinite derivative at 1 and -1", "torch.acos({x}.clamp(-1 + 1e-6, 1 - 1e-6))"),
    says="The derivative of the arccosine is -1/sqrt(1 - x**2), steep near -1 and 1.",
)
atan = elementwise(
    "atan",
    nearest(np.arctan),
    lambda g, out, x: g / (x**2 + 1),
    "The angle that has this tangent.",
    aliases=["arctan"],
    traits=("arc", "saturating"),
    says="The derivative of the arctangent is 1/(1 + x**2), small far from 0.",
)
sinh = elementwise(
    "sinh",
    nearest(np.sinh),
    lambda g, out, x: g * cosh(x),
    "The hyperbolic sine.",
    says="The derivative of the hyperbolic sine is the hyperbolic cosine.",
)
cosh: Primitive = elementwise(
    "cosh",
    nearest(np.cosh),
    lambda g, out, x: g * sinh(x),
    "The hyperbolic cosine.",
    says="The derivative of the hyperbolic cosine is the hyperbolic sine, with no change of sign.",
)


tanh = elementwise(
    "tanh",
    nearest(np.tanh),
    lambda g, out, x: g * (1 - out**2),
    "The hyperbolic tangent.",
    traits=("saturating",),
    says="The derivative of tanh is 1 minus the square of its result, nearly 0 where that is near -1 or 1.",
)
asinh = elementwise(
    "asinh",
    np.arcsinh,
    lambda g, out, x: g * reciprocal(sqrt(x**2 + 1)),
    "The inverse of sinh.",
    aliases=["arcsinh"],
    says="The derivative of the inverse of sinh is 1/sqrt(x**2 + 1).",
)
acosh = elementwise(
    "acosh",
    np.arccosh,
    lambda g, out, x: g * reciprocal(sqrt(x**2 - 1)),
    "The inverse of cosh.",
    example="x = [1.5, 3]; acosh(x)",
    aliases=["arccosh"],
    domain=above(1),
    says="The derivative of the inverse of cosh is 1/sqrt(x**2 - 1).",
)
atanh = elementwise(
    "atanh",
    nearest(np.arctanh),
    lambda g, out, x: g / (1 - x**2),
    "The inverse of tanh.",
    aliases=["arctanh"],
    domain=between(-1, 1),
    says="The derivative of the inverse of tanh is 1/(1 - x**2).",
)
arctan2 = elementwise(
    "atan2",
    np.arctan2,
    lambda g, out, y, x: g * x * guard_edge(equal(x**2 + y**2, 0), 0, (x**2 + y**2) ** -1),
    lambda g, out, y, x: g * -y * guard_edge(equal(x**2 + y**2, 0), 0, (x**2 + y**2) ** -1),
    "The angle of the point with height `input` and width `other`.",
    takes="input: Real, other: Real",
    example="y = [1, -2]; x = [3, 0.5]; atan2(y, x)",
    aliases=["arctan2"],
    kinks=lambda y, x: np.equal(y, 0) & np.equal(x, 0),
    domain=Domain("0 < {1} or {0} != 0", lambda y, x: np.greater(x, 0) | np.not_equal(y, 0)),
    convention="atan2' at (0, 0) is 0",
    says="Each coordinate gets the other one over the squared distance; the width gets it with a minus sign.",
)
