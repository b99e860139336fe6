"""Functions of two or three tensors, entry by entry: multiply and add, interpolate, sum in logarithms, bound."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradcli.engine.primitive import Domain, above, other_than_0, primitive
from gradcli.engine.tensor import Tensor
from gradcli.errors import AutogradError
from gradcli.ops.pointwise.comparisons import at_most, both, equal
from gradcli.ops.pointwise.elementwise import elementwise, exp, log
from gradcli.ops.pointwise.logic import finite
from gradcli.ops.pointwise.selection import guard_edge, where
from gradcli.ops.support.arguments import Operand, Real, is_number, real
from gradcli.ops.support.surface import operation

addcmul = primitive(
    "addcmul",
    lambda x, a, b, *, value=1: x + a * value * b,
    lambda g, out, x, a, b, *, value=1: g,
    lambda g, out, x, a, b, *, value=1: g * (b * value),
    lambda g, out, x, a, b, *, value=1: g * (a * value),
    inputs=("self", "tensor1", "tensor2"),
    says="The added part gets the gradient; each factor gets it times the other factor and the constant in front.",
)
addcdiv = elementwise(
    "addcdiv",
    lambda x, a, b, *, value=1: x + a * value / b,
    lambda g, out, x, a, b, *, value=1: g,
    lambda g, out, x, a, b, *, value=1: g * (value / b),
    lambda g, out, x, a, b, *, value=1: -g * value * (a / b**2),
    "`input + value*tensor1/tensor2`.",
    takes="input: Real, tensor1: Real, tensor2: Real, value: float = 1",
    examples=(
        "x = [1, 2]; y = [3, 4]; z = [5, 6]; addcdiv(x, y, z)",
        "x = 1; y = [3, 4]; z = 5; addcdiv(x, y, z, value=2)",
    ),
    integers_stay=True,
    inputs=("self", "tensor1", "tensor2"),
    domain=other_than_0(2),
    says="The added part gets the gradient; the quotient follows the quotient rule.",
)


def _lerp(a: Any, b: Any, w: Any) -> Any:
    """Interpolate from the nearer end, so that a weight of 1 gives `b` itself."""
    return np.where(np.abs(w) < 0.5, a + w * (b - a), b - (b - a) * (1 - w))[()]


lerp = primitive(
    "lerp",
    lambda a, b, *, weight: _lerp(a, b, weight),
    lambda g, out, a, b, *, weight: g * (1 - weight),
    lambda g, out, a, b, *, weight: g * weight,
    says="Each end gets its share of the gradient, 1 - weight and weight.",
)
lerp_tensor = primitive(
    "lerp_tensor",
    _lerp,
    lambda g, out, a, b, w: g * (1 - w),
    lambda g, out, a, b, w: g * w,
    lambda g, out, a, b, w: g * (b - a),
    node="LerpBackward1",
    inputs=("self", "end", "weight"),
    notation=lerp.notation,
    says="Each end gets its share of the gradient, and the weight the gradient times their difference.",
)
hypot = elementwise(
    "hypot",
    np.hypot,
    lambda g, out, x, y: g * x / out,
    lambda g, out, x, y: g * y / out,
    "The root of `input**2 + other**2`.",
    takes="input: Real, other: Real",
    example="x = [3, 1]; y = [4, 2]; hypot(x, y)",
    domain=Domain("{0} != 0 or {1} != 0", lambda x, y: np.not_equal(x, 0) | np.not_equal(y, 0)),
    says="Each side gets the gradient times its share: the side over the hypotenuse.",
)
logaddexp = elementwise(
    "logaddexp",
    np.logaddexp,
    lambda g, out, x, y: g / (1 + exp(y - x)),
    lambda g, out, x, y: g / (1 + exp(x - y)),
    "`log(exp(input) + exp(other))`, finite at any input.",
    takes="input: Tensor, other: Tensor",
    example="x = [3, 1]; y = [4, 2]; logaddexp(x, y)",
    says="The gradient is shared by size: each input gets its part of the sum of the powers.",
    kernel="logaddexp_cpu",
)


xlogy = primitive(
    "xlogy",
    lambda x, y: np.where(np.equal(x, 0) & ~np.isnan(y), 0, x * np.log(y))[()],
    lambda g, out, x, y: guard_edge(both(equal(x, 0), at_most(y, 0)), 0, g * log(y)),
    lambda g, out, x, y: g * x / y,
    domain=above(0, 1),
    convention="0*log(0) is 0, and flat in its factor",
    says="The factor gets the logarithm, and the number in the logarithm gets the factor over itself.",
)
nan_to_num = primitive(
    "nan_to_num",
    lambda x, *, nan=0.0, posinf=None, neginf=None: np.nan_to_num(x, nan=nan, posinf=posinf, neginf=neginf)[()],
    lambda g, out, x, **_: where(finite(x), g, 0),
    traits=("masking",),
    says="Finite entries get their gradient; entries that were replaced get 0.",
)


@operation("x = [1, 2]; y = [3, 4]; z = [5, 6]; addcmul(x, y, z, value=2)")
def apply_addcmul(input: Tensor, tensor1: Tensor, tensor2: Tensor, *, value: float = 1) -> Any:
    """`input + value*tensor1*tensor2`."""
    kinds = {x.dtype.kind for x in (input, tensor1, tensor2)}
    AutogradError.when(
        kinds == {"b"}, "\"addcmul_cpu_out\" not implemented for 'Bool'", help="write x.int() for one of them"
    )
    is_integer = float(value).is_integer() or "f" not in kinds
    value = int(value) if is_integer and abs(value) < 2**63 else value  # keeps integer tensors integer
    return addcmul(input, tensor1, tensor2, value=value)


@operation(
    "x = [1, 2]; y = [3, 4]; lerp(x, y, 0.25)",
    "x = [1, 2]; y = [3, 4]; w = [0.2, 0.7]; lerp(x, y, w)",
    integers_stay=True,
)
def apply_lerp(input: Real, end: Real, weight: Operand) -> Any:
    """The point between `input` and `end`: `input + weight*(end - input)`."""
    if is_number(weight):
        return lerp(input, end, weight=float(weight))
    return lerp_tensor(input, end, weight)


@operation("x = [3, 1]; y = [4, 2]; xlogy(x, y)", "x = [3, 1]; xlogy(x, 2)", "y = [4, 2]; xlogy(2, y)", numbers="first")
def apply_xlogy(input: Operand, other: Operand) -> Any:
    """`input*log(other)`, and 0 where the input is 0."""
    return xlogy(real(input), real(other))


@operation(
    "x = [1, 2]; nan_to_num(x**2)", "x = [1, 2]; nan_to_num(log(x), nan=7, posinf=5, neginf=-5)", computes_integers=True
)
def apply_nan_to_num(
    input: Real, nan: float | None = None, posinf: float | None = None, neginf: float | None = None
) -> Any:
    """The input with numbers for nan (0) and the infinities (the largest and smallest there are)."""
    options = {"nan": nan, "posinf": posinf, "neginf": neginf}
    return nan_to_num(input, **{name: value for name, value in options.items() if value is not None})
