"""Cross entropy of class scores against labels or probabilities, lowered as torch lowers it."""

from __future__ import annotations

import math
from typing import Any

from gradcli.engine.dtypes import TYPE_NAMES
from gradcli.engine.memory.writing import fill
from gradcli.engine.tensor import Tensor
from gradcli.errors import AutogradError, ShapeError
from gradcli.ops.nn.likelihood import Labels, check_labels, class_axis, nll_loss
from gradcli.ops.nn.losses import check_reduction
from gradcli.ops.nn.softmax import log_softmax
from gradcli.ops.pointwise.comparisons import equal
from gradcli.ops.pointwise.scalars import add_number, div_number, mul_number
from gradcli.ops.pointwise.selection import masked_fill
from gradcli.ops.reducing.reductions import sum_
from gradcli.ops.shaping.shaping import reshape
from gradcli.ops.support.arguments import Real, indices, real
from gradcli.ops.support.surface import operation


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
    if label_smoothing > 1:
        raise AutogradError(f"label_smoothing must be between 0.0 and 1.0. Got: {label_smoothing:g}")
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
    smooth = masked_fill(-sum_(weighted, axis), equal(labels, ignore_index), 0)
    if reduction != "mean":
        return smooth if reduction == "none" else sum_(smooth)
    total = Labels(labels.value, 1 if weight is None else weight.value, scores.shape, ignore_index).total
    return sum_(smooth) / Tensor(scores.dtype.type(total))


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
        return -sum_(product, axis)
    if reduction == "mean" and not input.value.size:  # torch writes a nan over the sum
        return -fill(sum_(product), math.nan)
    loss = -sum_(product)
    return div_number(loss, input.value.size // max(classes, 1)) if reduction == "mean" else loss
