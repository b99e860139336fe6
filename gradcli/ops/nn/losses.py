"""Losses: squared and absolute errors, both joined (smooth L1, Huber), and of distributions and classes.

A loss is one node with its reduction; its gradient is that of the entries, divided by their number for a mean. A weight
that is left out counts as the number 1, which formulas leave out too.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from gradcli.engine.broadcast import expand
from gradcli.engine.carrier import Carrier
from gradcli.engine.checks.promotion import check_constant
from gradcli.engine.checks.shapes import behind, broadcast_shapes, broadcastable, check_together, mismatch
from gradcli.engine.dtypes import TYPE_NAMES
from gradcli.engine.memory.views import fill
from gradcli.engine.modes import mode
from gradcli.engine.numerics import precision, summation
from gradcli.engine.primitive import Primitive, adjoint, structured
from gradcli.engine.symbolic.formula import Formula, Notation, as_formula, literal, named, positional
from gradcli.engine.tensor import Tensor
from gradcli.errors import AutogradError, ShapeError
from gradcli.language.tree import Argument, Call, Expression
from gradcli.ops import formulas as entries
from gradcli.ops.nn.activations import logsigmoid, sigmoid
from gradcli.ops.nn.softmax import log_softmax
from gradcli.ops.pointwise.arithmetic import add, div, mul, sub
from gradcli.ops.pointwise.comparisons import equal
from gradcli.ops.pointwise.elementwise import absolute, add_number, div_number, exp, log, mul_number, sign
from gradcli.ops.pointwise.logic import nan
from gradcli.ops.pointwise.selection import choose, guard_edge, masked_fill, where
from gradcli.ops.pointwise.ternary import xlogy
from gradcli.ops.reducing.reductions import apply_mean, apply_sum
from gradcli.ops.shaping.shaping import reshape, unsqueeze
from gradcli.ops.support.arguments import Array, Indices, Real, Shape, check_size, indices, real
from gradcli.ops.support.constant_nodes import number_of, one_way
from gradcli.ops.support.surface import operation, register_printed

DIFFERENT_SIZE = (
    "Using a target size (torch.Size({})) that is different to the input size (torch.Size({})). This will likely lead "
    "to incorrect results due to broadcasting. Please ensure they have the same size."
)


def reduce_losses(losses: Any, reduction: str, count: float | None = None) -> Any:
    """Return the losses, their sum, or their mean; `count` replaces their number as the divisor."""
    if reduction == "none":
        return losses
    total = summation.total(losses, behind(None, losses.ndim - 1)) if mode.stacked else summation.total(losses)
    return (
        total if reduction == "sum" else total / (math.prod(losses.shape[mode.stacked :]) if count is None else count)
    )


def share_gradient(gradient: Any, x: Any, reduction: str) -> Any:
    """Turn the gradients of the entries' losses into the gradient of the reduced loss."""
    return gradient / math.prod(x.shape) if reduction == "mean" else gradient


def over(losses: Any, reduction: str) -> Any:
    """Return the losses, their sum, or their mean, the reduction in a node of its own."""
    return losses if reduction == "none" else apply_sum(losses) if reduction == "sum" else apply_mean(losses)


def together(*tensors: Tensor) -> None:
    """Refuse tensors that do not broadcast."""
    check_together(*(x.value for x in tensors))


def write(name: str, *weights: str) -> Notation:
    """Return the notation `loss(x, y, weight=w, reduction='sum')`."""

    def written(operands: Sequence[Formula], options: dict[str, Any]) -> Expression:
        x, y, *others = operands
        options_shown = {**dict(zip(weights, others, strict=True)), **options}
        return Call(name, (Argument(x.tree), Argument(y.tree), *named(options_shown)))

    return written


def _mse_backward(g: Array, x: Array, y: Array, *, reduction: str) -> Any:
    """The gradient of `mse_loss` by its input."""
    return (_twice(x, reduction) * (x - y) * g).astype(x.dtype)


