"""Nodes of torch as applications of primitives: the operands that a node saved, and its options."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from inspect import Parameter, signature
from typing import Any

import torch

import gradcli.ops
from gradcli.engine.primitive import REGISTRY, Primitive
from gradcli.facts import dataclass
from gradcli.live.passes import Node
from gradcli.live.saved import MISSING, names_of_saved, numbers, saved, signed
from gradcli.ops.nn.activations import SELU_ALPHA, SELU_SCALE

REDUCTIONS = ("none", "mean", "sum")
WINDOW = ("kernel_size", "stride", "padding", "dilation", "ceil_mode")
SPELLED = {"stop": ("end",), "rows": ("indices",), "p": ("ord",), "other": ("min", "max")}
NEUTRAL = {"weight": 1, "bias": 0}  # what stands for an input that was left out
DIMENSIONS = ("dim", "dims", "dim0", "dim1", "dim2", "dimension")
OWN_SHAPE = ("shape", "size", "output_size")  # options that are the shape of the result
UNCHANGING = {  # saved facts without an option of the primitive, and the values at which they change nothing
    "alpha": 1, "scale": 1, "input_scale": 1, "upper": False, "left": True, "pivot": True, "rounding_mode": "floor",
    "transposed": False, "groups": 1, "mode": "reduced",
}  # fmt: skip
FIXED: dict[str, dict[str, Any]] = {  # likewise, for one primitive alone
    "selu": {"alpha": SELU_ALPHA, "scale": SELU_SCALE},
    "convolution_transposed": {"transposed": True},
    "trunc_divide": {"rounding_mode": "trunc"},
}
TOLD = re.compile(
    "_sym_|sizes|numel|output_padding|source_dim|sparse|dtype|layout"
)  # saved facts that follow from others, or say little
PARTS = (
    "UnbindBackward0",
    *(f"{kind}{sizes}Backward0" for kind in ("Split", "UnsafeSplit") for sizes in ("", "WithSizes")),
)


@dataclass(frozen=True, slots=True)
class Operand:
    """An input of a node: the number of its edge, or of none; and the tensor or number that was saved, or `MISSING`."""

    edge: int | None
    saved: Any


@dataclass(frozen=True, slots=True)
class Reading:
    """A result of a node, with its number, as an application of a primitive."""

    primitive: Primitive
    operands: tuple[Operand, ...]
    options: dict[str, Any]
    number: int


@cache
def by_node() -> dict[str, list[Primitive]]:
    """Return the primitives by torch's name of their node: elementwise ones first, then those with more options."""
    gradcli.ops.load()
    primitives: dict[str, list[Primitive]] = {}
    for primitive in REGISTRY.values():
        if any(primitive.rules):
            for name in {primitive.node, primitive.node_in_place} - {""}:
                primitives.setdefault(name, []).append(primitive)
    for several in primitives.values():
        several.sort(key=lambda primitive: (primitive.structured, -len(options_of(primitive))))
    return primitives


@cache
def options_of(primitive: Primitive) -> dict[str, Parameter]:
    """Return the options of a primitive by name; functions of numpy have none, window operations those of torch."""
    try:
        parameters = signature(primitive.forward).parameters
    except ValueError:
        return {}
    if "casting" in parameters:
        return {}
    options = {name: p for name, p in parameters.items() if p.kind is p.KEYWORD_ONLY}
    if any(p.kind is p.VAR_KEYWORD for p in parameters.values()):
        window = {name: Parameter(name, Parameter.KEYWORD_ONLY, default=MISSING) for name in WINDOW}
        options = window | options
    return options


def readings(node: Node) -> Iterator[Reading]:
    """Yield each way to read a result of a node; none where gradcli does not know it."""
    if node.name() in PARTS:
        yield from parts(node)
        return
    for primitive in by_node().get(node.name(), ()):
        operands, options = operands_of(node, primitive), options_in(node, primitive)
        if operands is None or options is None or not is_all(node, primitive):
            continue
        if "dim" in options and not input_shape(node):
            continue  # a number has no dimensions, but torch takes 0 and -1 for it
        if options.get("alpha") != 1 or has_default(primitive):
            yield Reading(primitive, operands, counted_from_start(node, options), primitive.number)


def parts(node: Node) -> Iterator[Reading]:
    """Yield the parts that a tensor was split into, each with its position."""
    (primitive,) = by_node()[node.name()]
    dim = signed(saved(node, "dim")) % len(input_shape(node))
    start = 0
    for number, part in enumerate(node._input_metadata):
        options = {"dim": dim, "index": number}
        if "start" in options_of(primitive):
            options |= {"start": start, "stop": start + part.shape[dim]}
            start += part.shape[dim]
        yield Reading(primitive, (Operand(0, MISSING),), options, number)


def has_default(primitive: Primitive) -> bool:
    """Return whether a factor `alpha` may be left out; where it may not, another primitive has none."""
    return options_of(primitive)["alpha"].default is not Parameter.empty


