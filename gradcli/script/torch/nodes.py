"""The nodes of the graph as snippets see them: `grad_fn`, `next_functions`, names, hooks, what was saved."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gradcli.engine.graph import AccumulateGrad, Handle, Node
from gradcli.engine.saved import operands
from gradcli.script.python.attributes import BuiltinType, describe
from gradcli.script.python.builtins import NAMED_TYPES
from gradcli.script.python.formatting import REPRESENTATIONS

NODE_TYPES: dict[str, BuiltinType] = {}


def class_name(node: Node | AccumulateGrad) -> str:
    """What `type(node).__name__` gives: the name without its C++ namespace."""
    return node.name().rpartition("::")[2]


def node_type(value: Any) -> BuiltinType | None:
    if not isinstance(value, Node | AccumulateGrad):
        return None
    name = class_name(value)
    return NODE_TYPES.setdefault(name, BuiltinType(name, type(value)))


def node_text(node: Node | AccumulateGrad) -> str:
    return f"<{class_name(node)} object at {id(node):#x}>"


def saved_input(position: int) -> Callable[[Node], Any]:
    """`_saved_self` and `_saved_other`: an input as the node saved it."""
    return lambda node: operands(node, True)[0][position]


NAMED_TYPES.append(node_type)
METHODS = ("name", "register_hook", "register_prehook")


def visible(node: Any) -> Any:
    """The node that snippets see: for one of several outputs of a function of theirs that of the whole function."""
    return getattr(node, "whole", node)


def next_functions(node: Any) -> tuple[tuple[Any, int], ...]:
    """The edges, each with the number of the output that it leads to."""
    return tuple((visible(edge), getattr(edge, "place", n)) for edge, n in node.next_functions)


NODE: dict[str, Callable[[Any], Any]] = {
    "next_functions": next_functions,
    "_saved_self": saved_input(0),
    "_saved_other": saved_input(1),
    "_saved_exponent": saved_input(1),
    "_saved_result": lambda node: operands(node, True)[1],
    "metadata": lambda node: {},
    "__class__": node_type,
}
describe(Node, methods={name: getattr(Node, name) for name in METHODS}, getters=NODE)
describe(
    AccumulateGrad,
    methods={name: getattr(AccumulateGrad, name) for name in METHODS},
    getters={
        "variable": lambda node: node.variable,
        "next_functions": lambda node: (),
        "metadata": lambda node: {},
        "__class__": node_type,
    },
)
describe(Handle, methods={"remove": Handle.remove})
REPRESENTATIONS[Node] = REPRESENTATIONS[AccumulateGrad] = node_text
