"""The derivation of one gradient: the links on the way to it, and if asked for the paths."""

from __future__ import annotations

from dataclasses import dataclass

from gradcli.explanation.chain.links import Link, Path, above, chain, flow, paths
from gradcli.explanation.model import Explanation, Leaf, Value


@dataclass(frozen=True, slots=True)
class Route:
    """A path and the gradient that flows along it; None where the sizes of variables have no numbers."""

    path: Path
    value: Value | None


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
    found = paths(explanation, leaf.node, limit)
    routes = tuple(Route(path, flow(explanation, path) if explanation.sizes is None else None) for path in found.listed)
    return Trace(leaf, links, found.count, routes)
