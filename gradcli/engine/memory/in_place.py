"""In-place changes such as `x.add_(1)`: the value of an operation is written over its first operand."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gradcli.engine.checks.promotion import CATEGORIES
from gradcli.engine.dtypes import TYPE_NAMES
from gradcli.engine.graph import Node
from gradcli.engine.memory.layout import overlaps, owner
from gradcli.engine.memory.views import ITSELF, copy, first_entry, is_view, node_of_base, take_over, writable
from gradcli.engine.modes import mode
from gradcli.engine.recorder import before_writing, listening
from gradcli.engine.saved import saved_positions
from gradcli.engine.tensor import Tensor, is_floating
from gradcli.errors import AutogradError, ShapeError, UnsupportedHere

IN_PLACE = "leaf Variable that requires grad is being used in an in-place operation."


def check_in_place(target: Tensor, requires_grad: bool | None = None) -> None:
    """Refuse to change a leaf that requires grad, or a view of one, while graphs are recorded.

    `requires_grad` says whether any operand does; by default the target is asked.
    """
    if not mode.grad_enabled or not (target.requires_grad if requires_grad is None else requires_grad):
        return
    help = "write the out-of-place form (x = x + 1), or change it inside no_grad()"
    if is_view(target):
        if target.origin:
            raise target.refusal(ITSELF)
        AutogradError.when(
            target.requires_grad and target.base.is_leaf, f"a view of a {IN_PLACE}", code="E304", help=help
        )
    AutogradError.when(target.requires_grad and target.is_leaf, f"a {IN_PLACE}", code="E304", help=help)


EXPANDED = (
    "Use of masked_fill_ on expanded tensors is deprecated. Please clone() the tensor before performing this "
    "operation. This also applies to advanced indexing e.g. tensor[mask] = scalar"
)


def is_shared(array: Any) -> bool:
    """Return whether several entries share memory, as those of an expanded tensor do."""
    return bool(array.size) and any(n > 1 and not step for n, step in zip(array.shape, array.strides, strict=True))


def check_overlap(target: Tensor) -> None:
    """Refuse to write to memory that several entries share."""
    AutogradError.when(
        is_shared(target.array),
        "unsupported operation: more than one element of the written-to tensor refers to a single memory location. "
        "Please clone() the tensor before performing the operation.",
        code="E304",
    )
    if _share(target.array):  # torch writes them one after the other, each as often as it is there
        raise UnsupportedHere(
            "a change in place of a tensor whose entries share memory is not supported here",
            help="clone() the tensor before",
        )


def _share(array: Any) -> bool:
    """Tell whether two entries lie at one place."""
    if array.flags.forc:
        return False
    reached, steps = 0, sorted((step, size) for step, size in zip(array.strides, array.shape, strict=True) if size > 1)
    for step, size in steps:
        if step <= reached:
            places = sum(np.ix_(*(np.arange(size) * step for step, size in steps)))
            return bool(np.unique(places).size < array.size)
        reached += (size - 1) * step
    return False


def check_apart(target: Tensor, operands: Sequence[Any], *, wholly: bool = False) -> None:
    """Refuse to write to memory of which an operand has another part, or the same in another order.

    What must be `wholly` apart may not have the same in the same order either.
    """
    for x in operands:
        if not isinstance(x, Tensor):
            continue
        same = wholly and (x is target or _begin_together(x, target))
        AutogradError.when(
            same or (x is not target and overlaps(target.value, x.value)),
            "unsupported operation: some elements of the input tensor and the written-to tensor refer to a single "
            "memory location. Please clone() the tensor before performing the operation.",
            code="E304",
        )
        UnsupportedHere.when(
            x is not target and _is_read_again(x, target),
            "a change of memory of which an operand has a part is not supported here",
            help="clone() the operand",
        )


def _is_read_again(x: Tensor, target: Tensor) -> bool:
    """Return whether `x` is a smaller part of the memory of `target`, which torch reads while it writes."""
    source, destination = x.value, target.array
    if source.size >= destination.size or not isinstance(source, np.ndarray) or owner(source) is not owner(destination):
        return False
    return np.shares_memory(source, destination)


def _begin_together(x: Tensor, y: Tensor) -> bool:
    return owner(x.array) is owner(y.array) and first_entry(x.array) == first_entry(y.array)


def change(target: Tensor, function: Callable[..., Tensor], *arguments: Any, **keywords: Any) -> Tensor:
    """Write `function(target, ...)` over the target: torch's `target.function_(...)`."""
    check_in_place(target)
    name = getattr(function, "__name__", "").removesuffix("_").removeprefix("apply_") or getattr(function, "name", "")
    name = {"copy_over": "copy", "fill_tensor_over": "fill"}.get(name, name)
    if name != "masked_fill":
        check_overlap(target)
    elif is_shared(target.array):
        warnings.warn(EXPANDED, UserWarning, stacklevel=2)
    if name not in ("fill", "masked_fill"):  # these read a number
        check_apart(target, (*arguments, *keywords.values()))
    operand = _operand(target)
    return write_over(target, function(operand, *arguments, **keywords), name, arguments, operand)


