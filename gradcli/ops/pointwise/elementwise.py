"""Functions of one real number, and powers and multiples with a plain number, as nodes of torch have them.

Adding one is one declaration; users can call it at once.
"""

from __future__ import annotations

import math
import operator
from ast import literal_eval
from collections.abc import Callable, Sequence
from inspect import Parameter, Signature
from typing import Any

import numpy as np

from gradcli.engine.numerics.precision import PLAIN, nearest, raise_to_power
from gradcli.engine.primitive import EVERYWHERE, POSITIVE, Domain, Primitive, above, other_than_0, primitive
from gradcli.engine.symbolic.formula import Notation, infix, number
from gradcli.language.tree import Binary, Number
from gradcli.ops.support.constant_nodes import LOG_2, LOG_10, SQRT_PI
from gradcli.ops.support.folding import fold_pow, fold_zero
from gradcli.ops.support.surface import FLAT, Operation, register

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
    return 1 / x if exponent == -1 else raise_to_power(x, exponent)


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
    edge=("has an infinite derivative at 0", "({x} + 1e-12) ** {exponent}"),
    says="The exponent comes down as a factor and is lowered by one.",
)


def by_number(function: Callable[[float], float]) -> Callable[[Any], Any]:
    """A function of a number over arrays: about 0.2 µs an entry, in double precision."""

    def forward(x: Any) -> Any:
        values = np.asarray(x)
        results = np.array(entries(function, values.ravel().tolist()), np.float64)
        return results.astype(values.dtype).reshape(values.shape)[()]

    return forward


def entries(function: Callable[..., float], *columns: Sequence[float]) -> list[float]:
    """Return the results entry by entry; one that is too large is infinite, as in C, where Python raises an error."""

    def bounded(*numbers: float) -> float:
        try:
            return function(*numbers)
        except OverflowError:
            return math.inf

    try:
        return list(map(function, *columns))
    except OverflowError:
        return list(map(bounded, *columns))


OPERANDS = ("Real", "Tensor", "Operand")


def elementwise(
    name: str,
    forward: Callable[..., Any],
    *rules_and_summary: Any,
    takes: str = "input: Real",
    example: str = "",
    examples: Sequence[str] = (),
    **facts: Any,
) -> Primitive:
    """Declare a primitive and the operation of its name, which takes these parameters: `input: Real, alpha: float = 1`.

    Parameters that are no operands are options of the primitive. The facts are fields of `Operation` or options of
    `primitive`.
    """
    *rules, summary = rules_and_summary
    operation_facts = {fact: facts.pop(fact) for fact in Operation.__match_args__ if fact in facts}
    facts["traits"] = operation_facts.get("traits", ())
    declared = primitive(name, forward, *rules, **facts)
    parameters = [_parameter(text) for text in takes.split(", ")]
    options = [p.name for p in parameters if p.annotation not in OPERANDS]
    count = len(parameters) - len(options)

    def without_options(*values: Any) -> Any:
        return declared(*values)

    def with_options(*values: Any, **keywords: Any) -> Any:
        return declared(*values[:count], **dict(zip(options, values[count:], strict=False)), **keywords)

    function: Any = with_options if options else without_options

    function.__signature__ = Signature(parameters)
    function.__doc__ = summary
    function.__module__ = next(rule for rule in rules if rule).__module__  # the family that declares it
    register(name, function, examples or [example or f"x = [0.25, 0.5]; {name}(x)"], **operation_facts)
    return declared


def _parameter(text: str) -> Parameter:
    """Read a parameter: `alpha: float = 1`."""
    declaration, _, default = text.partition(" = ")
    name, _, kind = declaration.partition(": ")
    value = literal_eval(default) if default else Parameter.empty
    return Parameter(name, Parameter.POSITIONAL_OR_KEYWORD, default=value, annotation=kind)


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


