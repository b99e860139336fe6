"""Activation functions, finite at any input."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradcli.engine.numerics import precision
from gradcli.engine.primitive import Primitive, primitive
from gradcli.engine.symbolic.notation import number
from gradcli.errors import AutogradError
from gradcli.language.tree import Argument, Binary, Call
from gradcli.ops.nn.slopes import hardtanh_backward, leaky_relu_backward, sigmoid_backward, threshold_backward
from gradcli.ops.pointwise.arithmetic import add, div
from gradcli.ops.pointwise.comparisons import equal
from gradcli.ops.pointwise.elementwise import absolute, elementwise
from gradcli.ops.pointwise.selection import guarded, where
from gradcli.ops.pointwise.trigonometry import tanh
from gradcli.ops.support.arguments import Real
from gradcli.ops.support.choice import chosen
from gradcli.ops.support.sentences import BETWEEN
from gradcli.ops.support.surface import operation

# The constants of self-normalizing networks (Klambauer et al. 2017), to the digits that torch has.
SELU_ALPHA = 1.6732632423543772848170429916717
SELU_SCALE = 1.0507009873554804934193349852946


def _softplus(x: Any) -> Any:
    """Return `log(1 + exp(x))` without overflow."""
    return np.maximum(x, 0) + precision.log1p(precision.exp(-np.abs(x)))


def _sigmoid(x: Any) -> Any:
    y = precision.exp(-x)
    if type(y) is not np.ndarray:
        return 1 / (1 + y)
    y += 1
    return np.divide(1, y, out=y)


sigmoid = elementwise(
    "sigmoid",
    _sigmoid,
    lambda g, out, x: sigmoid_backward(g, out),
    "The logistic function `1/(1 + exp(-x))`.",
    aliases=["expit"],
    traits=("saturating",),
    says="The derivative of the sigmoid is s*(1 - s): at most 1/4, and nearly 0 where it saturates.",
)
relu = elementwise(
    "relu",
    lambda x: np.maximum(x, 0),
    lambda g, out, x: threshold_backward(g, out),
    "The positive part.",
    example="x = [-1, 2]; relu(x)",
    whole=True,
    kinks=(0.0,),
    convention="relu'(0) = 0",
    traits=("gate",),
    says="The gradient comes through where the input is positive, and is 0 elsewhere.",
)
silu = elementwise(
    "silu",
    lambda x: x / (1 + precision.exp(-x)),
    lambda g, out, x: g * sigmoid(x) * (1 + x * (1 - sigmoid(x))),
    "The input times its sigmoid.",
    method=False,
    aliases=["swish"],
    traits=("saturating",),
    says="A product of the input and its sigmoid: the product rule adds the parts of the two.",
)
logsigmoid = elementwise(
    "logsigmoid",
    lambda x: np.minimum(x, 0) - precision.log1p(precision.exp(-np.abs(x))),
    lambda g, out, x: g * sigmoid(-x),
    "The logarithm of the sigmoid.",
    method=False,
    node="LogSigmoidBackward0",
    traits=("saturating",),
    says="The derivative of log(s) is 1 - s, where s is the sigmoid.",
)


def _softplus_rule(g: Any, out: Any, x: Any, *, beta: float = 1, threshold: float = 20) -> Any:
    bent = guarded(equal(x * beta, threshold), threshold, x * beta)  # torch's second derivative is 0 at the bound
    return guarded(x * beta > threshold, g, g * sigmoid(bent))


def _softplus_of(x: Any, *, beta: float = 1, threshold: float = 20) -> Any:
    bent = precision.log1p(precision.exp(np.minimum(x * beta, threshold)))
    return chosen(x * beta > threshold, x, bent / beta)


softplus: Primitive = primitive(
    "softplus",
    _softplus_of,
    _softplus_rule,
    kinks=lambda x, *, beta=1, threshold=20: np.equal(x * beta, threshold),
    pieces=lambda x, *, beta=1, threshold=20: np.greater(x * beta, threshold),
    convention="softplus above its threshold is the identity",
    traits=("saturating",),
    says="The derivative of softplus is the sigmoid.",
)
mish = elementwise(
    "mish",
    lambda x: x * precision.tanh(_softplus(x)),
    lambda g, out, x: g * (tanh(softplus(x)) + x * sigmoid(x) * (1 - tanh(softplus(x)) ** 2)),
    "The input times `tanh(softplus(x))`.",
    method=False,
    says="A product of the input and tanh(softplus(x)): the product rule adds the parts of the two.",
)
leaky_relu = primitive(
    "leaky_relu",
    lambda x, *, negative_slope=0.01: chosen(np.greater(x, 0), x, x * negative_slope),
    lambda g, out, x, *, negative_slope=0.01: leaky_relu_backward(g, x, negative_slope=negative_slope),
    kinks=(0.0,),
    convention="leaky_relu'(0) is the slope",
    traits=("gate", "kept"),
    node_in_place="LeakyReluBackward1",
    says="The gradient comes through where the input is positive, and times the small slope elsewhere.",
)
hardtanh = primitive(
    "hardtanh",
    lambda x, *, min_val=-1, max_val=1: np.clip(x, min_val, max_val),
    lambda g, out, x, *, min_val=-1, max_val=1: hardtanh_backward(g, x, min_val=min_val, max_val=max_val),
    kinks=lambda x, *, min_val=-1, max_val=1: np.equal(x, min_val) | np.equal(x, max_val),
    convention="hardtanh' is 0 at the bounds",
    traits=("bounded", "gate"),
    says=BETWEEN,
)


def _write_decay(operands: Any, options: dict[str, Any]) -> Call:
    (x,) = operands
    scale = options["scale"]
    return Call("exp", (Argument(x.tree if scale == 1 else Binary("/", x.tree, number(scale))),))


# exp(x/scale) where x < 0. Elsewhere the value is not used, and 1 keeps second derivatives from overflowing; torch's
# second derivative at 0 is 0.
decay = primitive(
    "decay",
    lambda x, *, scale: precision.exp(np.minimum(x, 0) / scale),
    lambda g, out, x, *, scale: where(x < 0, g * out / scale, 0),
    notation=_write_decay,
    says="Below 0 it is an exponential, whose derivative is itself; above 0 it is constant.",
)


def _elu(x: Any, *, alpha: float = 1) -> Any:
    return chosen(np.greater(x, 0), x, alpha * precision.expm1(np.minimum(x, 0)))


elu = primitive(
    "elu",
    _elu,
    lambda g, out, x, *, alpha=1: where(x <= 0, g * (alpha * decay(x, scale=1)), g),
    kinks=lambda x, *, alpha=1: np.equal(x, 0) & (alpha != 1),
    convention="elu'(0) = alpha",
    node_in_place="EluBackward1",
    traits=("kept",),
    says="Above 0 the gradient comes through; below it is multiplied by alpha*exp(x).",
)
selu = elementwise(
    "selu",
    lambda x: SELU_SCALE * _elu(x, alpha=SELU_ALPHA),
    lambda g, out, x: SELU_SCALE * where(x <= 0, g * (SELU_ALPHA * decay(x, scale=1)), g),
    "The self-normalizing elu.",
    method=False,
    example="x = [-1, 2]; selu(x)",
    node="EluBackward0",
    kinks=(0.0,),
    convention="selu'(0) is the slope on the left",
    node_in_place="EluBackward1",
    traits=("kept",),
    says="Above 0 the gradient is multiplied by the scale, below by scale*alpha*exp(x).",
)
celu = primitive(
    "celu",
    lambda x, *, alpha=1: chosen(np.greater(x, 0), x, alpha * precision.expm1(np.minimum(x, 0) / alpha)),
    lambda g, out, x, *, alpha=1: where(x <= 0, g * decay(x, scale=alpha), g),
    node_in_place="CeluBackward1",
    traits=("kept",),
    says="Above 0 the gradient comes through; below it is multiplied by exp(x/alpha).",
)


@operation("x = [-1, 2]; leaky_relu(x)", "x = [-1, 2]; leaky_relu(x, 0.2)", method=False)
def leaky_relu_(input: Real, negative_slope: float = 0.01) -> Any:
    """The input where positive, a small multiple of it elsewhere."""
    return leaky_relu(input, negative_slope=negative_slope)


@operation("x = [-1, 2]; elu(x)", "x = [-1, 2]; elu(x, alpha=2)", method=False)
def elu_(input: Real, alpha: float = 1.0) -> Any:
    """The input where positive, `alpha*(exp(x) - 1)` elsewhere."""
    return elu(input, alpha=alpha)


@operation("x = [-1, 2]; celu(x)", "x = [-1, 2]; celu(x, alpha=2)", method=False)
def celu_(input: Real, alpha: float = 1.0) -> Any:
    """The input where positive, `alpha*(exp(x/alpha) - 1)` elsewhere: an elu without a kink."""
    AutogradError.when(alpha == 0, "ZeroDivisionError: alpha cannot be 0 for CELU")
    return celu(input, alpha=alpha)


@operation("x = [-1, 2]; softplus(x)", "x = [-1, 2]; softplus(x, beta=2, threshold=3)", method=False)
def softplus_(input: Real, beta: float = 1.0, threshold: float = 20.0) -> Any:
    """`log(1 + exp(beta*x))/beta`, a smooth relu; the identity where `beta*x` is above the threshold."""
    return softplus(input, beta=beta, threshold=threshold)


@operation("x = [-3, 0.5, 2]; hardtanh(x)", "x = [-3, 0.5, 2]; hardtanh(x, min_val=-2, max_val=1)", method=False)
def hardtanh_(input: Real, min_val: float = -1.0, max_val: float = 1.0) -> Any:
    """The input held between two bounds."""
    return hardtanh(input, min_val=min_val, max_val=max_val)


@operation("x = [-1, 2, 7]; relu6(x)", method=False)
def relu6(input: Real) -> Any:
    """The input held between 0 and 6."""
    return hardtanh(input, min_val=0.0, max_val=6.0)


@operation("x = [-1, 2]; softsign(x)", method=False)
def softsign(input: Real) -> Any:
    """`x/(1 + abs(x))`."""
    return div(input, add(absolute(input), 1))
