"""Structured functions of arrays whose entries are all equal, and structured functions that do nothing."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from gradcli.language.catalogue import operations_that_are
from gradcli.language.simplify.algebra.bases import Argument, Function
from gradcli.language.simplify.algebra.functions import Builder
from gradcli.language.simplify.algebra.terms import Product, scaled
from gradcli.language.simplify.extents import Extent, Shape
from gradcli.language.simplify.facts.shapes import constant_value, dims_of
from gradcli.language.tree import Call, Expression, Index, Literal, Name, Number, Tuple

RESHAPING = {".T", ".mT", "Index", *operations_that_are("rearranging")}
COPIES = frozenset(["clone", "contiguous"])


def of_constant(
    algebra: Builder, name: str, inside: Product, before: Extent, after: Extent, options: dict[int | str, Any]
) -> Product | None:
    """Return a function of copies of a product in a shape, where that is simpler; `after` is the shape of the result.

    The result has the entries, the reader sees to its shape.
    """
    if before.unknown or after.unknown or algebra.extent(inside).unknown:
        return None
    own_shape = algebra.extent(inside).shape
    if name == "select_backward" and len(before.shape) + 1 == len(after.shape) <= 2:
        size = after.shape[options["dim"]]
        place = algebra.call("one_hot", [Argument(Product(options["index"] % size)), Argument(Product(size))])
        if not before.shape:
            return algebra.multiply(inside, place)
        if own_shape != before.shape:
            shape = Tuple(tuple(map(Number, before.shape)))
            inside = algebra.call("expand", [Argument(inside), Argument(shape)])
        return algebra.call("outer", [Argument(x) for x in ((inside, place) if options["dim"] else (place, inside))])
    if name == "diagonal_backward" and len(after.shape) == 2 and not options.keys() - {0, "shape"}:
        if not own_shape:
            return algebra.multiply(inside, algebra.call("eye", [Argument(Product(size)) for size in after.shape]))
        if own_shape == before.shape and (*own_shape, *own_shape) == after.shape:
            return algebra.call("diag", [Argument(inside)])
    if name in COPIES or (name == "reshape" and own_shape == before.shape == after.shape):
        return inside
    if name == "permute" and dims_of(options.get("dims", options.get(1)), len(before.shape)) == [
        *range(len(before.shape))
    ]:
        return inside
    if name in RESHAPING and not own_shape:
        return inside
    if name in ("sum", "mean") and own_shape != before.shape:
        return _summed(algebra, name, inside, own_shape, before.shape, options)
    return None


def keeps_one_dimension(node: Call, extents: Sequence[Extent]) -> bool:
    """Return whether it is a sum, mean or variance of a vector whose one dimension stays, with size 1."""
    if node.function not in ("sum", "mean", "var", "std") or extents[0].unknown or len(extents[0].shape) != 1:
        return False
    return {x.keyword: x.value for x in node.arguments}.get("keepdim") == Literal(True)


def _summed(
    algebra: Builder, name: str, inside: Product, own_shape: Shape, shape: Shape, options: dict[int | str, Any]
) -> Product | None:
    """Return a sum or mean of copies as a number times one copy, if it is over all copied dimensions, or over all."""
    dim = options.get("dim", options.get(1))
    axes = set(range(len(shape)) if dim is None else dims_of(dim, len(shape)) or ())
    copied = set(range(len(shape) - len(own_shape)))
    if own_shape != shape[len(copied) :] or not (axes <= copied or axes >= set(range(len(shape))) - copied):
        return None
    number = 1 if name == "mean" else math.prod(shape[axis] for axis in axes & copied)
    if axes <= copied:
        return scaled(inside, number) if not own_shape or axes == copied else None
    return scaled(algebra.call(name, [Argument(inside)]), number)


def selected(algebra: Builder, node: Index, inside: Product, after: Extent) -> Product | None:
    """Return a row of a matrix of which all rows but one are 0: `outer(one_hot(1, 3), x)[1]`."""
    outer = algebra.only(inside, Function)
    hot = outer.arguments[0].value if outer is not None and outer.name == "outer" else None
    row = algebra.only(hot, Function) if isinstance(hot, Product) else None
    if outer is None or row is None or row.name != "one_hot" or len(node.items) != 1 or after.unknown:
        return None
    place, value, item = row.arguments[0].value, outer.arguments[1].value, node.items[0]
    if not isinstance(value, Product) or not isinstance(item, Number) or algebra.extent(value) != after:
        return None
    return value if place == Product(int(item.value)) else Product(0)


def entries_of(algebra: Builder, product: Product) -> Product | None:
    """Return `y[1]*one_hot(1, n)` for `y*one_hot(1, n)`: of vectors beside a one-hot one only one entry counts."""
    for base, _ in product.term:
        hot = algebra.bases[base]
        place = hot.arguments[0].value if isinstance(hot, Function) and hot.name == "one_hot" else None
        vectors = [power for power in product.term if power[0] != base and algebra.bases[power[0]].extent == hot.extent]
        if isinstance(place, Product) and place.is_number and len(hot.extent.shape) == 1 and vectors:
            template = Index(Name("_"), (Number(int(place.coefficient)),))
            entries = (
                algebra.power(algebra.call("Index", [Argument(Product(1, ((b, 1),))), Argument(place)], template), e)
                for b, e in vectors
            )
            return algebra.multiply(product, Product(1, tuple((b, -e) for b, e in vectors)), *entries)
    return None


def sum_of_one(algebra: Builder, inside: Product, before: Extent) -> Product | None:
    """Return the sum of a vector of which all entries but one are 0 by a one-hot factor."""
    if len(before.shape) != 1 or before.unknown:
        return None
    chosen = entries_of(algebra, inside) or inside
    rest = tuple(x for x in chosen.term if getattr(algebra.bases[x[0]], "name", "") != "one_hot")
    return Product(chosen.coefficient, rest) if len(rest) == len(chosen.term) - 1 else None


def described(algebra: Builder, arguments: Sequence[Argument]) -> dict[int | str, Any]:
    """Return the constant values of arguments by position or keyword; None for an argument without one."""
    options: dict[int | str, Any] = {}
    for position, argument in enumerate(arguments):
        x: Any = argument.value
        if isinstance(x, Product):
            x = x.coefficient if x.is_number else None
        elif isinstance(x, Expression):
            try:
                x = constant_value(x)
            except ValueError:
                x = None
        options[argument.keyword or position] = x
    return options