mse_backward: Primitive = adjoint(
    "mse_loss_backward",
    _mse_backward,
    lambda h, _, g, x, y, *, reduction: h * (_twice(x, reduction) * (x - y)),
    lambda h, _, g, x, y, *, reduction: h * g * _twice(x, reduction),
    lambda h, _, g, x, y, *, reduction: -h * g * _twice(x, reduction),
    node="MseLossBackwardBackward0",
    fold=lambda g, x, y, *, value, reduction: share_gradient(g * (2 * (x - y)), x, reduction),
    says="The gradient that comes back is 2*g times the difference, so both follow the product rule.",
    stacked=(),
)
register_printed(mse_backward, "u = 2; x = [1, 2]; y = [3, 5]; mse_loss_backward(u, x, y, reduction='mean')")
mse = structured(
    "mse_loss",
    lambda x, y, *, reduction: reduce_losses((x - y) ** 2, reduction),
    lambda g, out, x, y, *, reduction: mse_backward(g, x, y, reduction=reduction),
    lambda g, out, x, y, *, reduction: mse_backward(g, y, x, reduction=reduction),
    notation=write("mse_loss"),
    traits=("average",),
    inputs=("self", "target"),
    says="The slope of a squared error is twice the error, over n for a mean; the target gets the opposite.",
    index=entries.loss("({x} - {y})**2"),
    stacked=(),
)


def _twice(x: Any, reduction: str) -> float:
    """Return the factor of a square's derivative, 2/n for a mean over n entries, as one number as in torch."""
    return 2 / max(math.prod(x.shape[mode.stacked :]), 1) if reduction == "mean" else 2.0


def _bent(name: str, node: str, losses: Any, slope: Any) -> Primitive:
    """Declare a loss of the size of the error that is a square up to a bend and a straight line behind it."""

    def forward(x: Any, y: Any, *, reduction: str, **bend: float) -> Any:
        return reduce_losses(losses(np.abs(x - y), **bend), reduction)

    def rule(g: Carrier, out: Any, x: Carrier, y: Carrier, *, reduction: str, **bend: float) -> Any:
        return share_gradient(g * guard_edge(nan(x - y), math.nan, slope(x - y, **bend)), x, reduction)

    return structured(
        name,
        forward,
        rule,
        lambda g, out, x, y, **o: -rule(g, None, x, y, **o),
        node=node,
        notation=write(name),
        traits=("average",),
        inputs=("self", "target"),
        says="A small error counts as in a square, a large one with its sign alone; targets get the opposite.",
        stacked=(),
    )


smooth_l1 = _bent(
    "smooth_l1_loss",
    "SmoothL1LossBackward0",
    lambda d, *, beta: choose(d < beta, 0.5 * d * d / beta, d - 0.5 * beta),
    lambda error, *, beta: where(absolute(error) < beta, error / beta, sign(error)),
)
huber = _bent(
    "huber_loss",
    "HuberLossBackward0",
    lambda d, *, delta: choose(d < delta, 0.5 * d * d, delta * (d - 0.5 * delta)),
    lambda error, *, delta: where(absolute(error) < delta, error, delta * sign(error)),
)


def check_reduction(reduction: str, text: str = "is not a valid value for reduction") -> None:
    if reduction not in ("mean", "sum", "none"):
        raise AutogradError(f"{reduction} {text}", help="it is 'mean', 'sum' or 'none'")


def _matched(x: Tensor, y: Tensor, reduction: str) -> tuple[Any, Any]:
    """Expand both to one shape, with torch's warning where the shapes differ."""
    if x.shape == y.shape:
        check_reduction(reduction)
        return x, y
    warnings.warn(DIFFERENT_SIZE.format(list(y.shape), list(x.shape)), UserWarning, stacklevel=3)
    check_together(x.value, y.value)
    check_reduction(reduction)
    shape = broadcast_shapes(x.shape, y.shape)
    return tuple(v if v.shape == shape else expand(v, size=shape) for v in (x, y))  # type: ignore[return-value]


def check_weight(function: str, argument: str, weight: Tensor | None, shape: tuple[int, ...] | None = None) -> Any:
    """Return the weight, or 1; torch differentiates no loss with respect to its weights."""
    if weight is None:
        return 1
    check_constant(function, argument, weight)
    if shape is not None and not broadcastable([np.empty(shape), weight.value]):
        raise mismatch([np.empty(shape), weight.value])
    if shape is not None and broadcast_shapes(shape, weight.shape) != shape:
        broadcast = list(broadcast_shapes(shape, weight.shape))
        raise ShapeError(f"output with shape {list(shape)} doesn't match the broadcast shape {broadcast}")
    return weight


