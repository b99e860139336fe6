"""The power with a plain number as exponent, computed as in torch."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradcli.engine.domain import EVERYWHERE, POSITIVE, Domain, other_than_0
from gradcli.engine.numerics.precision import PLAIN, raised
from gradcli.engine.primitive import Primitive, primitive
from gradcli.engine.symbolic.notation import number
from gradcli.language.tree import Binary, Number
from gradcli.ops.support.folding import fold_pow, fold_zero


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
