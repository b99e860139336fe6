"""Sums, products, quotients, powers, and rounding: the primitives behind the operators."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from gradcli.engine.carrier import Carrier
from gradcli.engine.checks.promotion import check_difference
from gradcli.engine.numerics.precision import raise_to_power
from gradcli.engine.primitive import POSITIVE, Primitive, other_than_0, primitive
from gradcli.engine.symbolic.formula import Formula, infix, number, prefix
from gradcli.engine.tensor import Tensor
from gradcli.errors import AutogradError
from gradcli.language.tree import Argument, Binary, Call, Expression, Literal, Number
from gradcli.ops.pointwise.comparisons import at_least, both, equal
from gradcli.ops.pointwise.elementwise import add_scaled, elementwise, keeping_integers, log, power, sub_scaled, zero
from gradcli.ops.pointwise.selection import guard_edge
from gradcli.ops.support.arguments import Operand, as_tensor, is_number, real
from gradcli.ops.support.folding import fold_add, fold_div, fold_mul, fold_neg, fold_sub
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
    """Tell where the input is a multiple other than 0; at 0, rounding towards 0 makes no step."""
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
    remainder = np.remainder(x, n)
    return np.where(remainder == 0, np.fmod(x, n), remainder)[()] if remainder.dtype.kind == "f" else remainder


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


def refuse_derivative(name: str) -> Any:
    """Make the rule of an operation that torch has no derivative for."""

    def refuse(g: Carrier, out: Carrier, *operands: Carrier, **_: Any) -> Any:
        raise AutogradError(f"derivative for aten::{name} is not implemented")

    return refuse


# torch has no derivative for `x // y` and `2 % x`, and its nodes say so; here `div` and `remainder` give one.
NOT_IMPLEMENTED = "torch::autograd::NotImplemented"
underived_quotient = replace(floor_divide, node=NOT_IMPLEMENTED, rules=(refuse_derivative("floor_divide"),) * 2)
remainder_of = replace(remainder_tensor, node=NOT_IMPLEMENTED, rules=(refuse_derivative("remainder"),) * 2)


def check_booleans(kernel: str, *operands: Any) -> None:
    """Refuse to divide booleans by booleans, for which torch has no kernel."""
    if all(np.asarray(x.value if isinstance(x, Tensor) else x).dtype == np.bool_ for x in operands):
        raise AutogradError(f"\"{kernel}_cpu\" not implemented for 'Bool'", help="write x.int() for one of them")


def check_divisor(*operands: Any) -> None:
    """Refuse to divide whole numbers by 0, as torch does: integers have no infinity."""
    values = [np.asarray(x.value if isinstance(x, Tensor) else x) for x in operands]
    if all(value.dtype.kind in "iub" for value in values) and not np.all(values[1]):
        raise AutogradError("ZeroDivisionError")


def _write_product(operands: Sequence[Formula], _: dict[str, Any]) -> Expression:
    """Write a product, a number first: `2*x`."""
    a, b = operands
    if b.number is not None and a.number is None:
        a, b = b, a
    return Binary("*", a.tree, b.tree)


add = primitive(
    "add",
    operator.add,
    lambda g, out, a, b: g,
    lambda g, out, a, b: g,
    notation=infix("+"),
    fold=fold_add,
    traits=("sum",),
    says="An addition hands the gradient on to both terms.",
)


def _difference(a: Any, b: Any) -> Any:
    if type(b) is bool or type(a) is bool:
        check_difference((a, b))
    return a - b


sub = primitive(
    "sub",
    _difference,
    lambda g, out, a, b: g,
    lambda g, out, a, b: -g,
    notation=infix("-"),
    fold=fold_sub,
    traits=("difference", "minus", "sum"),
    says="A difference hands the gradient on to the first term, and with a minus sign to the second.",
)
neg = elementwise(
    "neg",
    operator.neg,
    lambda g, out, x: -g,
    "The negative.",
    takes="input: Tensor",
    example="x = [1, 2]; neg(x)",
    aliases=["negative"],
    notation=prefix("-"),
    fold=fold_neg,
    traits=(
        "minus",
        "sum",
    ),
    says="A minus sign turns the sign of the gradient.",
)
mul = primitive(
    "mul",
    operator.mul,
    lambda g, out, a, b: g * b,
    lambda g, out, a, b: g * a,
    notation=_write_product,
    fold=fold_mul,
    traits=("product",),
    says="A product gives each factor the gradient times the other factor.",
)
rsub = primitive(
    "rsub",
    lambda x, n: _difference(n, x),
    lambda g, out, x, n: -g,
    node="RsubBackward1",
    notation=lambda operands, _: Binary("-", operands[1].tree, operands[0].tree),
    traits=("difference", "minus", "sum"),
    says="What is taken away gets the gradient with a minus sign.",
)


div = primitive(
    "div",
    operator.truediv,
    lambda g, out, a, b: g / b,
    lambda g, out, a, b: -g * (a / b / b),
    notation=infix("/"),
    fold=fold_div,
    domain=other_than_0(1),
    traits=(
        "minus",
        "product",
    ),
    says="A quotient u/v gives u the gradient over v, and v the gradient times -u/v**2.",
)
reciprocal = elementwise(
    "reciprocal",
    lambda x: 1 / x,
    lambda g, out, x: -g * out**2,
    "One over the input.",
    takes="input: Real",
    example="x = [1, 2]; reciprocal(x)",
    notation=lambda operands, _: Binary("/", number(1), operands[0].tree),
    domain=other_than_0(),
    traits=(
        "minus",
        "prelude",
    ),
    edge=("is infinite at 0", "1 / ({x} + 1e-12)"),
    says="The derivative of a quotient by x is minus the quotient divided by x once more.",
)


def _exponent_rule(g: Carrier, out: Carrier, x: Carrier, y: Carrier) -> Any:
    return g * guard_edge(both(equal(x, 0), at_least(y, 0)), 0, out * log(x))


# torch has a node for each case: the exponent is a number (`power`), both are tensors, the base is a number.
power_tensor: Primitive = primitive(
    "pow_tensor",
    raise_to_power,
    lambda g, out, x, y: guard_edge(equal(y, 0), 0, g * (y * power_tensor(x, y - 1))),
    _exponent_rule,
    node="PowBackward1",
    notation=infix("**"),
    convention="0**y counts as flat in y where y >= 0, x**0 as flat in x",
    domain=POSITIVE,
    inputs=("self", "exponent"),
    says="The base gets the exponent in front and one power less; the exponent gets the result times log(base).",
    traits=("raising",),
)
power_of = primitive(
    "pow_of",
    raise_to_power,
    None,
    _exponent_rule,
    node="PowBackward2",
    notation=infix("**"),
    domain=POSITIVE,
    inputs=("self", "exponent"),
    says="An exponential grows with itself: the gradient is multiplied by the result and by log(base).",
    traits=("raising",),
)


@operation("x = [1, 2]; y = [3, 4]; add(x, y, alpha=2)", numbers="first", symbol="+")
def apply_add(input: Operand, other: Operand, *, alpha: float = 1) -> Any:
    """The sum `input + alpha*other`."""
    if alpha != 1 and not (is_number(input) or is_number(other)):
        return add_scaled(input, other, alpha=alpha)
    other = apply_mul(other, alpha) if alpha != 1 else other
    return add(other, input) if is_number(input) else add(input, other)


@operation(
    "x = [1, 2]; y = [3, 4]; sub(x, y)",
    "x = [1, 2]; y = [3, 4]; sub(x, y, alpha=2)",
    "x = [1, 2]; 1 - x",
    aliases=["subtract"],
    numbers="first",
    symbol="-",
)
def apply_sub(input: Operand, other: Operand, *, alpha: float = 1) -> Any:
    """The difference `input - alpha*other`."""
    check_difference((input, other))
    if alpha != 1 and not (is_number(input) or is_number(other)):
        return sub_scaled(input, other, alpha=alpha)
    other = apply_mul(other, alpha) if alpha != 1 else other
    return rsub(other, input) if is_number(input) else sub(input, other)


@operation("x = [1, 2]; y = [3, 4]; mul(x, y)", aliases=["multiply"], numbers="first", symbol="*")
def apply_mul(input: Operand, other: Operand) -> Any:
    """The product, entry by entry."""
    return mul(other, input) if is_number(input) else mul(input, other)


@operation(
    "x = [1, 2]; y = [3, 4]; div(x, y)",
    "x = [1, 2]; 2/x",
    "x = [5.5, -5.5]; y = [2, 3]; div(x, y, rounding_mode='trunc')",
    aliases=["divide", "true_divide"],
    numbers="first",
    symbol="/",
)
def apply_div(input: Operand, other: Operand, *, rounding_mode: str | None = None) -> Any:
    """The quotient, entry by entry; rounded if `rounding_mode` is 'floor' or 'trunc'."""
    if rounding_mode is not None:
        if rounding_mode not in ("floor", "trunc"):
            raise AutogradError(
                f"div expected rounding_mode to be one of None, 'trunc', or 'floor' but found '{rounding_mode}'"
            )
        check_divisor(input, other)
        input = as_tensor(input) if is_number(other) else input
        check_booleans(f"div_{rounding_mode}", input, other)
        return (floor_divide if rounding_mode == "floor" else truncating_divide)(input, other)
    # a number over a tensor is the number times the reciprocal, as in torch
    if not is_number(input):
        return div(input, other)
    below = other if isinstance(other, Formula) else real(other)
    return mul(reciprocal(below), input)


@operation(
    "x = [1, 2]; y = [3, 4]; pow(x, y)",
    "x = [1, 2]; x**2",
    "x = [1, 2]; 2**x",
    aliases=["power"],
    numbers="first",
    symbol="**",
)
def apply_pow(input: Operand, exponent: Operand) -> Any:
    """The power `input**exponent`."""
    if all(isinstance(x, bool) or getattr(x, "dtype", None) == np.bool_ for x in (input, exponent)):
        if isinstance(exponent, bool) and isinstance(input, Tensor):
            return Tensor(input.value if exponent else np.ones_like(input.value))
        raise AutogradError("\"pow\" not implemented for 'Bool'", help="write x.int() for one of them")
    if is_number(exponent):
        return power(as_tensor(input) if is_number(input) else input, exponent=exponent)
    return power_of(input, exponent) if is_number(input) else power_tensor(input, exponent)


@operation("x = [1, 2]; square(x)")
def square(input: Tensor) -> Any:
    """The square `input**2`."""
    return power(input, exponent=2)


@operation("x = [5.5, -5.5]; y = [2, 3]; x // y", "x = [5.5, -5.5]; x // 2", numbers="first", symbol="//")
def apply_floor_divide(input: Operand, other: Operand) -> Any:
    """The quotient, rounded down."""
    check_booleans("div_floor", input, other)
    check_divisor(input, other)
    return floor_divide(as_tensor(input) if is_number(other) else input, other)


def quotient(input: Operand, other: Operand) -> Any:
    """Return `x // y` of Tensors; its node in torch says that it has no derivative."""
    check_booleans("div_floor", input, other)
    check_divisor(input, other)
    return underived_quotient(as_tensor(input) if is_number(other) else input, other)


@operation("x = [5, -5]; remainder(x, 3)", "x = [5, -5]; y = [3, 2]; x % y", numbers="first", symbol="%")
def apply_remainder(input: Operand, other: Operand) -> Any:
    """The remainder with the sign of the divisor, as Python's `%`."""
    check_booleans("remainder", input, other)
    check_divisor(input, other)
    if is_number(other):
        return remainder(input, other)
    return (remainder_of if is_number(input) else remainder_tensor)(input, other)