@operation(
    "x = [1, 2]; y = [3, 5]; mse_loss(x, y)",
    "x = [1, 2]; y = [3, 5]; mse(x, y, reduction='none')",
    aliases=["mse"],
    method=False,
    kernel="mse_cpu",
    traits=("reducing",),
)
def mse_loss(input: Real, target: Real, reduction: str = "mean") -> Any:
    """The mean of the squared differences."""
    return mse(*_matched(input, target, reduction), reduction=reduction)


@operation(
    "x = [1, 2]; y = [3, 5]; l1_loss(x, y)", "x = [1, 2]; y = [3, 5]; l1_loss(x, y, reduction='sum')", method=False
)
def l1_loss(input: Real, target: Real, reduction: str = "mean") -> Any:
    """The mean of the absolute differences."""
    x, y = _matched(input, target, reduction)
    losses = absolute(x - y)
    return losses if reduction == "none" else apply_mean(losses) if reduction == "mean" else apply_sum(losses)


@operation(
    "x = [1, 2]; y = [1.5, 5]; smooth_l1_loss(x, y)",
    "x = [1, 2]; y = [3, 5]; smooth_l1_loss(x, y, reduction='sum', beta=2.5)",
    method=False,
    kernel="smooth_l1_cpu",
)
def smooth_l1_loss(input: Real, target: Real, reduction: str = "mean", beta: float = 1.0) -> Any:
    """Squared error over `2*beta` below `beta`, absolute error less `beta/2` above."""
    if beta < 0:
        raise AutogradError("smooth_l1_loss does not support negative values for beta.")
    if beta == 0:
        return l1_loss(input, target, reduction)
    return smooth_l1(*_matched(input, target, reduction), reduction=reduction, beta=beta)


@operation(
    "x = [1, 2]; y = [1.5, 5]; huber_loss(x, y)",
    "x = [1, 2]; y = [3, 5]; huber_loss(x, y, reduction='none', delta=2.5)",
    method=False,
    kernel="huber_cpu",
)
def huber_loss(input: Real, target: Real, reduction: str = "mean", delta: float = 1.0) -> Any:
    """Half the squared error below `delta`, a straight line above."""
    if delta <= 0:
        raise AutogradError("huber_loss does not support non-positive values for delta.")
    return huber(*_matched(input, target, reduction), reduction=reduction, delta=delta)


MEAN_OF_ALL = (
    "reduction: 'mean' divides the total loss by both the batch size and the support size.'batchmean' divides only by "
    "the batch size, and aligns with the KL div math definition.'mean' will be changed to behave the same as "
    "'batchmean' in the next major release."
)


@operation(
    "x = [[-0.5, -1.5]]; y = [[0.6, 0.4]]; kl_div(x, y, reduction='batchmean')",
    "x = [-0.5, -1.5]; y = [-0.25, -2]; kl_div(x, y, reduction='sum', log_target=True)",
    method=False,
    only="nn.functional",
)
def kl_div(input: Real, target: Real, reduction: str = "mean", log_target: bool = False) -> Any:
    """The divergence of Kullback and Leibler: `target*(log(target) - input)` for logarithms of probabilities."""
    if reduction != "batchmean":
        check_reduction(reduction)
    if reduction == "mean":
        warnings.warn(MEAN_OF_ALL, UserWarning, stacklevel=2)
    together(target, input)
    losses = _in_logarithms(input, target) if log_target else sub(xlogy(target, target), mul(target, input))
    if reduction != "batchmean":
        return over(losses, reduction)
    summed = over(losses, "sum")
    return div(summed, input.shape[0]) if input.ndim else summed


def _in_logarithms(input: Real, target: Real) -> Any:
    return mul(exp(target), sub(target, input))


