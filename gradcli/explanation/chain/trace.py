"""The derivation of one gradient: the links on the way to it, and if asked for the paths."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from math import prod

from gradcli.engine.primitive import REGISTRY
from gradcli.explanation.chain.links import Link, Path, above, chain, flow, paths
from gradcli.explanation.model import Explanation, Leaf, Local, Node, Value
from gradcli.facts import dataclass
from gradcli.guard import guarded
from gradcli.language.tree import Argument, Call, Name

# Inputs that broadcasting copied: one edge of the graph stands for as many paths as there are copies.


@dataclass(frozen=True, slots=True)
class Copies:
    """The number of copies that an operation makes of an input, and the parts of its result that hold them: `rows`."""

    count: int
    parts: str
    node: str


def copies_on_path(path: Path, nodes: Mapping[str, Node], upstream_name: str) -> tuple[Copies, ...]:
    """Return the copies that are made on a path, from the output on."""
    edges = zip(path.nodes, path.locals, strict=False)
    copies_of_edges = (copies(nodes[name], local, nodes[local.input], upstream_name) for name, local in edges)
    return tuple(x for x in copies_of_edges if x is not None)


def copies(node: Node, local: Local, input: Node, upstream_name: str) -> Copies | None:
    """Return into how many copies a node put an input; None where each entry is used as often as the rule says."""
    lead = len(node.shape) - len(input.shape)
    if lead < 0 or node.op is None or prod(node.shape) <= prod(input.shape):
        return None
    if (node.op not in REGISTRY or REGISTRY[node.op].structured) and not is_sum_of(local, upstream_name):
        return None
    axes = [axis for axis, size in enumerate(node.shape) if axis < lead or input.shape[axis - lead] != size]
    if any(axis >= lead and input.shape[axis - lead] != 1 for axis in axes):
        return None
    lines = {(2, 0): "rows", (2, 1): "columns"}.get((len(node.shape), axes[0])) if len(axes) == 1 else None
    parts = lines or ("entries" if len(axes) == len(node.shape) else "copies")
    return Copies(prod(node.shape[axis] for axis in axes), parts, node.name)


def copied(node: Node, nodes: Mapping[str, Node], upstream_name: str) -> dict[str, str]:
    """Return a sentence about each input that an operation entry by entry has copied, by its id."""
    sentences = {}
    for local in node.locals if node.op in REGISTRY and not REGISTRY[node.op].structured else ():
        if copies_of_input := copies(node, local, nodes[local.input], upstream_name):
            place = f"all {copies_of_input.count} {copies_of_input.parts} of {node.name}"
            sentences[local.input] = f"{local.input} stands in {place}, and gets the sum over them."
    return sentences


def is_sum_of(local: Local, upstream_name: str) -> bool:
    """Return whether a rule does nothing but add entries of the upstream gradient."""
    match local.rule:
        case Call("sum" | "sum_to_size", (Argument(Name(name)), *_)):
            return name == upstream_name
    return False


@dataclass(frozen=True, slots=True)
class Route:
    """A path, the gradient that flows along it, None where sizes have no numbers, and the copies made on it."""

    path: Path
    value: Value | None
    copies: tuple[Copies, ...] = ()

    @property
    def count(self) -> int:
        """The number of paths between entries that it stands for because of copies."""
        return prod(x.count for x in self.copies)


@dataclass(frozen=True, slots=True)
class Trace:
    """The derivation of the gradient of `leaf`; `count` and `routes` are None unless paths were asked for."""

    leaf: Leaf
    links: tuple[Link, ...]
    count: int | None
    routes: tuple[Route, ...] | None


def trace(explanation: Explanation, name: str, limit: int | None) -> Trace:
    """The derivation for one variable, with up to `limit` paths."""
    leaf = next(leaf for leaf in explanation.leaves if leaf.name == name)
    links = chain(explanation, above(explanation, leaf.node))
    if limit is None:
        return Trace(leaf, links, None, None)
    routes_found = paths(explanation, leaf.node, limit)
    if explanation.sizes is not None:
        return Trace(leaf, links, routes_found.count, tuple(Route(path, None) for path in routes_found.listed))
    nodes = {node.id: node for node in explanation.nodes}
    routes = tuple(
        Route(
            path,
            guarded("path", partial(flow, explanation, path), None),
            copies_on_path(path, nodes, explanation.upstream_name),
        )
        for path in routes_found.listed
    )
    return Trace(leaf, links, routes_found.count, routes)
