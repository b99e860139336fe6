"""Arithmetic with a plain number: nodes inside torch's own operations, and multiples that are added."""

from __future__ import annotations

import operator

from gradcli.engine.primitive import primitive
from gradcli.engine.symbolic.notation import Notation, infix, number
from gradcli.language.tree import Binary

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
