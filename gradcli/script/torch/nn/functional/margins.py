"""Losses with margins between classes, or between distances that a given function measures."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gradcli.engine.dtypes import TYPE_NAMES
from gradcli.engine.saved import watch
from gradcli.engine.tensor import Tensor
from gradcli.errors import AutogradError
from gradcli.ops.support.arguments import check_size
from gradcli.ops.support.calling import ops
from gradcli.ops.support.covering import as_node
from gradcli.script.errors import UnsupportedError
from gradcli.script.torch.nn.functional.losses import loss

NOT_IMPLEMENTED = "torch::autograd::NotImplemented"


def _over(losses: Any, reduction: str) -> Any:
    return losses if reduction == "none" else getattr(ops, reduction)(losses)


def _within(margins: Any) -> Any:
    """Return the margins above 0; neither at 0 nor at nan does torch count one, in a loss or in a gradient."""
    return ops.where(margins > 0, margins, 0.0)


def _rows(input: Tensor) -> Any:
    flat = input if input.ndim else ops.reshape(input, (1,))
    return flat if flat.ndim == 2 else ops.unsqueeze(flat, 0)


def _check(input: Tensor, target: Tensor, reduction: str) -> None:
    """Refuse what is neither a vector nor a matrix with classes, and the mean of nothing, which torch makes up."""
    if input.ndim > 2 or (input.ndim and not input.shape[-1]):
        raise AutogradError(
            f"Expected non-empty vector or matrix with optional 0-dim batch size, but got: {list(input.shape)}",
            code="E301",
        )
    if reduction == "mean" and not input.value.size:
        raise UnsupportedError("the mean of the losses of no examples is not supported here")


def _check_labels(target: Tensor) -> None:
    if target.dtype != np.int64:
        raise AutogradError(f"expected scalar type Long but found {TYPE_NAMES[target.dtype]}")


@loss
def multi_margin_loss(
    input: Tensor,
    target: Tensor,
    p: int = 1,
    margin: float = 1.0,
    weight: Tensor | None = None,
    reduction: str = "mean",
) -> Any:
    """Return how far the other classes come within a margin of the right one; the mean over the classes."""
    if p not in (1, 2):
        raise ValueError("only p == 1 and p == 2 supported")
    if weight is not None and weight.ndim != 1:
        raise ValueError("weight must be one-dimensional")
    _check(input, target, reduction)
    rows, labels = _rows(input), target.array.reshape(-1)
    count, classes = rows.shape
    if labels.size != count:
        raise AutogradError(
            "multi_margin_loss: target tensor should be 1-D with size equal to the number of input samples (batch "
            f"size). Expected target size [{count}], but got {list(target.shape)}. Input has shape "
            f"{list(input.shape)}.",
            code="E301",
        )
    if weight is not None and weight.shape[0] != classes:
        raise AutogradError(f"inconsistent weight size, expected {classes} but got {list(weight.shape)}")
    _check_labels(target)
    if np.any((labels < 0) | (labels >= classes)):
        raise AutogradError("target out of range")
    own = ops.gather(rows, 1, Tensor(labels[:, None]))
    terms = _within(rows - own + margin) ** p
    if weight is not None:
        terms = terms * Tensor(weight.array[labels][:, None])
    others = Tensor(np.arange(classes) != labels[:, None])
    losses = ops.where(others, terms, 0.0).sum(1) / classes
    found = _over(losses if input.ndim == 2 else ops.squeeze(losses, 0), reduction)
    found = as_node(found, "MultiMarginLossBackward0")
    watch(found, input)
    return found


@loss
def multilabel_margin_loss(input: Tensor, target: Tensor, reduction: str = "mean") -> Any:
    """Return how far the other classes come within 1 of each right one; right ones end at the first -1."""
    _check(input, target, reduction)
    if target.shape != input.shape and (input.ndim or target.value.size != 1):
        raise AutogradError(
            f"inconsistent target size: {list(target.shape)} for input of size: {list(input.shape)}", code="E301"
        )
    _check_labels(target)
    rows = _rows(input)
    labels = target.array.reshape(-1, target.shape[-1] if target.ndim else 1)
    count, classes = rows.shape
    if labels.max(initial=-1) >= classes or labels.min(initial=0) < -1:
        raise AutogradError("target is out of range")
    check_size((count, classes, classes))
    listed = np.cumprod(labels >= 0, axis=1).astype(bool)
    right = np.zeros((count, classes), input.dtype)
    np.add.at(right, (np.nonzero(listed)[0], labels[listed]), 1)  # a class that is listed twice counts twice
    pairs = Tensor(right[:, :, None] * (right == 0)[:, None, :])
    apart = 1 - ops.unsqueeze(rows, 2) + ops.unsqueeze(rows, 1)
    terms = _within(apart) * pairs
    losses = terms.sum((1, 2)) / classes
    found = _over(losses if input.ndim == 2 else ops.squeeze(losses, 0), reduction)
    found = as_node(found, "MultilabelMarginLossBackward0")
    watch(found, input)
    return found


def triplet_margin_with_distance_loss(
    anchor: Tensor,
    positive: Tensor,
    negative: Tensor,
    *,
    distance_function: Callable[[Any, Any], Any] | None = None,
    margin: float = 1.0,
    swap: bool = False,
    reduction: str = "mean",
) -> Any:
    """Return how far the negative example comes within a margin of the positive one, seen from the anchor."""
    from gradcli.ops.nn.margins import check_triplet

    if reduction not in ("mean", "sum", "none"):
        raise ValueError(f"{reduction} is not a valid value for reduction")
    if margin <= 0:
        raise ValueError(f"margin must be greater than 0, got {margin}")
    check_triplet(anchor, positive, negative)
    measure = ops.pairwise_distance if distance_function is None else distance_function
    near, far = measure(anchor, positive), measure(anchor, negative)
    if swap:
        far = ops.minimum(far, measure(positive, negative))
    return _over(ops.clamp_min(margin + near - far, 0.0), reduction)
