"""The values that nodes save, by torch's names: `_saved_self`, `_saved_result`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gradcli.engine.checks.versions import check_versions
from gradcli.engine.graph import Node
from gradcli.engine.primitive import OUT
from gradcli.engine.saved import operands, saved
from gradcli.engine.tensor import Tensor
from gradcli.script.errors import UnsupportedError

SAVED = ("self", "other", "mat1", "mat2", "vec", "tensor", "exponent", "condition", "mask", "index", "input", "weight",
         "bias", "target")  # fmt: skip


def class_name(node: Any) -> str:
    """Return `type(node).__name__`: the name without its C++ namespace."""
    name = str(getattr(node, "_name", "") or node.name())
    return "CppFunction" if name == "torch::autograd::Identity" else name.rpartition("::")[2]


def saved_input(name: str) -> Callable[[Node], Any]:
    """Make the getter of `_saved_self` and the like: an input that the node saved, None where no gradient needs it."""

    def get(node: Node) -> Any:
        if name in node.options:
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


def absent(node: Node, name: str) -> UnsupportedError:
    """Return the error for something that torch's node may have saved under this name."""
    return UnsupportedError(f"{class_name(node)}.{name} is not supported here")


SAVED_VALUES: dict[str, Callable[[Node], Any]] = {
    **{f"_saved_{name}": saved_input(name) for name in SAVED},
    "_saved_result": saved_result,
}
