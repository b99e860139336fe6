"""Results that torch gives a node without a derivative: the distinct entries of a tensor."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradcli.engine.graph import Node
from gradcli.engine.modes import mode
from gradcli.engine.primitive import Primitive
from gradcli.engine.symbolic.notation import call
from gradcli.engine.tensor import Tensor
from gradcli.ops.pointwise.rounding import NOT_IMPLEMENTED, underived


def underived_from(x: Tensor, result: Tensor, name: str) -> Tensor:
    """Give the result in a snippet a node that refuses a gradient; elsewhere it is a constant."""
    if not (mode.strict and mode.grad_enabled and x.requires_grad):
        return result

    def refuse(g: Any, out: Any, x: Any) -> Any:
        raise NotImplementedError(f"the derivative for '{name}' is not implemented.")

    node = "".join(map(str.capitalize, name.split("_"))) + "Backward0"
    primitive = Primitive(name, np.unique, (refuse,), node, call("unique", np.unique), structured=True)
    result.node = Node(primitive, (x,), {}, [x.node], result.value)
    return result


def unknown_from(result: Tensor, name: str, *given: Tensor) -> Tensor:
    """Give the result in a snippet the node of a function that torch knows no derivative of at all."""
    if not (mode.strict and mode.grad_enabled and any(x.requires_grad for x in given)):
        return result
    rules = (underived(name),) * len(given)
    primitive = Primitive(name, np.unique, rules, NOT_IMPLEMENTED, call(name, np.unique), structured=True)
    result.node = Node(primitive, given, {}, [x.node for x in given], result.value)
    return result