@operation(
    "x = [0.5, 1]; y = [2, 1]; poisson_nll_loss(x, y)",
    "x = [0.5, 1]; poisson_nll_loss(x, [2, 1], log_input=False, full=True, reduction='sum')",
    method=False,
    only="nn.functional",
)
def poisson_nll_loss(
    input: Real, target: Real, log_input: bool = True, full: bool = False, eps: float = 1e-8, reduction: str = "mean"
) -> Any:
    """Minus the log likelihood of counts; `full` adds Stirling's approximation of the part without parameters."""
    check_reduction(reduction)
    together(target, input)
    rate, logarithm = (exp(input), input) if log_input else (input, log(add_number(input, eps)))
    losses = sub(rate, mul(target, logarithm))
    if full:
        root = mul_number(log(mul_number(target, 2 * math.pi)), 0.5)
        stirling = add(sub(mul(target, log(target)), target), root)
        losses = add(losses, masked_fill(stirling, Tensor(target.value <= 1), 0))
    return over(losses, reduction)


EPSILON = float(np.float32(1e-12))  # as in torch, rounded to single precision for every dtype


def _losses(x: Any, y: Any, w: Any, *, reduction: str) -> Any:
    """Clamp logarithms at -100, so that a certain but wrong answer costs 100 and not infinity."""
    check_probabilities(x, y)
    losses = (y - 1) * np.maximum(precision.log1p(-x), -100) - y * np.maximum(precision.log(x), -100)
    return reduce_losses(losses * w, reduction)


def check_probabilities(x: Any, y: Any) -> None:
    """Refuse a number that is no probability; torch goes through the entries, and asks for the input first."""
    both = {"input": x, "target": y}
    outside = {name: np.flatnonzero(~((x >= 0) & (x <= 1))) for name, x in both.items()}
    wrong = [(places[0], name) for name, places in outside.items() if places.size]
    if wrong:
        name = min(wrong)[1]
        raise AutogradError(
            f"all elements of {name} should be between 0 and 1",
            help="binary_cross_entropy_with_logits takes numbers before the sigmoid" if name == "input" else "",
        )


def _rule(g: Carrier, out: Carrier, x: Carrier, y: Carrier, w: Any, *, reduction: str) -> Any:
    slope = x * (1 - x)
    return share_gradient(g * (x - y) / guard_edge(slope < EPSILON, EPSILON, slope) * w, x, reduction)


binary_entropy = structured(
    "binary_cross_entropy",
    _losses,
    _rule,
    lambda g, out, x, y, w, *, reduction: share_gradient(g * (w * (log(1 - x) - log(x))), x, reduction),
    notation=write("binary_cross_entropy", "weight"),
    kinks=lambda x, y, w, **_: x * (1 - x) < EPSILON,
    convention="logarithms end at -100 in the value, x*(1 - x) at 1e-12 in the gradient",
    traits=("average", "lenient"),
    inputs=("self", "target", "weight"),
    says="The prediction p gets (p - target)/(p*(1 - p)): steep where it is sure and wrong.",
    stacked=(),
)


def _with_logits(x: Any, y: Any, w: Any, p: Any, *, reduction: str) -> Any:
    """Compute `log(sigmoid(x))` from the logits, since a sigmoid near 0 or 1 has lost its digits to rounding."""
    log_sigmoid = np.minimum(x, 0) - precision.log1p(precision.exp(-np.abs(x)))
    weighted = log_sigmoid if number_of(p) == 1 else ((p - 1) * y + 1) * log_sigmoid
    losses = ((1 - y) * x - weighted) * w
    return reduce_losses(np.asarray(losses, y.dtype)[()], reduction)  # torch computes in the place of `1 - y`


def _logits_rule(g: Carrier, out: Carrier, x: Carrier, y: Carrier, w: Any, p: Any, *, reduction: str) -> Any:
    slope = sigmoid(x) - y if number_of(p) == 1 else (p * y + 1 - y) * sigmoid(x) - p * y
    return share_gradient(g * (w * slope), x, reduction)


def _logits_target_rule(g: Carrier, out: Carrier, x: Carrier, y: Carrier, w: Any, p: Any, *, reduction: str) -> Any:
    slope = -x if number_of(p) == 1 else logsigmoid(-x) - p * logsigmoid(x)
    return share_gradient(g * (w * slope), x, reduction)


