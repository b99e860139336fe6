"""The derivation of one gradient: the links on the way to it, and if asked for the paths."""

from __future__ import annotations

from functools import partial
from math import prod

from gradcli.explanation.chain.copies import Copies, copies_on_path
from gradcli.explanation.chain.links import Link, Path, above, chain, flow, paths
from gradcli.explanation.model import Explanation, Leaf, Value
from gradcli.facts import dataclass
from gradcli.guard import guarded


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
