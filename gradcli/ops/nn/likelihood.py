"""Negative log likelihood, with its adjoint, and cross entropy of class scores, lowered as torch lowers it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from gradcli.engine.dtypes import TYPE_NAMES
from gradcli.engine.memory.writing import fill
from gradcli.engine.numerics import summation
from gradcli.engine.primitive import Primitive, adjoint, structured
from gradcli.engine.symbolic.formula import Formula, as_formula, literal, named, positional
from gradcli.engine.tensor import Tensor
from gradcli.errors import AutogradError, ShapeError
from gradcli.language.tree import Argument, Call, Expression
from gradcli.ops import formulas as entries
from gradcli.ops.nn.losses import check_reduction, check_weight, write
from gradcli.ops.nn.softmax import log_softmax
from gradcli.ops.pointwise.comparisons import equal
from gradcli.ops.pointwise.scalars import add_number, div_number, mul_number
from gradcli.ops.pointwise.selection import masked_fill
from gradcli.ops.reducing.reductions import apply_sum
from gradcli.ops.shaping.shaping import reshape, unsqueeze
from gradcli.ops.support.arguments import Indices, Real, Shape, check_size, indices, real
from gradcli.ops.support.constant_nodes import one_way
from gradcli.ops.support.surface import operation


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
        found = nll2d(input, target, w, **o)
        return found if input.array.flags.c_contiguous else one_way(found, "grad_input must be contiguous")
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


@operation("one_hot([0, 2, 1])", "one_hot([[1], [0]], num_classes=3)", method=False)
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
