"""The nodes of the graph as snippets see them: `grad_fn`, `next_functions`, names, hooks, saved tensors."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from gradcli.engine.accumulation import accumulate
from gradcli.engine.checks.shapes import FromEnd
from gradcli.engine.graph import AccumulateGrad, Handle, Node
from gradcli.engine.hooks import contributions
from gradcli.engine.modes import mode
from gradcli.engine.operators import FUNCTIONS
from gradcli.engine.primitive import OUT, REGISTRY
from gradcli.engine.saved import check_versions, operands, saved
from gradcli.engine.tensor import Tensor
from gradcli.script.errors import UnsupportedError
from gradcli.script.python.text.formatting import REPRESENTATIONS, represent
from gradcli.script.python.values.attributes import BuiltinType, describe, fields, listed
from gradcli.script.python.values.builtins import NAMED_TYPES, TYPES
from gradcli.script.torch.autograd.packing import saved_tensor


class GradientEdge(NamedTuple):
    """An edge of the graph: the node, and the number of its output, at which a gradient arrives."""

    node: Any
    output_nr: int
    ownership_token: Any = None


NODE_TYPES: dict[tuple[str, str], BuiltinType] = {}
KINDS: dict[type, str] = {
    Node: "",
    AccumulateGrad: "",
}  # classes of nodes, and the modules of their types


def show(kind: type) -> None:
    """Let the objects of a class, contexts of the snippet's own functions, show as nodes."""
    KINDS[kind] = "torch.autograd.function"
    REPRESENTATIONS[kind] = node_text


def class_name(node: Any) -> str:
    """Return `type(node).__name__`: the name without its C++ namespace."""
    return str(getattr(node, "_name", "") or node.name()).rpartition("::")[2]


def node_type(value: Any) -> BuiltinType | None:
    module = next((module for kind, module in KINDS.items() if isinstance(value, kind)), None)
    if module is None:
        return None
    name = class_name(value)
    return named(type(value), name, module or ("torch.autograd.function" if name.endswith("Backward") else ""))


def named(kind: type, name: str, module: str = "") -> BuiltinType:
    """Return the type of nodes of a name, always the same one."""
    return NODE_TYPES.setdefault((module, name), BuiltinType(name, kind, module=module))


def node_text(node: Any) -> str:
    kind = node_type(node)
    assert kind is not None
    return f"<{kind.module}{'.' if kind.module else ''}{kind.name} object at {id(node):#x}>"


_metadata: WeakKeyDictionary[Any, dict[str, Any]] = WeakKeyDictionary()


def metadata(node: Any) -> dict[str, Any]:
    """Return the dict in which snippets keep notes on a node."""
    return _metadata.setdefault(node, {})


NAMED_TYPES.append(node_type)


def pass_through(node: Any, *gradients: Any) -> Any:
    """Call a node: the gradients of its inputs for this upstream gradient, of several a tuple."""
    if len(gradients) != 1:
        raise TypeError(f"expected 1 arguments, got {len(gradients)} instead")
    (gradient,) = gradients
    if isinstance(node, AccumulateGrad):
        accumulate(node.variable, gradient.value, False, alone=False)
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
        found = contributions(node, node.primitive.rules_for(values), upstream, out, values)[:count]
        results = tuple(g if g is None or isinstance(g, Tensor) else Tensor(g) for g in found)
    return results[0] if len(results) == 1 else results


FUNCTIONS["pass_through"] = pass_through
METHODS = ("name", "register_hook", "register_prehook")


@cache
def several_results() -> frozenset[str]:
    """The names of the nodes that have several results in torch, and several upstream gradients for their hooks."""
    return frozenset(x.node for x in REGISTRY.values() if x.number or "part" in x.traits)


def on_whole(method: str) -> Callable[[Node, Any], Handle]:
    """Make the method that registers a hook on a node of one result."""

    def register(node: Node, hook: Any) -> Handle:
        if node.name() in several_results():
            raise UnsupportedError(f"{node.name()}.{method} is not supported here", help="hook the tensors themselves")
        return getattr(node, method)(hook)  # type: ignore[no-any-return]

    return register


def visible(node: Any) -> Any:
    """Return the node that snippets see: for each output of a function of theirs, its context."""
    return getattr(getattr(node, "whole", node), "context", node)


def next_functions(node: Any) -> tuple[tuple[Any, int], ...]:
    """Return the edges as pairs of a node and the number of its output."""
    return tuple((visible(edge), output_number(edge)) for edge, _ in node.next_functions)


def output_number(node: Any) -> int:
    """Return the number of a result among those of the node that torch has for them all."""
    return node.number if isinstance(node, Node) else 0


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


def hooks_of(x: Tensor) -> Any:
    """`x._backward_hooks`."""
    hooks = x.node.hooks.tensor if x.node is not None and x.node.hooks is not None else {}
    return OrderedDict(enumerate(hooks.values())) if hooks else None


NODE: dict[str, Callable[[Any], Any]] = {
    "next_functions": next_functions,
    **{f"_saved_{name}": saved_option(name) for name in OPTIONS},
    **{f"_saved_{name}": saved_input(name) for name in SAVED},
    **{f"_raw_saved_{name}": raw_input(name) for name in (*SAVED, "result")},
    "_saved_result": saved_result,
    "_saved_self_sym_sizes": saved_sizes,
    "metadata": metadata,
    "__class__": node_type,
}
describe(
    Node,
    methods={
        "name": Node.name,
        **{name: on_whole(name) for name in METHODS[1:]},
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
        "metadata": metadata,
        "__class__": node_type,
    },
)
describe(
    GradientEdge,
    getters={
        "node": lambda edge: visible(edge.node),
        "output_nr": lambda edge: edge.output_nr,
        "ownership_token": lambda edge: edge.ownership_token,
    },
)
TYPES[Handle] = BuiltinType("RemovableHandle", Handle, module="torch.utils.hooks")
describe(Handle, methods=listed(Handle, "remove hooks_dict_ref __enter__ __exit__"), getters=fields("id"))
REPRESENTATIONS[Node] = REPRESENTATIONS[AccumulateGrad] = node_text
TYPES[GradientEdge] = BuiltinType("GradientEdge", GradientEdge, GradientEdge, module="torch.autograd.graph")
REPRESENTATIONS[GradientEdge] = lambda edge: (
    f"GradientEdge(node={represent(visible(edge.node))}, output_nr={edge.output_nr}, "
    f"ownership_token={represent(edge.ownership_token)})"
)