_ENTRIES = entries.loss(
    "-{w}·({y}·log(sigmoid({x})) + (1 - {y})·log(sigmoid(-{x})))",
    ("x", "{w}·(sigmoid({x}) - {y})"),
    ("y", "-{w}·{x}"),
)
with_logits = structured(
    "binary_cross_entropy_with_logits",
    _with_logits,
    _logits_rule,
    _logits_target_rule,
    notation=write("binary_cross_entropy_with_logits", "weight", "pos_weight"),
    traits=("average",),
    inputs=("self", "target", "weight", "pos_weight"),
    says="The score gets its sigmoid minus the target, times the weights if there are any.",
    index=lambda out, x, y, w, p, **options: _ENTRIES(out, x, y, w, **options) if number_of(p) == 1 else "",
    stacked=(),
)


@operation(
    "x = [0.2, 0.7]; y = [0.1, 0.9]; binary_cross_entropy(x, y)",
    "x = [0.2, 0.7]; y = [0.1, 0.8]; bce(x, y, weight=[1, 2], reduction='sum')",
    aliases=["bce"],
    method=False,
    kernel="binary_cross_entropy",
)
def binary_cross_entropy(input: Real, target: Real, weight: Real | None = None, reduction: str = "mean") -> Any:
    """`-(y*log(x) + (1 - y)*log(1 - x))` for probabilities x and targets y."""
    check_reduction(reduction)
    ShapeError.when(
        input.shape != target.shape,
        f"Using a target size (torch.Size({list(target.shape)})) that is different to the input size "
        f"(torch.Size({list(input.shape)})) is deprecated. Please ensure they have the same size.",
    )
    w = check_weight("binary_cross_entropy", "weight", weight, input.shape)
    return binary_entropy(input, target, w, reduction=reduction)


@operation(
    "x = [-2, 0.7]; y = [0, 1]; binary_cross_entropy_with_logits(x, y)",
    "x = [-2, 0.7]; y = [0.1, 1]; bce_with_logits(x, y, weight=[1, 2], reduction='sum', pos_weight=[3, 0.5])",
    aliases=["bce_with_logits"],
    method=False,
    only="nn.functional",
)
def binary_cross_entropy_with_logits(
    input: Real, target: Real, weight: Real | None = None, reduction: str = "mean", pos_weight: Real | None = None
) -> Any:
    """Binary cross entropy of `sigmoid(x)`, exact where the sigmoid rounds to 0 or 1."""
    check_reduction(reduction)
    ShapeError.when(
        input.shape != target.shape,
        f"Target size (torch.Size({list(target.shape)})) must be the same as input size "
        f"(torch.Size({list(input.shape)}))",
    )
    name = "binary_cross_entropy_with_logits"
    w = check_weight(name, "weight", weight, input.shape)
    p = check_weight(name, "pos_weight", pos_weight, input.shape)
    return with_logits(input, target, w, p, reduction=reduction)


def class_axis(shape: Sequence[int]) -> int:
    return 0 if len(shape) == 1 else 1


class Labels:
    """The labels for scores of a shape: whether each counts, its weight, and the position of its class."""

    def __init__(self, target: Any, weight: Any, shape: tuple[int, ...], ignore_index: int) -> None:
        self.axis = class_axis(shape)
        labels = np.asarray(target).astype(np.intp).reshape(shape[: self.axis] + shape[self.axis + 1 :])
        self.counted = labels != ignore_index
        labels = np.where(self.counted, labels, 0)
        self.places = np.expand_dims(labels, self.axis)
        # Without weights `weight` is the number 1, and the mean is over the number of labels.
        self.weights = weight if isinstance(weight, int) else np.where(self.counted, weight[labels], 0)
        self.total = float(np.sum(self.counted if isinstance(weight, int) else self.weights))


def _nll(x: Any, target: Any, weight: Any = 1, *, reduction: str = "mean", ignore_index: int = -100) -> Any:
    labels = Labels(target, weight, x.shape, ignore_index)
    chosen = np.take_along_axis(x, labels.places, labels.axis).squeeze(labels.axis)
    losses = np.where(labels.counted, -chosen * labels.weights, 0)[()]
    if reduction == "none":
        return losses
    summed = summation.of_losses(losses)
    return summed if reduction == "sum" else summed / labels.total


