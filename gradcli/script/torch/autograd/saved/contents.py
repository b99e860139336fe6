"""What a node of the graph saved, as snippets see it: `_saved_self`, `_raw_saved_self` and the like."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gradcli.engine.checks.shapes import FromEnd
from gradcli.engine.graph import AccumulateGrad, Node, wholes
from gradcli.engine.primitive import OUT
from gradcli.engine.saved import operands, saved
from gradcli.engine.tensor import Tensor
from gradcli.script.errors import UnsupportedError
from gradcli.script.python.values.attributes import Facade
from gradcli.script.torch.autograd.saved.packing import saved_tensor
from gradcli.script.torch.tensor.dtypes import BY_NUMPY, CPU


def class_name(node: Any) -> str:
    """Return `type(node).__name__`: the name without its C++ namespace."""
    return str(getattr(node, "_name", "") or node.name()).rpartition("::")[2]


SAVED = ("self", "other", "mat1", "mat2", "vec", "tensor", "exponent", "condition", "mask", "index", "input", "weight",
         "bias", "target")  # fmt: skip
OPTIONS = ("dim", "keepdim", "min", "max", "negative_slope", "alpha")
SEVERAL = "Sum1 Mean1 Amax0 Amin0 LinalgVectorNorm0 Std0 Var0 Logsumexp0 Nansum0"  # whose `dim` is several
SIZED = "Sum Mean View Expand Select Slice Index Squeeze Max0 Min0 Mm Repeat Split Topk Sort UnsafeView"


def saved_input(name: str) -> Callable[[Node], Any]:
    """Make the getter of `_saved_self` and the like: an input that the node saved, None where no gradient needs it."""

    def get(node: Node) -> Any:
        if name in node.options and "part" not in node.primitive.traits:
            return node.options[name]
        names = node.primitive.inputs
        position = names.index(name) if name in names else OUT
        of_rules = node.primitive.saved_for(node.edges)
        if position == OUT or not any(position in positions for positions in of_rules):
            raise absent(node, f"_saved_{name}")
        if position not in saved(node):
            return None
        x = operands(node, True)[0][position]
        return x if isinstance(x, Tensor) else Tensor(np.array(x)[()])

    return get


def raw_input(name: str) -> Callable[[Node], Any]:
    """Make the getter of `_raw_saved_self` and the like."""

    def get(node: Node) -> Any:
        names = node.primitive.inputs
        position = OUT if name == "result" else names.index(name) if name in names else None
        if position is None or position not in saved(node):
            raise absent(node, f"_raw_saved_{name}")
        return saved_tensor(node, position)

    return get


def saved_result(node: Node) -> Any:
    if not node.primitive.saves_out:
        raise absent(node, "_saved_result")
    found = operands(node, True)[1]
    found.history = node.saved_out[0] if node.saved_out is not None else found.history
    return found


def saved_option(name: str) -> Callable[[Node], Any]:
    def get(node: Node) -> Any:
        if name not in node.options:
            raise absent(node, f"_saved_{name}")
        if class_name(node) == "RenormBackward0":
            raise UnsupportedError(f"RenormBackward0._saved_{name} is not supported here")
        found = node.options[name]
        several = (
            name == "dim" and isinstance(found, int) and class_name(node).replace("Backward", "") in SEVERAL.split()
        )
        found = tuple(map(as_given, found)) if isinstance(found, tuple) else as_given(found)
        return (found,) if several else found

    return get


def as_given(dim: Any) -> Any:
    """Return a dimension as torch's node shows it: one from the end is an unsigned number of 64 bits."""
    return dim.given % 2**64 if isinstance(dim, FromEnd) else dim


def saved_sizes(node: Node) -> tuple[int, ...]:
    stem, _, number = node.name().rpartition("Backward")
    if stem not in SIZED.split() and stem + number not in SIZED.split():
        raise absent(node, "_saved_self_sym_sizes")
    return tuple(operands(node, True)[0][0].shape)


def absent(node: Node, name: str) -> UnsupportedError:
    """Return the error for something that torch's node may have saved under this name."""
    return UnsupportedError(f"{class_name(node)}.{name} is not supported here")


class InputMetadata(Facade):
    """What torch's node knows of a gradient that arrives at it."""

    is_nested_tensor = is_cpp_nested_tensor = False

    def __init__(self, value: Any) -> None:
        self.shape = list(value.shape)
        self.dtype = BY_NUMPY[value.dtype]
        self.device = CPU


InputMetadata.__module__, InputMetadata.__qualname__ = "torch._C._autograd", "_InputMetadata"


def input_metadata(node: Any) -> tuple[InputMetadata, ...]:
    """`node._input_metadata`: one for each result."""
    if isinstance(node, AccumulateGrad):
        return (InputMetadata(node.variable),)
    if not isinstance(node, Node):  # the context of a function of the snippet
        if node._node is None or len(node._outputs) != len(node._node.call.outputs):
            raise UnsupportedError("_input_metadata of a function with other outputs is not supported here")
        return tuple(map(InputMetadata, node._outputs))
    parts = wholes[node].parts if node in wholes else [node]
    if any(part is None or part.out is None for part in parts):
        raise UnsupportedError("_input_metadata of results that are gone is not supported here")
    return tuple(InputMetadata(part.out) for part in parts if part is not None)


GETTERS: dict[str, Callable[[Any], Any]] = {
    **{f"_saved_{name}": saved_option(name) for name in OPTIONS},
    **{f"_saved_{name}": saved_input(name) for name in SAVED},
    **{f"_raw_saved_{name}": raw_input(name) for name in (*SAVED, "result")},
    "_saved_result": saved_result,
    "_saved_self_sym_sizes": saved_sizes,
}
