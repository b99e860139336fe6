"""What a node saved for its backward pass: reading it, checking that it is unchanged, letting go of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from gradcli.engine.graph import OUT, AccumulateGrad, Node, changes
from gradcli.engine.tensor import Tensor, Value, type_name
from gradcli.errors import AutogradError

SECOND_TIME = (
    "Trying to backward through the graph a second time (or directly access saved tensors after they have already been "
    "freed). Saved intermediate values of the graph are freed when you call .backward() or autograd.grad(). Specify "
    "retain_graph=True if you need to backward through the graph a second time or if you need to access saved tensors "
    "after calling backward."
)

HINT = (
    "Hint: enable anomaly detection to find the operation that failed to compute its gradient, with "
    "torch.autograd.set_detect_anomaly(True, check_nan=False)."
)

TYPE_NAMES = {
    np.dtype(np.float32): "Float",
    np.dtype(np.float64): "Double",
    np.dtype(np.float16): "Half",
    np.dtype(np.int64): "Long",
    np.dtype(np.int32): "Int",
    np.dtype(np.int16): "Short",
    np.dtype(np.int8): "Char",
    np.dtype(np.uint8): "Byte",
    np.dtype(np.bool_): "Bool",
}
C_NAMES = {
    "Float": "float",
    "Double": "double",
    "Half": "c10::Half",
    "Long": "long int",
    "Int": "int",
    "Short": "short int",
    "Char": "signed char",
    "Byte": "unsigned char",
    "Bool": "bool",
}


def check_gradient(tensor: Tensor, gradient: Any) -> None:
    """Refuse to assign as `.grad` what is no gradient of the tensor."""
    if not isinstance(gradient, Tensor):
        raise TypeError(f"assigned grad expected to be a Tensor or None but got grad of type {type_name(gradient)}")
    if gradient is tensor:
        raise AutogradError("can't assign Variable as its own grad")
    if gradient.shape != tensor.shape:
        raise AutogradError(
            f"attempting to assign a gradient of size '{list(gradient.shape)}' to a tensor of size "
            f"'{list(tensor.shape)}'. Please ensure that the gradient and the tensor are the same size",
            code="E301",
        )
    if gradient.dtype != tensor.dtype:
        raise AutogradError(
            f"attempting to assign a gradient with dtype '{C_NAMES[TYPE_NAMES[gradient.dtype]]}' to a tensor with "
            f"grad_dtype '{TYPE_NAMES[tensor.dtype]}'. The gradient must match the tensor's grad_dtype (defaults to "
            "the tensor's dtype). You can set the tensor's grad_dtype attribute with a specific dtype, or None to "
            "allow any dtype. Set grad_dtype with caution. Diverging the dtypes of a tensor and its gradient may break "
            "downstream systems that assume they match.",
            code="E301",
        )


def operands(node: Node, create_graph: bool) -> tuple[Sequence[Any], Any]:
    """The inputs and the result as the rules take them: numpy values, or Tensors under `create_graph`."""
    inputs: Sequence[Any] | None = node.inputs
    out = node.out
    if inputs is None:
        if node.hooks is None or node.hooks.packed is None:
            raise AutogradError(
                SECOND_TIME,
                code="E302",
                help="write .backward(retain_graph=True) in the first call, or build the graph again before the second",
            )
        inputs, out = node.hooks.packed()
    if changes.reshaped > node.sequence:
        inputs = [in_former_shape(x, node.sequence) if isinstance(x, Tensor) else x for x in inputs]
    if create_graph:
        return inputs, Tensor(out, node)
    return [x.value if isinstance(x, Tensor) else x for x in inputs], out


# The values that tensors had before they got another shape in place, each with the time of that.
former: WeakKeyDictionary[Tensor, list[tuple[int, Value]]] = WeakKeyDictionary()


def keep_former_shape(x: Tensor, before: Value) -> None:
    """Note that `x` had another shape until now: what was computed from it goes by that one."""
    changes.reshaped = x.changed()
    former.setdefault(x, []).append((changes.reshaped, before))


def in_former_shape(x: Tensor, time: int) -> Tensor:
    """The tensor as it was at that time; rules read its shape alone, for what was saved is checked by its version."""
    return next((Tensor(value) for until, value in former.get(x, ()) if until > time), x)


def release(node: Node) -> None:
    """Let go of what the rules in use saved; a node that saved nothing may be used again."""
    edges = node.edges
    for position in node.primitive.saving(edges):
        if edges[position] is not None:
            node.inputs = node.out = None
            if node.hooks is not None:
                node.hooks.packed = None
            return


def saved(node: Node) -> set[int]:
    """The positions that the rules in use mention (`OUT` for the result)."""
    return {
        position
        for edge, positions in zip(node.edges, node.primitive.saved_for(node.edges), strict=False)
        if edge is not None
        for position in positions
    }


def check_versions(node: Node) -> None:
    """Refuse to use a saved tensor that was changed in place after it was saved."""
    positions = saved(node)
    if node.saved_out is not None and OUT in positions:
        history, since = node.saved_out
        if history and history[-1] > since:
            raise modified(node, node.out, node, history, since)
    for position, x in enumerate(node.inputs or ()):
        if isinstance(x, Tensor) and x.history and x.history[-1] > node.sequence and position in positions:
            raise modified(node, x.value, x.node, x.history, node.sequence)


class ModifiedError(AutogradError):
    """A saved tensor was changed: by which node it was saved, and when (by the engine's clock) it was first changed."""

    def __init__(self, message: str, saver: Node, time: int) -> None:
        help = "change a clone() instead, or use the out-of-place form of the operation"
        super().__init__(message, code="E303", help=help)
        self.saver = saver
        self.time = time


def modified(
    saver: Node, value: Any, made_by: Node | AccumulateGrad | None, history: list[int], since: int
) -> ModifiedError:
    expected = sum(time <= since for time in history)
    origin = f", which is output 0 of {_short(made_by.name())}," if isinstance(made_by, Node) else ""
    return ModifiedError(
        "one of the variables needed for gradient computation has been modified by an inplace operation: "
        f"[torch.{TYPE_NAMES.get(value.dtype, 'Float')}Tensor {list(value.shape)}]{origin} is at version "
        f"{len(history)}; expected version {expected} instead. {HINT}",
        saver,
        next(time for time in history if time > since),
    )


def _short(name: str) -> str:
    """The name of a node as torch's errors have it: `Exp` of ExpBackward0, `Pow1` of PowBackward1, `F` of FBackward."""
    stem, _, number = name.rpartition("Backward")
    return stem + number.removeprefix("0") if stem and (number.isdigit() or not number) else name
