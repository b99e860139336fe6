"""The values that nodes save, by torch's names: `_saved_self`, `_saved_dim`, `_saved_indices`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gradcli.engine.checks.shapes import FromEnd
from gradcli.engine.checks.versions import check_versions
from gradcli.engine.graph import Node
from gradcli.engine.primitive import OUT
from gradcli.engine.saved import operands, saved
from gradcli.engine.tensor import Tensor
from gradcli.script.errors import UnsupportedError

SAVED = ("self", "other", "mat1", "mat2", "vec", "tensor", "exponent", "condition", "mask", "index", "input", "weight",
         "bias", "target")  # fmt: skip
OPTIONS = ("dim", "keepdim", "min", "max", "negative_slope", "alpha")
SEVERAL = "Sum1 Mean1 Amax0 Amin0 LinalgVectorNorm0 Std0 Var0 Logsumexp0 Nansum0"  # whose `dim` is several
SIZED = "Sum Mean View Expand Select Slice Index Squeeze Max0 Min0 Mm Repeat Split Topk Sort UnsafeView"


def class_name(node: Any) -> str:
    """Return `type(node).__name__`: the name without its C++ namespace."""
    name = str(getattr(node, "_name", "") or node.name())
    return "CppFunction" if name == "torch::autograd::Identity" else name.rpartition("::")[2]


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
        check_versions(node, {position})
        return x if isinstance(x, Tensor) else Tensor(np.array(x)[()])

    return get


def saved_result(node: Node) -> Any:
    if not node.primitive.saves_out:
        raise absent(node, "_saved_result")
    found = operands(node, True)[1]
    check_versions(node, {OUT})
    found.history = node.saved_out[0] if node.saved_out is not None else found.history
    return found


def saved_option(name: str) -> Callable[[Node], Any]:
    def get(node: Node) -> Any:
        if name not in node.options:
            raise absent(node, f"_saved_{name}")
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


SAVED_VALUES: dict[str, Callable[[Node], Any]] = {
    **{f"_saved_{name}": saved_option(name) for name in OPTIONS},
    **{f"_saved_{name}": saved_input(name) for name in SAVED},
    "_saved_result": saved_result,
    "_saved_self_sym_sizes": saved_sizes,
}
