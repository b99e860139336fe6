"""The entry: a formula, simplified."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache

from gradcli.language.simplify.algebra.functions import Builder
from gradcli.language.simplify.algebra.terms import UnsimplifiedError
from gradcli.language.simplify.extents import Shape
from gradcli.language.simplify.reading import Reader
from gradcli.language.simplify.trees import length
from gradcli.language.simplify.writing import Writer
from gradcli.language.tree import Binary, Expression, Name, children, fold, postorder

MOST_NODES = 600
DEEPEST = 60  # the writer recurses
PASSES = 4
ENOUGH_APART = 1200  # of a form that is too long, after which none with sums over several denominators is sought
ENOUGH_STEPS = 3000  # after which no other pass is begun
LONG = 24  # operators and calls of a form that is not written a second time


def simplify(
    tree: Expression, shapes: Mapping[str, Shape] | None = None, products: tuple[tuple[str, ...], ...] = ()
) -> Expression:
    """Return the formula as a person would write it, never longer; itself where it is too large.

    It equals the formula wherever that is finite. `shapes` are those of the names, numbers and arrays; without it all
    names are numbers. `products` are names in the order in which they stand in products of the program.
    """
    if sum(1 for _ in postorder(tree)) > MOST_NODES or depth(tree) > DEEPEST:
        return tree
    return remembered(tree, None if shapes is None else tuple(sorted(shapes.items())), products)


@lru_cache(maxsize=1024)
def remembered(
    tree: Expression, shapes: tuple[tuple[str, Shape], ...] | None, products: tuple[tuple[str, ...], ...]
) -> Expression:
    """Simplify a formula, once for all passes of a loop."""
    shape_of_name = None if shapes is None else dict(shapes)
    trees_seen, steps, is_apart = {tree}, 0, False
    for _ in range(PASSES):
        algebra = Builder(products)
        if is_apart:
            algebra.most_over = 1
        try:
            product = Reader(algebra, shape_of_name).read(tree)
            simplified = Writer(algebra).write_formula(product)
            steps += algebra.steps
            if simplified.cost > length(tree) and not is_apart and algebra.steps <= ENOUGH_APART:
                is_apart = True
                continue
            if simplified.cost > length(tree) or simplified.tree in trees_seen:
                break
            tree = simplified.tree
            trees_seen.add(tree)
            if steps > ENOUGH_STEPS or simplified.cost > LONG:
                break
            decimals, ways = algebra.decimals, (algebra, Builder(products))  # a new one may put terms in another order
            products_read = [repr(Reader(way, shape_of_name).read(tree)) for way in ways]
            if products_read == [repr(product)] * 2 and algebra.decimals == decimals:
                break  # another pass would write it so again
        except UnsimplifiedError:
            break
    return tree


def products_of(trees: Iterable[Expression]) -> tuple[tuple[str, ...], ...]:
    """Return the names in each product of the trees, where there are two or more, in their order."""
    name_lists: list[tuple[str, ...]] = []
    for tree in trees:
        inner: set[int] = set()
        for node in reversed(list(postorder(tree))):  # outer products first
            if id(node) in inner or not isinstance(node, Binary) or node.operator not in ("*", "/"):
                continue
            names, waiting = dict[str, None](), [node.left, node.right][::-1]
            while waiting:
                factor = waiting.pop()
                if isinstance(factor, Binary) and factor.operator in ("*", "/"):
                    inner.add(id(factor))
                    waiting.extend((factor.right, factor.left))
                elif isinstance(factor, Name):
                    names[factor.id] = None
                elif isinstance(factor, Binary) and factor.operator == "**" and isinstance(factor.left, Name):
                    names[factor.left.id] = None
            if len(names) > 1:
                name_lists.append((*names,))
    return (*dict.fromkeys(name_lists),)


def depth(tree: Expression) -> int:
    return fold(tree, lambda node, parts: 1 + max(parts, default=0) if children(node) else 1)
