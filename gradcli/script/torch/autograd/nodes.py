"""The nodes of the graph as snippets see them: `grad_fn`, `next_functions`, names, hooks, saved tensors."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

from gradcli.engine.graph import AccumulateGrad, Handle, Node
from gradcli.engine.modes import mode
from gradcli.engine.operators import FUNCTIONS
from gradcli.engine.primitive import REGISTRY
from gradcli.engine.rites import accumulate
from gradcli.engine.saved import check_versions, operands
from gradcli.engine.tensor import Tensor
from gradcli.script.errors import UnsupportedError
from gradcli.script.python.members.tables import describe, fields, members_named
from gradcli.script.python.text.formatting import REPRESENTATIONS
from gradcli.script.python.values.attributes import BuiltinType
from gradcli.script.python.values.builtins import NAMED_TYPES, TYPES
from gradcli.script.torch.autograd.grad_modes import current_place
from gradcli.script.torch.autograd.rites import contributions
from gradcli.script.torch.autograd.saved_tensors import SAVED_VALUES, class_name

NODE_TYPES: dict[tuple[str, str], BuiltinType] = {}
KINDS: dict[type, str] = {
    Node: "",
    AccumulateGrad: "",
}  # classes of nodes, and the modules of their types


def show(kind: type) -> None:
    """Let the objects of a class, contexts of the snippet's own functions, show as nodes."""
    KINDS[kind] = "torch.autograd.function"
    REPRESENTATIONS[kind] = node_text


def node_type(value: Any) -> BuiltinType | None:
    module = next((module for kind, module in KINDS.items() if isinstance(value, kind)), None)
    if module is None:
        return None
    is_custom = value.name().endswith("Backward") and "::" not in value.name()  # a part of a function of the snippet
    return named_type(type(value), class_name(value), module or ("torch.autograd.function" if is_custom else ""))


def named_type(kind: type, name: str, module: str = "") -> BuiltinType:
    """Return the type of nodes of a name, always the same one."""
    return NODE_TYPES.setdefault((module, name), BuiltinType(name, kind, module=module))


def node_text(node: Any) -> str:
    kind = node_type(node)
    assert kind is not None
    return f"<{kind.module}{'.' if kind.module else ''}{kind.name} object at {id(node):#x}>"


NAMED_TYPES.append(node_type)


def pass_through(node: Any, *gradients: Any) -> Any:
    """Call a node: the gradients of its inputs for this upstream gradient, of several a tuple."""
    if isinstance(node, Node) and node.name() in several_results():
        raise UnsupportedError(f"a call of {node.name()} is not supported here", help="call torch.autograd.grad")
    if len(gradients) != 1:
        raise TypeError(f"expected 1 arguments, got {len(gradients)} instead")
    (gradient,) = gradients
    if isinstance(node, AccumulateGrad):
        accumulate(node.variable, gradient.value)
        for hook in list(node.hooks.accumulated.values()) if node.hooks is not None else ():
            hook(node.variable)
        return ()
    count = len(node.next_functions)
    if gradient is None:
        results: tuple[Any, ...] = (None,) * count
    elif not isinstance(gradient, Tensor):
        raise TypeError("argument 0 is not a Variable")
    else:
        values, out = operands(node, mode.grad_enabled)
        check_versions(node)
        upstream = gradient if mode.grad_enabled else gradient.value
        gradients_below = contributions(node, node.primitive.rules_for(values), upstream, out, values)[:count]
        results = tuple(g if g is None or isinstance(g, Tensor) else Tensor(g) for g in gradients_below)
    return results[0] if len(results) == 1 else results


FUNCTIONS["pass_through"] = pass_through
METHODS = ("name", "register_hook", "register_prehook")


@cache
def several_results() -> frozenset[str]:
    """The names of the nodes that have several results in torch, and several upstream gradients for their hooks."""
    return frozenset(x.node for x in REGISTRY.values() if x.number or "part" in x.traits)


def hook_method(method: str) -> Callable[[Node, Any], Handle]:
    """Make the method that registers a hook on a node, of all its results."""

    def register(node: Node, hook: Any) -> Handle:
        if method == "register_hook" and visible(current_place()) is visible(node):
            raise UnsupportedError("a hook on the node that runs is not supported here")
        if node.joint is not None or node.name() in several_results():
            raise UnsupportedError(f"{node.name()}.{method} is not supported here", help="hook the tensors themselves")
        return getattr(node, method)(hook)  # type: ignore[no-any-return]

    return register


def visible(node: Any) -> Any:
    """Return the node that snippets see: of a function of theirs its context, of several results always the same."""
    if isinstance(node, Node) and node.joint is not None:
        return node.joint
    return getattr(getattr(node, "function_node", node), "context", node)


def next_functions(node: Any) -> tuple[tuple[Any, int], ...]:
    """Return the edges as pairs of a node and the number of its output."""
    return tuple((visible(edge), output_number(edge)) for edge, _ in node.next_functions)


def output_number(node: Any) -> int:
    """Return the number of a result among those of the node that torch has for them all."""
    return node.number if isinstance(node, Node) else 0


NODE: dict[str, Callable[[Any], Any]] = {
    "next_functions": next_functions,
    **SAVED_VALUES,
    "__class__": node_type,
}
describe(
    Node,
    methods={
        "name": Node.name,
        **{name: hook_method(name) for name in METHODS[1:]},
        "_sequence_nr": lambda node: node.sequence,
    },
    getters=NODE,
)
describe(
    AccumulateGrad,
    methods={name: getattr(AccumulateGrad, name) for name in METHODS},
    getters={
        "variable": lambda node: node.variable,
        "next_functions": lambda node: (),
        "__class__": node_type,
    },
)
TYPES[Handle] = BuiltinType("RemovableHandle", Handle, module="torch.utils.hooks")
describe(
    Handle,
    methods=members_named(Handle, "remove __enter__ __exit__"),
    getters=fields("id"),
)
REPRESENTATIONS[Node] = REPRESENTATIONS[AccumulateGrad] = node_text
