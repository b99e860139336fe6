"""Floating point numbers by their parts (sign, mantissa, exponent), and maxima and minima that ignore nan."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradcli.engine.primitive import primitive
from gradcli.engine.saved import watch
from gradcli.engine.symbolic.notation import Notation, call
from gradcli.engine.tensor import Tensor
from gradcli.errors import AutogradError
from gradcli.language.tree import Attribute
from gradcli.ops.formulas import nn as entries
from gradcli.ops.pointwise.comparisons import either, equal, opposite
from gradcli.ops.pointwise.elementwise import exp2
from gradcli.ops.pointwise.logic import nan
from gradcli.ops.pointwise.powers import zero
from gradcli.ops.pointwise.selection import guarded, where
from gradcli.ops.support.arguments import Operand, Real, as_tensor
from gradcli.ops.support.constants import LOG_2
from gradcli.ops.support.forgetting import nothing
from gradcli.ops.support.pairs import ReturnType
from gradcli.ops.support.surface import operation

EXPONENT = np.dtype(np.int32)


def _sign_rule(g: Any, out: Any, x: Any, y: Any) -> Any:
    return guarded(equal(x, 0), 0, g * (out / x))


fmax = primitive(
    "fmax",
    np.fmax,
    lambda g, out, x, y: where(either(x >= y, nan(y)), g, 0),
    lambda g, out, x, y: where(opposite(either(x >= y, nan(y))), g, 0),
    kinks=np.equal,
    convention="at a tie the first gets the gradient",
    says="The larger of the two gets the gradient, and the first one if they are equal.",
)
fmin = primitive(
    "fmin",
    np.fmin,
    lambda g, out, x, y: where(either(x <= y, nan(y)), g, 0),
    lambda g, out, x, y: where(opposite(either(x <= y, nan(y))), g, 0),
    kinks=np.equal,
    convention="at a tie the first gets the gradient",
    says="The smaller of the two gets the gradient, and the first one if they are equal.",
)
copysign = primitive(
    "copysign",
    np.copysign,
    _sign_rule,
    lambda g, out, x, y: zero(g),
    kinks=lambda x, y: np.equal(x, 0) | np.equal(y, 0),
    convention="copysign' at 0 is 0",
    says="The size of the input passes the gradient, turned if its sign was changed.",
)
copysign_number = primitive(
    "copysign_number",
    np.copysign,
    _sign_rule,
    node="CopysignBackward1",
    notation=copysign.notation,
    kinks=lambda x, y: np.equal(x, 0),
    convention=copysign.convention,
    says=copysign.says,
)
ldexp = primitive(
    "ldexp",
    lambda x, n: (x * np.exp2(n)).astype(x.dtype),
    lambda g, out, x, n: g * exp2(n),
    lambda g, out, x, n: g * out * LOG_2.beside(g),
    says="The mantissa gets the gradient times the power of 2, and the exponent times the result and log(2).",
)
following = primitive(
    "nextafter",
    np.nextafter,
    lambda g, out, x, y: where(equal(x, y), 0, g),
    lambda g, out, x, y: nothing(y),
    saves=(0, 1),
    kinks=np.equal,
    convention="where the two are equal, the gradient is 0",
    traits=("lenient",),
    says="The next number moves with the input, which gets the gradient; where it lies does not depend on the other.",
)


def _part(name: str) -> Notation:
    """Write one part of the result: `frexp(x).mantissa`."""
    write = call("frexp", np.frexp)
    return lambda operands, options: Attribute(write(operands, options), name)


exponent_of = primitive(
    "frexp_exponent", lambda x: np.asarray(np.frexp(x)[1], EXPONENT)[()], structured=True, notation=_part("exponent")
)
mantissa_of = primitive(
    "frexp_mantissa",
    lambda x: np.frexp(x)[0],
    lambda g, out, x: g / exp2(exponent_of(x)),
    node="FrexpBackward0",
    copies=True,
    structured=True,
    kinks=lambda x: np.equal(np.abs(np.frexp(x)[0]), 0.5),
    pieces=lambda x: np.frexp(x)[1],
    convention="at a power of 2 the derivative is that to its right",
    notation=_part("mantissa"),
    says="The mantissa is the input over a power of 2, and so is the gradient.",
    index=entries.mantissa,
)


@operation("x = [1, 5]; y = [3, 4]; fmax(x, y)")
def fmax_(input: Tensor, other: Tensor) -> Any:
    """The larger of two entries; the other one where one is nan."""
    return fmax(input, other)


@operation("x = [1, 5]; y = [3, 4]; fmin(x, y)")
def fmin_(input: Tensor, other: Tensor) -> Any:
    """The smaller of two entries; the other one where one is nan."""
    return fmin(input, other)


@operation("x = [1, -5]; y = [-3, 4]; copysign(x, y)", "x = [1, -5]; copysign(x, -1)")
def copysign_(input: Real, other: Operand) -> Any:
    """The absolute value of `input` with the sign of `other`, also of -0."""
    return copysign_number(input, other) if isinstance(other, int | float) else copysign(input, other)


@operation("x = [0.5, 3]; ldexp(x, [1.0, -2.0])", numbers="never")
def ldexp_(input: Real, other: Operand) -> Any:
    """`input*2**other`."""
    return ldexp(input, as_tensor(other))


@operation("nextafter([1.0, 2.0], [2.0, 1.0])")
def nextafter(input: Tensor, other: Tensor) -> Any:
    """The next floating point number from `input` towards `other`."""
    return following(input, other)


@operation("x = [6, 0.3]; frexp(x).mantissa", "frexp([6.0, 0.3]).exponent")
def frexp(input: Real) -> ReturnType:
    """A fraction between 1/2 and 1, `.mantissa`, and the power of 2 that it is to be multiplied with, `.exponent`."""
    if input.dtype.kind != "f":
        raise AutogradError("torch.frexp() only supports floating-point dtypes")
    found = ReturnType("frexp", mantissa=mantissa_of(input), exponent=exponent_of(input))
    watch(found.mantissa, found.exponent)
    return found
