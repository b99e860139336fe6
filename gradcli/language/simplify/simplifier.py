"""The entry: a formula, simplified."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from gradcli.language.simplify.algebra.extents import Shape
from gradcli.language.simplify.algebra.functions import Builder
from gradcli.language.simplify.algebra.terms import UnsimplifiedError
from gradcli.language.simplify.reading import Reader
from gradcli.language.simplify.trees import length
from gradcli.language.simplify.writing import Writer
from gradcli.language.tree import Expression, children, fold, postorder

MOST_NODES = 600
DEEPEST = 60  # the writer recurses
PASSES = 4


def simplify(tree: Expression, shapes: Mapping[str, Shape] | None = None) -> Expression:
    """Return the formula as a person would write it, never longer; itself where it is too large.

    It equals the formula wherever that is finite. `shapes` are those of the names, numbers and arrays; without it all
    names are numbers.
    """
    if sum(1 for _ in postorder(tree)) > MOST_NODES or depth(tree) > DEEPEST:
        return tree
    return remembered(tree, None if shapes is None else tuple(sorted(shapes.items())))


@lru_cache(maxsize=64)
def remembered(tree: Expression, shapes: tuple[tuple[str, Shape], ...] | None) -> Expression:
    """Simplify a formula, once for all passes of a loop."""
    known = None if shapes is None else dict(shapes)
    for _ in range(PASSES):
        try:
            algebra = Builder()
            written = Writer(algebra).whole(Reader(algebra, known).read(tree))
        except UnsimplifiedError:
            break
        if written.cost > length(tree) or written.tree == tree:
            break
        tree = written.tree
    return tree


def depth(tree: Expression) -> int:
    return fold(tree, lambda node, parts: 1 + max(parts, default=0) if children(node) else 1)
