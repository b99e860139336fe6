"""Trees of tensors: nested tuples, lists and dicts, which `torch.func` takes and returns in place of one tensor."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from gradcli.ops.support.arguments import ReturnType
from gradcli.script.python.text.formatting import represent
from gradcli.script.torch.tensor.dtypes import Size

DEEPEST = 50
ROWS = (tuple, list, Size)

Build = Callable[[Iterator[Any]], Any]


def flattened(tree: Any) -> tuple[list[Any], Build]:
    """Return the leaves in order, and a function that builds the tree of others. RuntimeError if it is too deep."""
    leaves: list[Any] = []
    return leaves, _taken(tree, leaves, 0)


def _taken(tree: Any, leaves: list[Any], depth: int) -> Build:
    if depth > DEEPEST:
        raise RuntimeError("containers of tensors are nested too deeply")
    kind = type(tree)
    if kind in ROWS:
        parts = [_taken(branch, leaves, depth + 1) for branch in tree]
        built_kind = tuple if kind is Size else kind  # torch makes a plain tuple of a size
        return lambda new: built_kind(branch(new) for branch in parts)
    if isinstance(tree, dict):
        named = {key: _taken(tree[key], leaves, depth + 1) for key in tree}
        return lambda new: kind((key, branch(new)) for key, branch in named.items())
    if isinstance(tree, ReturnType):
        fields = [_taken(branch, leaves, depth + 1) for branch in tree]
        return lambda new: ReturnType(
            tree.name, **{name: branch(new) for name, branch in zip(tree._fields, fields, strict=True)}
        )
    if is_named(tree):
        fields = [_taken(branch, leaves, depth + 1) for branch in tree]
        return lambda new: kind(*[field(new) for field in fields])
    leaves.append(tree)
    return next


def is_named(tree: Any) -> bool:
    """Tell a named tuple, whose class has the names of its fields."""
    return isinstance(tree, tuple) and hasattr(type(tree), "_fields")


class Star:
    """A leaf of a structure, written as torch writes it."""

    def __repr__(self) -> str:
        return "*"


def pattern(tree: Any) -> str:
    """Return the tree with a `*` for each leaf: `{'o': *}`."""
    return represent(mapped(lambda leaf: Star(), tree))


def mapped(function: Callable[[Any], Any], tree: Any) -> Any:
    """Apply the function to each leaf of the tree."""
    leaves, build = flattened(tree)
    return build(map(function, leaves))


def spread(prefix: Any, tree: Any) -> list[Any] | None:
    """Return one entry of `prefix` for each leaf: its leaf holds for all leaves below. None if they do not fit."""
    if not (type(prefix) in ROWS or isinstance(prefix, dict) or is_named(prefix)):
        return [prefix] * len(flattened(tree)[0])
    if type(prefix) is not type(tree) or len(prefix) != len(tree):
        return None
    if isinstance(prefix, dict):
        if prefix.keys() != tree.keys():
            return None
        entries = [spread(prefix[key], tree[key]) for key in tree]
    else:
        entries = [spread(branch, below) for branch, below in zip(prefix, tree, strict=True)]
    return None if None in entries else [entry for branch in entries for entry in branch or ()]