def _nll_backward(
    g: Any, target: Any, weight: Any = 1, *, size: tuple[int, ...], reduction: str = "mean", ignore_index: int = -100
) -> Any:
    labels = Labels(target, weight, size, ignore_index)
    share = -g * labels.weights / (labels.total if reduction == "mean" else 1)
    out = np.zeros(size, np.asarray(g).dtype)
    np.put_along_axis(out, labels.places, np.expand_dims(np.where(labels.counted, share, 0), labels.axis), labels.axis)
    return out


def _short(
    g: Any, target: Formula, weight: Formula, *, value: Any, size: tuple[int, ...], reduction: str, ignore_index: int
) -> Formula | None:
    """Fold to the textbook form `-g*one_hot(t, 3)/2`; an ignored label has no class, and prevents the fold."""
    scores = np.asarray(target.value).astype(np.intp)
    if len(size) > 2 or np.any(scores == ignore_index):
        return None
    classes = as_formula(size[-1])
    codes: Any = Formula(Call("one_hot", (Argument(target.tree), Argument(classes.tree))), np.eye(size[-1])[scores], 3)
    if codes.shape != size:
        return None
    gradient: Any = -(unsqueeze(g, dim=1) if g.shape else g) * (weight * codes)
    if reduction == "mean":
        total = Labels(target.value, weight.value, size, ignore_index).total
        gradient = gradient / (int(total) if total.is_integer() else total)
    return gradient  # type: ignore[no-any-return]


def _write_backward(operands: Sequence[Formula], options: dict[str, Any]) -> Expression:
    g, target, weight = operands
    o = dict(options)
    trees = [g.tree, target.tree, literal(o.pop("size"))]
    return Call("nll_loss_backward", (*map(Argument, trees), *named({"weight": weight, **o})))


def _likelihood(name: str, node: str) -> tuple[Primitive, Primitive]:
    """Declare the loss, which is linear in the scores, and its adjoint."""
    forward: Primitive = structured(
        name,
        _nll,
        lambda g, out, x, target, weight, **o: backward(g, target, weight, size=x.shape, **o),
        node=node,
        notation=write("nll_loss", "weight"),
        saves=(0,),
        index=entries.likelihood,
        traits=("average",),
        inputs=("self", "target"),
        says="Only the score of the right class counts: it gets minus its share of the gradient, the others get 0.",
    )
    backward: Primitive = adjoint(
        f"{name}_backward",
        _nll_backward,
        lambda g, out, h, target, weight, *, size, **o: forward(g, target, weight, **o),
        node=node.replace("Backward", "BackwardBackward"),
        notation=_write_backward,
        fold=_short,
        says="One number stands at the right class of each row, so it gets those gradients back.",
    )
    return forward, backward


nll, nll_backward = _likelihood("nll_loss", "NllLossBackward0")
nll2d, nll2d_backward = _likelihood("nll_loss2d", "NllLoss2DBackward0")
one_hot = structured(
    "one_hot",
    lambda tensor, *, num_classes: (np.expand_dims(tensor, -1) == np.arange(num_classes)).astype(np.int64),
    notation=positional("one_hot"),
)


def check_labels(size: Shape, target: Any, weight: Any, ignore_index: int) -> Any:
    """Return the weight, or 1; refuse labels that do not fit the scores with torch's messages."""
    ShapeError.when(len(size) == 0, "Expected 1 or more dimensions (got 0)")
    if len(size) == 1 and target.value.size != 1:
        raise ShapeError(f"For 1D input, 1D target must have size 1, but got target size: {target.value.size}")
    if len(size) > 1:
        count = target.shape[0] if target.ndim else 0
        if size[0] != count:
            raise ShapeError(f"Expected input batch_size ({size[0]}) to match target batch_size ({count}).")
        expected = (size[0], *size[2:])
        ShapeError.when(
            target.shape != expected and len(size) == 4,
            f"size mismatch (got input: {list(size)} , target: {list(target.shape)}",
        )
        ShapeError.when(target.shape != expected, f"Expected target size {list(expected)}, got {list(target.shape)}")
    classes = size[class_axis(size)]
    outside = (target.value < 0) | (target.value >= classes)
    wrong = np.atleast_1d(target.value)[np.atleast_1d(outside & (target.value != ignore_index))]
    if wrong.size:
        raise AutogradError(
            f"Target {wrong[0]} is out of bounds.", help=f"the labels of {classes} classes are 0 to {classes - 1}"
        )
    if weight is not None and weight.shape != (classes,):
        raise ShapeError(
            f"weight tensor should be defined either for all {classes} classes or no classes but got weight tensor of "
            f"shape: {list(weight.shape)}"
        )
    return check_weight("nll_loss_forward", "weight", weight)


