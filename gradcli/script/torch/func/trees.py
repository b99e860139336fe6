"""Trees of tensors: nested tuples, lists and dicts, which `torch.func` takes and returns in place of one tensor."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

DEEPEST = 50

Build = Callable[[Iterator[Any]], Any]


def flattened(tree: Any) -> tuple[list[Any], Build]:
    """Return the leaves in order, and a function that builds the tree of others. RuntimeError if it is too deep."""
    leaves: list[Any] = []
    return leaves, _taken(tree, leaves, 0)


def _taken(tree: Any, leaves: list[Any], depth: int) -> Build:
    if depth > DEEPEST:
        raise RuntimeError("containers of tensors are nested too deeply")
    kind = type(tree)
    if kind in (tuple, list):
        parts = [_taken(part, leaves, depth + 1) for part in tree]
        return lambda new: kind(part(new) for part in parts)
    if isinstance(tree, dict):
        named = {key: _taken(tree[key], leaves, depth + 1) for key in tree}
        return lambda new: kind((key, part(new)) for key, part in named.items())
    leaves.append(tree)
    return next


def mapped(function: Callable[[Any], Any], tree: Any) -> Any:
    """Apply the function to each leaf of the tree."""
    leaves, build = flattened(tree)
    return build(map(function, leaves))


def spread(prefix: Any, tree: Any) -> list[Any] | None:
    """Return one entry of `prefix` for each leaf: a number holds for all leaves below it. None if they do not fit."""
    if isinstance(prefix, int) or prefix is None:
        return [prefix] * len(flattened(tree)[0])
    if type(prefix) is not type(tree) or not isinstance(prefix, tuple | list | dict) or len(prefix) != len(tree):
        return None
    if isinstance(prefix, dict):
        if prefix.keys() != tree.keys():
            return None
        found = [spread(prefix[key], tree[key]) for key in tree]
    else:
        found = [spread(part, below) for part, below in zip(prefix, tree, strict=True)]
    return None if None in found else [entry for part in found for entry in part or ()]
