"""The losses of `torch.nn.functional` that are operations, with torch's checks of shapes and dtypes."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from gradcli.engine.checks.promotion import result_type
from gradcli.engine.checks.shapes import broadcastable
from gradcli.engine.dtypes import TYPE_NAMES
from gradcli.engine.tensor import Tensor
from gradcli.errors import AutogradError
from gradcli.ops.support.calling import ops
from gradcli.ops.support.surface import OPERATIONS
from gradcli.script.python.members.absence import without
from gradcli.script.torch.nn.functional.module import check_tensor, checked
from gradcli.script.torch.operations.facade import LOWERED, check_numbers
from gradcli.script.torch.tensor.dtypes import BY_NUMPY, Size, broadcast_shapes, cast
from gradcli.script.torch.tensor.printing import size_text

REDUCTIONS = ("mean", "sum", "none")
Function = Callable[..., Any]


def loss(function: Function) -> Function:
    """Return the loss, which refuses an unknown reduction, and the arguments that `reduction` has replaced."""
    operation = OPERATIONS[function.__name__]

    @without("size_average reduce", off=None)
    @wraps(function, updated=())
    def call(*arguments: Any, **keywords: Any) -> Any:
        if operation.kernel or operation.alike:
            check_numbers(operation, (*arguments, *keywords.values()))
        if keywords.get("reduction", "mean") not in REDUCTIONS:
            check_reduction(keywords["reduction"], function.__name__)
        return function(*arguments, **keywords)

    call.__module__ = "torch.nn.functional"
    return call


def check_reduction(reduction: Any, name: str = "") -> None:
    if reduction not in REDUCTIONS and not (name == "kl_div" and reduction == "batchmean"):
        raise ValueError(f"{reduction} is not a valid value for reduction")


def check_pair(name: str, input: Any, target: Any) -> None:
    """Raise TypeError unless both are tensors."""
    check_tensor(name, input)
    check_tensor(name, target, "target", 2)


def promote_pair(input: Tensor, target: Tensor) -> tuple[Tensor, Tensor]:
    """Convert two kinds of numbers to the dtype of both; two floating dtypes are left to the operation."""
    if input.dtype.kind == target.dtype.kind:
        return input, target
    dtype = BY_NUMPY[result_type([input.value, target.value])]
    return cast(input, dtype), cast(target, dtype)


def _difference(name: str) -> Function:
    """Return the loss of the differences of two tensors that has this name."""
    operation, lowered = OPERATIONS[name], getattr(ops, name)

    def call(input: Tensor, target: Tensor, reduction: str = "mean", *arguments: Any, **keywords: Any) -> Any:
        for value in (target, input):
            if not isinstance(value, Tensor):
                raise AttributeError(f"{type(value).__name__!r} object has no attribute 'size'")
        if operation.kernel:
            check_numbers(operation, (input, target))
        if input.dtype is not target.dtype:
            input, target = promote_pair(input, target)
        if reduction not in REDUCTIONS and broadcastable([input.value, target.value]):  # which torch looks at first
            check_reduction(reduction)
        return lowered(input, target, reduction, *arguments, **keywords)

    call.__name__ = call.__qualname__ = name
    call.__module__ = "torch.nn.functional"
    return without("size_average reduce", off=None)(call)


mse_loss, l1_loss = _difference("mse_loss"), _difference("l1_loss")
smooth_l1_loss, huber_loss = _difference("smooth_l1_loss"), _difference("huber_loss")


@loss
def binary_cross_entropy(input: Tensor, target: Tensor, weight: Tensor | None = None, reduction: str = "mean") -> Any:
    check_pair("binary_cross_entropy", input, target)
    if target.shape != input.shape:
        sizes = f"({size_text(target.shape)}) that is different to the input size ({size_text(input.shape)})"
        raise ValueError(f"Using a target size {sizes} is deprecated. Please ensure they have the same size.")
    if target.dtype != input.dtype:
        raise AutogradError(f"Found dtype {TYPE_NAMES[target.dtype]} but expected {TYPE_NAMES[input.dtype]}")
    if weight is not None:
        broadcast_shapes(Size(target.shape), Size(weight.shape))
    return ops.binary_cross_entropy(input, target, weight, reduction)


@loss
def binary_cross_entropy_with_logits(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    reduction: str = "mean",
    pos_weight: Tensor | None = None,
) -> Any:
    check_pair("binary_cross_entropy_with_logits", input, target)
    if target.shape != input.shape:
        sizes = f"({size_text(target.shape)}) must be the same as input size ({size_text(input.shape)})"
        raise ValueError(f"Target size {sizes}")
    if input.dtype.kind != "f":
        raise NotImplementedError(f"\"log_sigmoid_cpu\" not implemented for '{TYPE_NAMES[input.dtype]}'")
    if target.dtype.kind != "f":
        kinds = (TYPE_NAMES[x.dtype] for x in (input, target))
        raise AutogradError("result type {} can't be cast to the desired output type {}".format(*kinds))
    return ops.binary_cross_entropy_with_logits(input, target, weight, reduction, pos_weight)


def check_labels(input: Tensor, target: Tensor) -> None:
    """Raise torch's error for labels whose dtype or shape does not fit the scores."""
    if input.ndim >= 2 and target.shape[:1] != input.shape[:1]:
        count = target.shape[0] if target.ndim else 0
        raise ValueError(f"Expected input batch_size ({input.shape[0]}) to match target batch_size ({count}).")
    if input.ndim <= 2 and target.ndim > 1:
        raise AutogradError("0D or 1D target tensor expected, multi-target not supported")
    if not input.ndim:
        raise ValueError("Expected 1 or more dimensions (got 0)")
    if input.ndim == 1 and target.value.size != 1:
        raise ValueError(f"For 1D input, 1D target must have size 1, but got target size: {target.value.size}")
    if TYPE_NAMES[target.dtype] not in ("Long", "Byte"):
        raise AutogradError(f"expected target dtype to be Long or Byte, but got {TYPE_NAMES[target.dtype]}")


def check_weight(input: Tensor, weight: Tensor | None) -> None:
    """Raise torch's error for weights of classes whose dtype is not that of the scores."""
    if weight is not None and weight.dtype != input.dtype:
        kinds = f"{TYPE_NAMES[input.dtype]} but found {TYPE_NAMES[weight.dtype]}"
        raise AutogradError(f"expected scalar type {kinds}")


@loss
def cross_entropy(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    ignore_index: int = -100,
    reduction: str = "mean",
    label_smoothing: float = 0.0,
) -> Any:
    """Compare scores with labels, or with a probability for each class."""
    check_pair("cross_entropy_loss", input, target)
    is_of_labels = input.shape != target.shape
    if input.dtype.kind != "f" and (is_of_labels or target.dtype.kind == "f"):
        LOWERED["log_softmax"](input, min(max(input.ndim - 1, 0), 1))  # which refuses them
    if is_of_labels:
        check_labels(input, target)
        check_weight(input, weight)
    elif target.dtype.kind != "f":
        kind = TYPE_NAMES[target.dtype]
        raise AutogradError(f"Expected floating point type for target with class probabilities, got {kind}")
    return ops.cross_entropy(input, target, weight, ignore_index, reduction, label_smoothing)


@loss
def nll_loss(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    ignore_index: int = -100,
    reduction: str = "mean",
) -> Any:
    check_pair("nll_loss_nd", input, target)
    check_labels(input, target)
    check_weight(input, weight)
    return ops.nll_loss(input, target, weight, ignore_index, reduction)


kl_div, poisson_nll_loss = loss(checked("kl_div")), loss(checked("poisson_nll_loss"))