@operation(
    "x = [[-0.5, -2, -1], [-1, -0.2, -3]]; nll_loss(x, [0, 2])",
    "x = [[-0.5, -2, -1], [-1, -0.2, -3]]; nll_loss(x, [0, 2], weight=[1, 2, 0.5], reduction='sum')",
    "x = [[-0.5, -2, -1], [-1, -0.2, -3]]; nll_loss(x, [0, -1], ignore_index=-1, reduction='none')",
    "x = [[[[-0.5, -2]], [[-1, -0.2]]]]; nll_loss(x, [[[0, 1]]])",
    method=False,
    kernel="nll_loss_out_frame",
    alike="expected scalar type {0} but found {1}",
)
def nll_loss(
    input: Real, target: Indices, weight: Real | None = None, ignore_index: int = -100, reduction: str = "mean"
) -> Any:
    """Minus the score of the right class; `input` holds log-probabilities, (batch, classes)."""
    check_reduction(reduction)
    w = check_labels(input.shape, target, weight, ignore_index)
    o = {"reduction": reduction, "ignore_index": ignore_index}
    if input.ndim < 3:
        return nll(input, target, w, **o)
    if input.ndim == 4:
        result = nll2d(input, target, w, **o)
        return result if input.array.flags.c_contiguous else one_way(result, "grad_input must be contiguous")
    shape, positions = input.shape[:2], math.prod(input.shape[2:])
    flat = Tensor(target.value.reshape(shape[0], 1, positions))
    losses = nll2d(reshape(input, shape=(*shape, 1, positions)), flat, w, **o)
    return reshape(losses, shape=target.shape) if reduction == "none" else losses


@operation(
    "u = [2, 3]; nll_loss_backward(u, [0, 2], (2, 3), reduction='none')",
    "u = 2; nll_loss_backward(u, [[[0, 1]]], (1, 3, 1, 2), weight=[1, 2, 0.5], ignore_index=1)",
    method=False,
)
def nll_loss_backward(
    grad_output: Real,
    target: Indices,
    size: Shape,
    weight: Real | None = None,
    ignore_index: int = -100,
    reduction: str = "mean",
) -> Any:
    """The gradient of `nll_loss` with respect to scores of the given size."""
    check_reduction(reduction)
    check_size(size)
    w = check_labels(size, target, weight, ignore_index)
    ShapeError.when(
        grad_output.shape != (target.shape if reduction == "none" else ()),
        f"Expected grad_output not to have shape {list(grad_output.shape)}",
    )
    backward = nll_backward if len(size) < 3 else nll2d_backward
    return backward(grad_output, target, w, size=size, reduction=reduction, ignore_index=ignore_index)


@operation("one_hot([0, 2, 1])", "one_hot([[1], [0]], num_classes=3)", method=False, soft="torch.softmax({x}, dim=-1)")
def apply_one_hot(tensor: Indices, num_classes: int = -1) -> Any:
    """A row for each label: 1 at its class, 0 elsewhere."""
    AutogradError.when(
        not tensor.value.size and num_classes <= 0, "Can not infer total number of classes from empty tensor."
    )
    AutogradError.when(np.any(tensor.value < 0), "Class values must be non-negative.")
    classes = int(tensor.value.max()) + 1 if num_classes == -1 else num_classes
    AutogradError.when(np.any(tensor.value >= classes), "Class values must be smaller than num_classes.")
    check_size((*tensor.shape, classes))
    return one_hot(tensor, num_classes=classes)


def _labels(target: Any) -> Any:
    try:
        return indices(target)
    except ValueError:
        raise AutogradError(
            f"expected target dtype to be Long or Byte, but got {TYPE_NAMES[target.dtype]}",
            help="labels are whole numbers; probabilities come in the shape of the input",
        ) from None


