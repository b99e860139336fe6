"""Arithmetic with a plain number inside torch's own operations, which records nodes of its own."""

from __future__ import annotations

import operator

from gradcli.engine.primitive import primitive
from gradcli.engine.symbolic.notation import infix
from gradcli.language.tree import Binary

add_number = primitive(
    "add_number", operator.add, lambda g, out, x, n: g, node="AddBackward1", notation=infix("+"), traits=("sum",)
)
minus_number = primitive(
    "sub_number", operator.sub, lambda g, out, x, n: g, node="SubBackward1", notation=infix("-"), traits=("sum",)
)
mul_number = primitive(
    "mul_number",
    operator.mul,
    lambda g, out, x, n: g * n,
    node="MulBackward1",
    notation=lambda operands, _: Binary("*", operands[1].tree, operands[0].tree),
)
div_number = primitive(
    "div_number", operator.truediv, lambda g, out, x, n: g / n, node="DivBackward1", notation=infix("/")
)
