"""Arithmetic with a plain number, as nodes of torch have it: multiples that are added, and powers."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from gradcli.engine.numerics.precision import PLAIN, raised
from gradcli.engine.primitive import EVERYWHERE, POSITIVE, Domain, Primitive, other_than_0, primitive
from gradcli.engine.symbolic.formula import Notation, infix, number
from gradcli.language.tree import Binary, Number
from gradcli.ops.support.folding import fold_pow, fold_zero

add_number = primitive(
    "add_number",
    operator.add,
    lambda g, out, x, n: g,
    node="AddBackward1",
    notation=infix("+"),
    traits=("sum",),
    says="A number that is added changes no slope, so the gradient goes back unchanged.",
)
mul_number = primitive(
    "mul_number",
    operator.mul,
    lambda g, out, x, n: g * n,
    node="MulBackward1",
    saves=None,
    notation=lambda operands, _: Binary("*", operands[1].tree, operands[0].tree),
    says="A factor that is a number multiplies the gradient too.",
)
div_number = primitive(
    "div_number",
    operator.truediv,
    lambda g, out, x, n: g / n,
    node="DivBackward1",
    saves=None,
    notation=infix("/"),
    says="A number that divides the input divides the gradient too.",
)


def _write_scaled(symbol: str) -> Notation:
    """Write `a + 2*b` or `a - 2*b`."""
    return lambda x, options: Binary(symbol, x[0].tree, Binary("*", number(options["alpha"]), x[1].tree))


# torch adds a multiple in one node.
add_scaled = primitive(
    "add_scaled",
    lambda a, b, *, alpha: a + b * alpha,
    lambda g, out, a, b, *, alpha: g,
    lambda g, out, a, b, *, alpha: g * alpha,
    node="AddBackward0",
    notation=_write_scaled("+"),
    traits=("sum",),
    says="An addition hands the gradient on to the first term, and times its factor to the second.",
)
sub_scaled = primitive(
    "sub_scaled",
    lambda a, b, *, alpha: a - b * alpha,
    lambda g, out, a, b, *, alpha: g,
    lambda g, out, a, b, *, alpha: -g * alpha,
    node="SubBackward0",
    notation=_write_scaled("-"),
    traits=("difference", "sum"),
    says="A difference hands the gradient on to the first term, and times minus its factor to the second.",
)


# The power with a plain number as exponent, computed as in torch.


def _power(x: Any, *, exponent: float) -> Any:
    """Return the power as a product or a root where it is one: the general power has other last digits."""
    if type(x) in PLAIN or x.dtype.kind != "f":
        return x**exponent
    if exponent == 1:
        return x * 1
    if exponent in (2, -2):
        return x * x if exponent > 0 else 1 / (x * x)
    if exponent == 3:
        return x * x * x
    if exponent in (0.5, -0.5):
        return np.sqrt(x) if exponent > 0 else 1 / np.sqrt(x)
    return 1 / x if exponent == -1 else raised(x, exponent)


def _domain(*, exponent: float) -> Domain:
    if float(exponent).is_integer():
        return EVERYWHERE if exponent >= 0 else other_than_0()
    return POSITIVE


zero = primitive(
    "zero",
    lambda g: np.zeros_like(g)[()],  # also where g is infinite or nan, as in torch
    notation=lambda operands, _: Binary("*", Number(0), operands[0].tree),
    fold=fold_zero,
)
power: Primitive = primitive(
    "pow",
    _power,
    lambda g, out, x, *, exponent: g * (exponent * power(x, exponent=exponent - 1)) if exponent else zero(g),
    notation=lambda operands, options: Binary("**", operands[0].tree, number(options["exponent"])),
    fold=fold_pow,
    domain=_domain,
    inputs=("self", "exponent"),
    says="The exponent comes down as a factor and is lowered by one.",
)
