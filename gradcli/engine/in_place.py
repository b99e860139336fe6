"""Changing a tensor in place, as `x.add_(1)` does: the value of an operation, written over its first operand."""

from __future__ import annotations

from gradcli.engine.graph import Node
from gradcli.engine.modes import mode
from gradcli.engine.saved import TYPE_NAMES
from gradcli.engine.tensor import Tensor, is_floating
from gradcli.errors import AutogradError

IN_PLACE = "leaf Variable that requires grad is being used in an in-place operation."


def check_in_place(target: Tensor) -> None:
    """Refuse to change a leaf that requires grad, or a view of one, while graphs are recorded."""
    if not mode.grad_enabled:
        return
    help = "write the out-of-place form (x = x + 1), or change it inside no_grad()"
    if target.requires_grad and target.is_leaf:
        raise AutogradError(f"a {IN_PLACE}", code="E304", help=help)
    if target.base is not None and target.base.requires_grad and target.base.is_leaf:
        raise AutogradError(f"a view of a {IN_PLACE}", code="E304", help=help)


def write_over(target: Tensor, result: Tensor) -> Tensor:
    """Give `target` the value and the node of `result`; its version goes up by one, for its aliases too.

    AutogradError where torch refuses: a leaf that requires grad, another shape, a wider dtype. A view of a result that
    requires grad is refused here, for its base would need a new node as well.
    """
    check_in_place(target)
    if result.shape != target.shape:
        raise AutogradError(
            f"output with shape {list(target.shape)} doesn't match the broadcast shape {list(result.shape)}",
            code="E301",
        )
    if is_floating(result.value) and not is_floating(target.value):
        kinds = (TYPE_NAMES.get(x.dtype, "Float") for x in (result, target))
        raise AutogradError("result type {} can't be cast to the desired output type {}".format(*kinds), code="E301")
    if target.base is not None and (target.base.requires_grad or result.requires_grad) and mode.grad_enabled:
        raise AutogradError(
            "a view of a result is being used in an in-place operation", code="E304", help="change a clone() instead"
        )
    target.array[...] = result.value
    changed = target.changed()
    if isinstance(result.node, Node):
        result.node.out = target.value
        if result.node.saved_out is not None:
            result.node.saved_out = (target.shared_history(), changed)
        target.node = result.node
    return target