def _operand(target: Tensor) -> Tensor:
    """Return the tensor that is about to change; where hooks pack what is saved, a copy that they may keep."""
    kept = mode.tape is not None and mode.grad_enabled and target.node is not None and not is_view(target)
    if kept and any(getattr(each, "packs", False) for each in listening(object)):
        return Tensor(target.value.copy(), target.node)
    return target


def write_over(
    target: Tensor, result: Tensor, name: str = "", arguments: Sequence[Any] = (), operand: Tensor | None = None
) -> Tensor:
    """Give `target` the value of `result`, which the operation of that name computed from it, and its node.

    `operand` is what stood for the target in the operation, if not the target itself.

    The version goes up by one, for the aliases too. The node of a view's change goes to the base of the view.
    AutogradError where torch refuses: a leaf that requires grad, another shape, a wider kind of number.
    """
    _check_result(target, result)
    recorded = mode.grad_enabled and is_floating(target.value) and (target.requires_grad or result.requires_grad)
    node = _node_of_change(target, result, target if operand is None else operand) if recorded else None
    waiting = before_writing(target, result) if mode.tape is not None else ()
    writable(target.array)[...] = result.value
    changed = target.changed()
    if node is not None:
        owner = target.base if is_view(target) else target
        node.out = owner.array
        if node.primitive.saves_out:
            node.saved_out = (owner.shared_history(), changed)
        take_over(owner.node, node)
        owner.node = node
        if owner is not target:
            _ = target.node  # torch makes the new node of the view now
    for follow in waiting:
        follow()
    return target


def _check_result(target: Tensor, result: Tensor) -> None:
    check_in_place(target, requires_grad=target.requires_grad or result.requires_grad)
    if result.shape != target.shape:
        raise ShapeError(
            f"output with shape {list(target.shape)} doesn't match the broadcast shape {list(result.shape)}"
        )
    if CATEGORIES[result.dtype.kind] > CATEGORIES[target.dtype.kind]:
        kinds = (TYPE_NAMES.get(x.dtype, "Float") for x in (result, target))
        raise ShapeError("result type {} can't be cast to the desired output type {}".format(*kinds))


def _node_of_change(target: Tensor, result: Tensor, operand: Tensor) -> Node:
    """Return the node for the owner of the memory: that of the operation, or, if it has several, of a copy."""
    node = result.node
    if operand is not target and isinstance(node, Node) and node.inputs is None and node.edges[0] is target.node:
        node.primitive = node.primitive.in_place  # hooks have packed what it saved
        return node
    if not (isinstance(node, Node) and node.inputs is not None and node.inputs[0] is operand):
        node = copy(target, result).node
    assert isinstance(node, Node)
    assert node.inputs is not None
    node.primitive = node.primitive.in_place
    if is_view(target):
        owner, node = target.base, node_of_base(target, node)
    else:
        owner = target
    before = Tensor(owner.value.copy() if 0 in saved_positions(node) else owner.value, owner.node)
    node.inputs = (before, *(node.inputs or ())[1:])
    return node