@operation(
    "x = [[1, 2, -1], [0.5, 0, 3]]; cross_entropy(x, [1, 0])",
    "x = [[1, 2, -1], [0.5, 0, 3]]; cross_entropy(x, [1, -1], weight=[1, 2, 0.5], ignore_index=-1, reduction='sum')",
    "x = [[1, 2, -1], [0.5, 0, 3]]; cross_entropy(x, [1, 0], label_smoothing=0.1)",
    "x = [[1, 2, -1], [0.5, 0, 3]]; p = [[0.2, 0.5, 0.3], [0.6, 0.2, 0.2]]; cross_entropy(x, p, label_smoothing=0.1)",
    method=False,
)
def cross_entropy(
    input: Real,
    target: Tensor,
    weight: Real | None = None,
    ignore_index: int = -100,
    reduction: str = "mean",
    label_smoothing: float = 0.0,
) -> Any:
    """Negative log likelihood of the softmax of scores; the target holds labels, or a probability for each class."""
    check_reduction(reduction)
    AutogradError.when(label_smoothing > 1, f"label_smoothing must be between 0.0 and 1.0. Got: {label_smoothing:g}")
    label_smoothing = max(label_smoothing, 0)  # torch leaves a negative one out
    ShapeError.when(
        not input.ndim and not target.ndim and target.dtype.kind == "f",
        "Dimension specified as 1 but tensor has no dimensions",
    )
    if input.shape and input.shape == target.shape:
        return _against_probabilities(input, real(target), weight, ignore_index, reduction, label_smoothing)
    ShapeError.when(input.ndim == 0, "Expected 1 or more dimensions (got 0)")
    labels = _labels(target)
    check_labels(input.shape, labels, weight, ignore_index)
    scores = log_softmax(input, dim=class_axis(input.shape))
    loss = nll_loss(scores, labels, weight, ignore_index, reduction)
    if not label_smoothing:
        return loss
    smooth = _smoothing(scores, labels, weight, ignore_index, reduction)
    classes = input.shape[class_axis(input.shape)]
    return mul_number(loss, 1 - label_smoothing) + mul_number(smooth, label_smoothing / classes)


def _by_class(weight: Any, ndim: int) -> Any:
    """Reshape the weights to broadcast against the scores."""
    if ndim == 1:
        return weight
    shape = (1, weight.shape[0], *[1] * (ndim - 2))
    return reshape(weight, shape=shape)


def _smoothing(scores: Any, labels: Any, weight: Any, ignore_index: int, reduction: str) -> Any:
    """Return minus the sum of the scores over the classes, 0 where the label is ignored, after the reduction."""
    axis = class_axis(scores.shape)
    weighted = scores if weight is None else scores * _by_class(weight, scores.ndim)
    if labels.ndim and scores.ndim == 1:
        labels = Tensor(labels.value.reshape(()))
    smooth = masked_fill(-apply_sum(weighted, axis), equal(labels, ignore_index), 0)
    if reduction != "mean":
        return smooth if reduction == "none" else apply_sum(smooth)
    total = Labels(labels.value, 1 if weight is None else weight.value, scores.shape, ignore_index).total
    return apply_sum(smooth) / Tensor(scores.dtype.type(total))


def _against_probabilities(
    input: Any, target: Any, weight: Any, ignore_index: int, reduction: str, label_smoothing: float
) -> Any:
    axis = class_axis(input.shape)
    classes = input.shape[axis]
    AutogradError.when(ignore_index >= 0, "ignore_index is not supported for floating point target")
    if weight is not None and weight.shape != (classes,):
        raise ShapeError(
            f"cross_entropy: weight tensor should be defined either for all {classes} classes or no classes but got "
            f"weight tensor of shape: {list(weight.shape)}"
        )
    if label_smoothing:
        target = add_number(mul_number(target, 1 - label_smoothing), label_smoothing / max(classes, 1))
    product = log_softmax(input, dim=axis) * target
    if weight is not None:
        product = product * _by_class(weight, input.ndim)
    if reduction == "none":
        return -apply_sum(product, axis)
    if reduction == "mean" and not input.value.size:  # torch writes a nan over the sum
        return -fill(apply_sum(product), math.nan)
    loss = -apply_sum(product)
    return div_number(loss, input.value.size // max(classes, 1)) if reduction == "mean" else loss