exp = elementwise(
    "exp",
    nearest(np.exp),
    lambda g, out, x: g * out,
    "The exponential, e to the power of the input.",
    says="The exponential is its own derivative: the gradient is multiplied by the result.",
)
exp2 = elementwise(
    "exp2",
    nearest(np.exp2),
    lambda g, out, x: g * out * LOG_2.beside(g),
    "Two to the power of the input.",
    says="A power of 2 grows with itself: the gradient is multiplied by the result and by log(2).",
)
expm1 = elementwise(
    "expm1",
    nearest(np.expm1),
    lambda g, out, x: g * (out + 1),
    "`exp(x) - 1`, exact near 0.",
    says="The derivative of exp(x) - 1 is exp(x), which is the result plus 1.",
)
log = elementwise(
    "log",
    nearest(np.log),
    lambda g, out, x: g / x,
    "The natural logarithm.",
    aliases=["ln"],
    domain=POSITIVE,
    edge=("is infinite at 0, and nan below", "torch.log({x}.clamp(min=1e-12))"),
    says="The derivative of the logarithm is 1/x: the smaller the input, the larger the gradient.",
)
log2 = elementwise(
    "log2",
    nearest(np.log2),
    lambda g, out, x: g / (x * LOG_2.beside(g)),
    "The logarithm to base 2.",
    domain=POSITIVE,
    edge=("is infinite at 0, and nan below", "torch.log2({x}.clamp(min=1e-12))"),
    says="The derivative of the logarithm to base 2 is 1/(x*log(2)).",
)
log10 = elementwise(
    "log10",
    nearest(np.log10),
    lambda g, out, x: g / (x * LOG_10.beside(g)),
    "The logarithm to base 10.",
    domain=POSITIVE,
    edge=("is infinite at 0, and nan below", "torch.log10({x}.clamp(min=1e-12))"),
    says="The derivative of the logarithm to base 10 is 1/(x*log(10)).",
)
log1p = elementwise(
    "log1p",
    nearest(np.log1p),
    lambda g, out, x: g / (x + 1),
    "`log(1 + x)`, exact near 0.",
    node="Log1PBackward0",
    domain=above(-1),
    says="The derivative of log(1 + x) is 1/(1 + x).",
)
sqrt = elementwise(
    "sqrt",
    np.sqrt,
    lambda g, out, x: g / (2 * out),
    "The square root.",
    domain=POSITIVE,
    edge=("has an infinite derivative at 0", "({x} + 1e-12).sqrt()"),
    says="The derivative of a root is one over twice the root.",
)
rsqrt = elementwise(
    "rsqrt",
    lambda x: 1 / np.sqrt(x),
    lambda g, out, x: -g / 2 * power(out, exponent=3),
    "One over the root.",
    domain=POSITIVE,
    edge=("is infinite at 0", "({x} + 1e-12).rsqrt()"),
    says="The derivative of 1/sqrt(x) is minus half of its own cube.",
)
sign = elementwise(
    "sign",
    sign_of,
    lambda g, out, x: zero(g),
    "The sign: -1, 0 or 1.",
    kinks=(0.0,),
    convention="flat everywhere: sign' = 0",
    pieces=sign_of,
    soft="torch.tanh({x})",
    takes="input: Tensor",
    says=FLAT,
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
    takes="input: Tensor",
    traits=("minus",),
    says="The gradient passes where the input is positive and turns its sign where it is negative.",
)


def _step(
    name: str, rounded: Callable[[Any], Any], summary: str, kinks: Callable[[Any], Any], *aliases: str
) -> Primitive:
    """Declare a function that is flat between whole numbers."""
    return elementwise(
        name,
        keeping_integers(rounded),
        lambda g, out, x: zero(g),
        summary,
        aliases=aliases,
        kinks=kinks,
        convention=f"flat everywhere: {name}' = 0",
        takes="input: Tensor",
        pieces=rounded,
        says=FLAT,
    )


floor = _step("floor", np.floor, "The next whole number below.", _at_integers)
ceil = _step("ceil", np.ceil, "The next whole number above.", _at_integers)
trunc = _step("trunc", np.trunc, "The whole part.", lambda x: _at_integers(x) & np.not_equal(x, 0), "fix")
erf = elementwise(
    "erf",
    by_number(math.erf),
    lambda g, out, x: 2 * g / SQRT_PI.beside(g) * exp(-(x**2)),
    "The error function.",
    traits=("saturating",),
    says="The derivative of the error function is a bell curve, 2/sqrt(pi)*exp(-x**2).",
)