def operands_of(node: Node, primitive: Primitive) -> tuple[Operand, ...] | None:
    """Return the inputs of a node: its edges belong to those that have a rule, in order."""
    edges = node.next_functions
    if primitive.name == "index" and (indices := saved(node, "indices")) is not MISSING:  # x[:, i]
        return Operand(0, MISSING), *(Operand(None, i) for i in indices if i is not None)
    if primitive.variadic:
        return tuple(Operand(edge if below is not None else None, MISSING) for edge, (below, _) in enumerate(edges))
    with_rules = [position for position, rule in enumerate(primitive.rules) if rule is not None]
    if len(with_rules) != len(edges):
        return None
    edge_of = {position: edge for edge, position in enumerate(with_rules) if edges[edge][0] is not None}
    return tuple(
        Operand(edge_of.get(position), saved_input(node, primitive, position, name, default))
        for position, (name, default) in enumerate(inputs_of(primitive))
    )


@cache
def inputs_of(primitive: Primitive) -> list[tuple[str, Any]]:
    """Return the name of each input of a primitive and its default, `MISSING` where there is none."""
    if not str(primitive.forward.__module__).startswith(("gradcli", "_operator")):  # one of numpy's
        return [("", MISSING)] * getattr(primitive.forward, "nin", len(primitive.rules))
    parameters = signature(primitive.forward).parameters.values()
    positional = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    return [(p.name, MISSING if p.default is p.empty else p.default) for p in positional]


def spellings(primitive: Primitive, position: int, name: str) -> list[str]:
    """Return the names under which a node may have saved an input."""
    names = [*primitive.inputs[position : position + 1], name]
    return [*names, *(other for spelling in names for other in SPELLED.get(spelling, ()))]


def saved_input(node: Node, primitive: Primitive, position: int, name: str, default: Any) -> Any:
    """Return an input that a node saved under torch's name of it; `MISSING` where it did not."""
    for spelling in spellings(primitive, position, name):
        if (value := saved(node, spelling)) is not MISSING:
            return value
    return NEUTRAL.get(name, default) if default is MISSING and hasattr(node, f"_saved_{name}") else default


def is_all(node: Node, primitive: Primitive) -> bool:
    """Return whether a primitive describes a node fully: what the node saved beside its options changes nothing."""
    taken = {spelling for name in options_of(primitive) for spelling in (name, *SPELLED.get(name, ()))}
    for position, (name, _) in enumerate(inputs_of(primitive)):
        taken.update(spellings(primitive, position, name))
    unchanging = UNCHANGING | FIXED.get(primitive.name, {})
    return all(
        signed(value) == unchanging.get(name, MISSING)
        for name in names_of_saved(node.__class__) - taken
        if not TOLD.search(name)
        for value in [saved(node, name)]
        if isinstance(value, int | float | str)
    )


def options_in(node: Node, primitive: Primitive) -> dict[str, Any] | None:
    """Return the options with which a node was made; None where one of them cannot be known."""
    options = {}
    for name, parameter in options_of(primitive).items():
        value = option(node, name)
        if value is not MISSING:
            options[name] = value
        elif parameter.default is Parameter.empty and not hasattr(node, f"_saved_{name}"):
            return None
        elif hasattr(node, f"_saved_{name}"):
            options[name] = None if parameter.default in (Parameter.empty, MISSING) else parameter.default
        elif parameter.default is not MISSING:
            options[name] = parameter.default
    if options.get("dims") == () and options_of(primitive)["dims"].default is None:
        options["dims"] = None
    if options.get("stride") == () and "kernel_size" in options:
        options["stride"] = options["kernel_size"]
    return options


def option(node: Node, name: str) -> Any:
    metadata = node._input_metadata[0]
    if name in OWN_SHAPE and not hasattr(node, f"_saved_{name}"):
        return tuple(metadata.shape)
    if name == "dtype" and node.name() == "ToCopyBackward0" and metadata.dtype != torch.bfloat16:
        return numbers(torch.empty(0, dtype=metadata.dtype)).dtype
    if name == "dims" and (indices := saved(node, "indices")) is not MISSING:
        return tuple(dim for dim, i in enumerate(indices) if i is not None)
    for spelled in (name, *SPELLED.get(name, ())):
        if (value := saved(node, spelled)) is not MISSING:
            return REDUCTIONS[value] if name == "reduction" and isinstance(value, int) else signed(value)
    return MISSING


def counted_from_start(node: Node, options: dict[str, Any]) -> dict[str, Any]:
    """Return the options with dimensions and positions counted from the start, in place of negative ones."""
    shape = input_shape(node)
    dimensions = max(len(shape), len(node._input_metadata[0].shape))

    def from_start(dim: Any) -> Any:
        return tuple(map(from_start, dim)) if isinstance(dim, tuple) else dim + dimensions if dim < 0 else dim

    from_front = {
        name: from_start(value) if name in DIMENSIONS and value is not None else value
        for name, value in options.items()
    }
    if "index" in from_front and from_front["index"] < 0:
        from_front["index"] += shape[from_front["dim"]]
    if "stop" in from_front:
        from_front["stop"] = min(from_front["stop"], shape[from_front["dim"]])
    return from_front


def input_shape(node: Node) -> tuple[int, ...]:
    """Return the shape of the first input that has a gradient."""
    below, place = next(x for x in node.next_functions if x[0] is not None)
    return tuple(below._input_metadata[place].shape)
