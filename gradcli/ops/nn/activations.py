"""Activation functions, finite at any input: smooth ones, those of straight pieces, and prelu with its weights."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from gradcli.engine.carrier import Carrier
from gradcli.engine.numerics import precision
from gradcli.engine.numerics.precision import SINGLE
from gradcli.engine.primitive import Primitive, primitive
from gradcli.engine.symbolic.formula import number
from gradcli.engine.tensor import Tensor
from gradcli.errors import AutogradError, ShapeError
from gradcli.language.tree import Argument, Binary, Call
from gradcli.ops.pointwise.arithmetic import add, div
from gradcli.ops.pointwise.comparisons import both, equal, exceeds
from gradcli.ops.pointwise.elementwise import absolute, by_number, elementwise, power
from gradcli.ops.pointwise.logic import nan
from gradcli.ops.pointwise.selection import MANY, choose, guard_edge, where
from gradcli.ops.pointwise.trigonometry import tanh
from gradcli.ops.shaping.shaping import reshape_in_memory
from gradcli.ops.support.arguments import Array, Real
from gradcli.ops.support.constant_nodes import SQRT_2_OVER_PI
from gradcli.ops.support.surface import BETWEEN, operation, register_printed

# The constants of self-normalizing networks (Klambauer et al. 2017), to the digits that torch has.
SELU_ALPHA = 1.6732632423543772848170429916717
SELU_SCALE = 1.0507009873554804934193349852946


def _softplus(x: Any) -> Any:
    """Return `log(1 + exp(x))` without overflow."""
    return np.maximum(x, 0) + precision.log1p(precision.exp(-np.abs(x)))


def _sigmoid(x: Any) -> Any:
    y = -x
    if type(y) is not np.ndarray:
        return 1 / (1 + precision.exp(y))
    y = precision.exp(y, y)
    y += 1
    return np.divide(1, y, out=y)


def _positive_part(x: Any) -> Any:
    """Compare with an array of zeros, which numpy does twice as fast as with a number."""
    if type(x) is not np.ndarray or x.size < MANY:
        return np.maximum(x, 0)
    zeros = np.zeros_like(x)
    return np.maximum(x, zeros, out=zeros)


sigmoid = elementwise(
    "sigmoid",
    _sigmoid,
    lambda g, out, x: g * (out * (1 - out)),
    "The logistic function `1/(1 + exp(-x))`.",
    aliases=["expit"],
    traits=("saturating",),
    says="The derivative of the sigmoid is s*(1 - s): at most 1/4, and nearly 0 where it saturates.",
)
relu = elementwise(
    "relu",
    _positive_part,
    lambda g, out, x: where(exceeds(out, 0), g, 0),
    "The positive part.",
    example="x = [-1, 2]; relu(x)",
    takes="input: Tensor",
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
    kernel="silu_cpu",
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
    kernel="log_sigmoid_cpu",
)


def _softplus_rule(g: Carrier, out: Carrier, x: Carrier, *, beta: float = 1, threshold: float = 20) -> Any:
    bent = guard_edge(equal(x * beta, threshold), threshold, x * beta)  # torch's second derivative is 0 at the bound
    return guard_edge(x * beta > threshold, g, g * sigmoid(bent))


def _softplus_of(x: Any, *, beta: float = 1, threshold: float = 20) -> Any:
    bent = precision.log1p(precision.exp(np.minimum(x * beta, threshold)))
    return choose(x * beta > threshold, x, bent / beta)


softplus: Primitive = elementwise(
    "softplus",
    _softplus_of,
    _softplus_rule,
    "`log(1 + exp(beta*x))/beta`, a smooth relu; the identity where `beta*x` is above the threshold.",
    takes="input: Real, beta: float = 1.0, threshold: float = 20.0",
    examples=("x = [-1, 2]; softplus(x)", "x = [-1, 2]; softplus(x, beta=2, threshold=3)"),
    method=False,
    kinks=lambda x, *, beta=1, threshold=20: np.equal(x * beta, threshold),
    pieces=lambda x, *, beta=1, threshold=20: np.greater(x * beta, threshold),
    convention="softplus above its threshold is the identity",
    traits=("saturating",),
    says="The derivative of softplus is the sigmoid.",
    kernel="softplus_cpu",
)
mish = elementwise(
    "mish",
    lambda x: x * precision.tanh(_softplus(x)),
    lambda g, out, x: g * (tanh(softplus(x)) + x * sigmoid(x) * (1 - tanh(softplus(x)) ** 2)),
    "The input times `tanh(softplus(x))`.",
    method=False,
    says="A product of the input and tanh(softplus(x)): the product rule adds the parts of the two.",
    kernel="mish_cpu",
)
leaky_relu = elementwise(
    "leaky_relu",
    lambda x, *, negative_slope=0.01: choose(np.greater(x, 0), x, x * negative_slope),
    lambda g, out, x, *, negative_slope=0.01: where(x > 0, g, negative_slope * g),
    "The input where positive, a small multiple of it elsewhere.",
    takes="input: Real, negative_slope: float = 0.01",
    examples=("x = [-1, 2]; leaky_relu(x)", "x = [-1, 2]; leaky_relu(x, 0.2)"),
    method=False,
    kinks=(0.0,),
    convention="leaky_relu'(0) is the slope",
    traits=("gate", "kept"),
    node_in_place="LeakyReluBackward1",
    says="The gradient comes through where the input is positive, and times the small slope elsewhere.",
    kernel="leaky_relu_cpu",
)
hardtanh = elementwise(
    "hardtanh",
    lambda x, *, min_val=-1, max_val=1: np.clip(x, min_val, max_val),
    lambda g, out, x, *, min_val=-1, max_val=1: guard_edge(nan(x), g, where(both(x > min_val, x < max_val), g, 0)),
    "The input held between two bounds.",
    takes="input: Real, min_val: float = -1.0, max_val: float = 1.0",
    examples=("x = [-3, 0.5, 2]; hardtanh(x)", "x = [-3, 0.5, 2]; hardtanh(x, min_val=-2, max_val=1)"),
    method=False,
    computes_integers=True,
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
    return choose(np.greater(x, 0), x, alpha * precision.expm1(np.minimum(x, 0)))


elu = elementwise(
    "elu",
    _elu,
    lambda g, out, x, *, alpha=1: where(x <= 0, g * (alpha * decay(x, scale=1)), g),
    "The input where positive, `alpha*(exp(x) - 1)` elsewhere.",
    takes="input: Real, alpha: float = 1.0",
    examples=("x = [-1, 2]; elu(x)", "x = [-1, 2]; elu(x, alpha=2)"),
    method=False,
    kinks=lambda x, *, alpha=1: np.equal(x, 0) & (alpha != 1),
    convention="elu'(0) = alpha",
    node_in_place="EluBackward1",
    traits=("kept",),
    says="Above 0 the gradient comes through; below it is multiplied by alpha*exp(x).",
    kernel="elu_cpu",
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
    kernel="elu_cpu",
)


@operation("x = [-1, 2, 7]; relu6(x)", method=False, computes_integers=True)
def relu6(input: Real) -> Any:
    """The input held between 0 and 6."""
    return hardtanh(input, min_val=0.0, max_val=6.0)


@operation("x = [-1, 2]; softsign(x)", method=False)
def softsign(input: Real) -> Any:
    """`x/(1 + abs(x))`."""
    return div(input, add(absolute(input), 1))


def _normal_pdf(x: Array) -> Any:
    """The density of the standard normal distribution."""
    return precision.exp(-(x**2) / 2) * (1 / math.sqrt(2 * math.pi))


def _normal_cdf(x: Array) -> Any:
    """The distribution function of the standard normal distribution; single precision has the rounding of torch."""
    is_single = getattr(x, "dtype", None) == SINGLE
    return 0.5 * (1 + _erf(x * math.sqrt(0.5)) if is_single else _erfc(-x * math.sqrt(0.5)))


normal_pdf: Primitive = primitive(
    "normal_pdf",
    _normal_pdf,
    lambda g, out, x: -g * x * out,
    says="The bell curve falls away from 0: its derivative is -x times itself.",
)
_erf, _erfc = by_number(math.erf), by_number(math.erfc)
normal_cdf = primitive(
    "normal_cdf",
    _normal_cdf,
    lambda g, out, x: g * normal_pdf(x),
    says="The derivative of the area under the bell curve is the bell curve.",
)
register_printed(normal_pdf, "x = [-1, 2]; normal_pdf(x)")
register_printed(normal_cdf, "x = [-1, 2]; normal_cdf(x)")


def _gelu(x: Any, *, approximate: str = "none") -> Any:
    if approximate == "none":
        return x * normal_cdf(x)
    return 0.5 * x * (1 + precision.tanh(_gelu_inner(x)))


def _gelu_inner(x: Any) -> Any:
    return SQRT_2_OVER_PI.beside(x) * (x + 0.044715 * power(x, exponent=3))


def _gelu_rule(g: Carrier, out: Carrier, x: Carrier, *, approximate: str = "none") -> Any:
    if approximate == "none":
        return g * (normal_cdf(x) + x * normal_pdf(x))
    t = tanh(_gelu_inner(x))
    slope = SQRT_2_OVER_PI.beside(x) * (1 + 3 * 0.044715 * x**2)
    return g * (0.5 * (1 + t) + 0.5 * x * ((1 - t**2) * slope))


gelu = primitive(
    "gelu",
    _gelu,
    _gelu_rule,
    traits=("cancelling", "saturating"),
    says="The input times the area under the bell curve: the product rule adds area and input times height.",
)


@operation("x = [-1, 2]; gelu(x)", "x = [-1, 2]; gelu(x, approximate='tanh')", method=False, kernel="GeluKernelImpl")
def apply_gelu(input: Real, approximate: str = "none") -> Any:
    """The input times the normal distribution function; 'tanh' is its usual approximation."""
    AutogradError.when(approximate not in ("none", "tanh"), "approximate argument must be either none or tanh.")
    return gelu(input, approximate=approximate)


SIXTH = float(np.float32(1 / 6))  # torch has single precision here


above = elementwise(
    "threshold",
    lambda x, *, threshold, value: np.asarray(np.where(np.less_equal(x, threshold), value, x), x.dtype)[()],
    lambda g, out, x, *, threshold, value: where(x <= threshold, 0, g),
    "The input where it is above the threshold, else `value`.",
    takes="input: Tensor, threshold: float, value: float",
    example="x = [-1, 0.5, 2]; threshold(x, 1, 20)",
    method=False,
    kinks=lambda x, *, threshold, value: np.equal(x, threshold),
    convention="threshold' is 0 at the threshold",
    pieces=lambda x, *, threshold, value: np.greater(x, threshold) & (value != threshold),
    traits=("gate",),
    node_in_place="ThresholdBackward1",
    says="The gradient comes through above the threshold, and is 0 below it.",
)
hardsigmoid = elementwise(
    "hardsigmoid",
    lambda x: np.clip(x + 3, 0, 6) / 6,
    lambda g, out, x: where(both(x > -3, x < 3), g * SIXTH, 0),
    "A sigmoid of straight pieces: `relu6(x + 3)/6`.",
    method=False,
    kinks=(-3.0, 3.0),
    convention="hardsigmoid' is 0 at its corners",
    traits=("bounded",),
    says="The gradient is a sixth between -3 and 3, and 0 beyond.",
    kernel="hardsigmoid_cpu",
)
hardswish = elementwise(
    "hardswish",
    lambda x: x * np.clip(x + 3, 0, 6) / 6,
    lambda g, out, x: where(x <= -3, 0, where(x < 3, g * (x / 3 + 0.5), g)),
    "The input times its hard sigmoid.",
    method=False,
    kinks=(-3.0, 3.0),
    convention="hardswish' is 0 at -3 and 1 at 3",
    says="Below -3 the gradient is 0, above 3 it comes through, and between it is multiplied by x/3 + 1/2.",
    kernel="hardswish_cpu",
)


def _prelu(x: Array, weight: Array) -> Any:
    """The input where it is positive, `weight*x` elsewhere."""
    return choose(np.greater(x, 0), x, weight * x)


def _prelu_rule(g: Carrier, out: Carrier, x: Carrier, weight: Any) -> Any:
    fixed = Tensor(weight.value) if isinstance(weight, Tensor) else weight  # at 0 torch's second derivative is 0
    return where(x > 0, g, guard_edge(equal(x, 0), fixed * g, weight * g))


prelu = primitive(
    "prelu_kernel",
    _prelu,
    _prelu_rule,
    lambda g, out, x, weight: where(x >= 0, 0, x * g),  # and so flat in x at 0, as in torch
    kinks=lambda x, weight: np.equal(x, 0) & np.not_equal(weight, 1),
    inputs=("self", "weight"),
    convention="prelu'(0) is the slope",
    says="Above 0 the gradient comes through, below times the weight, which gets the negative inputs.",
)
register_printed(prelu, "x = [-1, 2]; w = [0.25, 0.5]; prelu_kernel(x, w)")


@operation(
    "x = [-1, 2]; w = 0.25; prelu(x, w)", "x = [[-1, 2], [3, -4]]; w = [0.25, 0.5]; prelu(x, w)", kernel="prelu_cpu"
)
def apply_prelu(input: Real, weight: Real) -> Any:
    """The input where positive, elsewhere the input times a weight, one for all or one for each channel."""
    count = weight.value.size
    ShapeError.when(
        weight.ndim > 1, f"prelu: Expected `weight` to be a scalar or 1D tensor, but got: ndim = {weight.ndim}"
    )
    if count != 1:
        ShapeError.when(not input.ndim, "Not allow zero-dim input tensor.")
        channels = input.shape[1] if input.ndim > 1 else 1
        ShapeError.when(
            count != channels,
            f"Mismatch of parameter numbers and input channel size. Found parameter numbers = {count} and channel "
            f"size = {channels}.",
        )
    if input.ndim != weight.ndim:
        weight = reshape_in_memory(weight, tuple(count if axis == 1 else 1 for axis in range(input.ndim)))
    return prelu(input, weight)
