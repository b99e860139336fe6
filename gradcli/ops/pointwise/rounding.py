"""Rounding, division that rounds, and remainders."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from gradcli.engine.carrier import Carrier
from gradcli.engine.domain import other_than_0
from gradcli.engine.primitive import primitive
from gradcli.engine.symbolic.notation import infix
from gradcli.engine.tensor import Tensor
from gradcli.errors import AutogradError
from gradcli.language.tree import Argument, Call, Literal, Number
from gradcli.ops.pointwise.elementwise import keeping_integers
from gradcli.ops.pointwise.scalars import zero
from gradcli.ops.support.surface import FLAT, REMAINDER, REMAINDER_BY, operation


def _halfway(x: Any) -> Any:
    return np.equal(x - np.floor(x), 0.5)


rounded = primitive(
    "round",
    keeping_integers(np.rint),
    lambda g, out, x: zero(g),
    kinks=_halfway,
    convention="flat everywhere: round' = 0",
    pieces=np.rint,
    says=FLAT,
)


def _round_decimals(x: Any, *, decimals: int) -> Any:
    scale = 10.0 ** abs(decimals)
    return np.rint(x * scale) / scale if decimals >= 0 else np.rint(x / scale) * scale


rounded_decimals = primitive(
    "round_decimals",
    _round_decimals,
    lambda g, out, x, *, decimals: zero(g),
    node="RoundBackward1",
    notation=lambda operands, options: Call(
        "round", (Argument(operands[0].tree), Argument(Number(options["decimals"]), "decimals"))
    ),
    kinks=lambda x, *, decimals: _halfway(x * 10.0**decimals),
    convention="flat everywhere: round' = 0",
    pieces=_round_decimals,
    says=FLAT,
)


@operation("x = [0.3, -1.6]; round(x)", "x = [0.123, -1.456]; round(x, decimals=2)")
def apply_round(input: Tensor, *, decimals: int | None = None) -> Any:
    """The nearest whole number, or decimal fraction; halves go to the even neighbour."""
    return rounded(input) if decimals is None else rounded_decimals(input, decimals=decimals)


def _at_multiples(x: Any, n: Any) -> Any:
    return np.equal(np.remainder(x, n), 0)


def _beyond_0(x: Any, n: Any) -> Any:
    """Tell where the input is a multiple, but for 0, around which rounding towards 0 makes no step."""
    return np.equal(np.fmod(x, n), 0) & np.not_equal(x, 0)


floor_divide = primitive(
    "floor_divide",
    np.floor_divide,
    lambda g, out, a, b: zero(g),
    lambda g, out, a, b: zero(g),
    saves=(0, 1),
    node="DivBackward2",
    notation=infix("//"),
    convention="the quotient is flat between its steps: derivative 0",
    kinks=_at_multiples,
    pieces=np.floor_divide,
    domain=other_than_0(1),
    says=FLAT,
)
truncating_divide = primitive(
    "trunc_divide",
    lambda a, b: np.trunc(np.true_divide(a, b)).astype(np.result_type(a, b)),
    lambda g, out, a, b: zero(g),
    lambda g, out, a, b: zero(g),
    saves=(0, 1),
    node="DivBackward2",
    notation=lambda operands, _: Call(
        "div", (*(Argument(x.tree) for x in operands), Argument(Literal("trunc"), "rounding_mode"))
    ),
    convention=floor_divide.convention,
    kinks=_beyond_0,
    pieces=lambda x, n: np.trunc(np.true_divide(x, n)),
    domain=floor_divide.domain,
    says=FLAT,
)


def _remainder(x: Any, n: Any) -> Any:
    """Return the remainder; a zero keeps the sign of `x`, where numpy gives it the sign of `n`."""
    found = np.remainder(x, n)
    return np.where(found == 0, np.fmod(x, n), found)[()] if found.dtype.kind == "f" else found


remainder = primitive(
    "remainder",
    _remainder,
    lambda g, out, x, n: g,
    node="RemainderBackward0",
    notation=infix("%"),
    kinks=_at_multiples,
    pieces=np.floor_divide,
    convention="remainder' is 1 at its jumps too",
    says=REMAINDER,
)
remainder_tensor = primitive(
    "remainder_tensor",
    _remainder,
    lambda g, out, x, y: g,
    lambda g, out, x, y: -g * floor_divide(x, y),
    node="RemainderBackward1",
    notation=infix("%"),
    kinks=_at_multiples,
    pieces=np.floor_divide,
    convention=remainder.convention,
    domain=other_than_0(1),
    says=REMAINDER_BY,
)


def underived(name: str) -> Any:
    """Make the rule of an operation that torch has no derivative for."""

    def refuse(g: Carrier, out: Carrier, *operands: Carrier, **_: Any) -> Any:
        raise AutogradError(f"derivative for aten::{name} is not implemented")

    return refuse


# torch has no derivative for `x // y` and `2 % x`, and its nodes say so; here `div` and `remainder` give one.
NOT_IMPLEMENTED = "torch::autograd::NotImplemented"
quotient = replace(floor_divide, node=NOT_IMPLEMENTED, rules=(underived("floor_divide"),) * 2)
remainder_of = replace(remainder_tensor, node=NOT_IMPLEMENTED, rules=(underived("remainder"),) * 2)


def check_booleans(kernel: str, *operands: Any) -> None:
    """Refuse to divide booleans by booleans, for which torch has no kernel."""
    if all(np.asarray(x.value if isinstance(x, Tensor) else x).dtype == np.bool_ for x in operands):
        raise AutogradError(f"\"{kernel}_cpu\" not implemented for 'Bool'", help="write x.int() for one of them")


def check_divisor(*operands: Any) -> None:
    """Refuse to divide whole numbers by 0, as torch does: integers have no infinity."""
    values = [np.asarray(x.value if isinstance(x, Tensor) else x) for x in operands]
    if all(value.dtype.kind in "iub" for value in values) and not np.all(values[1]):
        raise AutogradError("ZeroDivisionError")
