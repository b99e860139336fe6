"""Products without a sign, with `·` or with `*`: what they are, by the shapes of their factors.

Between matrices and vectors `Ax` and `A·x` are products of matrices where the shapes allow it, else entry by entry;
`A*x` is entry by entry, as in the language, where that has the shape asked for.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache, partial, reduce
from itertools import product
from typing import cast

import numpy as np

from gradcli.facts import dataclass
from gradcli.homework.submission.answers import Formula, UnreadableError, computed, read_answer
from gradcli.language.rewrite import with_children
from gradcli.language.tree import (
    Argument,
    Attribute,
    Binary,
    Call,
    Compare,
    Expression,
    List,
    Name,
    Number,
    Unary,
    children,
    fold,
    postorder,
)
from gradcli.language.unparser import unparse

Shape = tuple[int, ...] | None  # None where it is not known
SIGNS = (" ", "·", "*", "⊗")
DIGITS = frozenset("0123456789.")


@dataclass(frozen=True, slots=True)
class Shaped:
    """A formula with its shape; a vector `is_row` when it was transposed."""

    tree: Expression
    shape: Shape
    is_row: bool = False


class UnshapedError(Exception):
    """A reading whose shapes do not fit together."""


def in_language(tree: Expression, shapes: Mapping[str, tuple[int, ...]], asked: tuple[int, ...] | None) -> Expression:
    """Return a formula in the language, in the first reading of its products that has the shape asked for.

    Raises UnreadableError where the shapes fit together in no reading.
    """
    first: Expression | None = None
    for matrix in readings(tree, shapes):
        try:
            reading: Shaped = fold(tree, partial(shaped, shapes=shapes, matrix=matrix))
        except UnshapedError:
            continue
        first = first or reading.tree
        if reading.shape is None or asked is None or squeezed(reading.shape) == squeezed(asked):
            return reading.tree
    if first is None:
        raise UnreadableError("the sizes of what is multiplied or added in it do not go together")
    return first


def readings(tree: Expression, shapes: Mapping[str, tuple[int, ...]]) -> Iterator[frozenset[str]]:
    """Yield the signs that are products of matrices, the most usual reading first."""
    met = {node.operator for node in postorder(tree) if isinstance(node, Binary)} & set(SIGNS)
    if not any(shapes.values()):
        yield frozenset()
        return
    signs = [sign for sign in ("*", "·", " ", "⊗") if sign in met]
    for choice in product(*((False, True) if sign == "*" else (True, False) for sign in signs)):
        yield frozenset(sign for sign, is_matrix in zip(signs, choice, strict=True) if is_matrix)


def squeezed(shape: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(n for n in shape if n != 1)


def shaped(
    node: Expression, parts: Sequence[Shaped], shapes: Mapping[str, tuple[int, ...]], matrix: frozenset[str]
) -> Shaped:
    trees = [part.tree for part in parts]
    match node:
        case Name():
            return Shaped(node, shapes.get(node.id, () if node.id[:1] in DIGITS or node.id == "pi" else None))
        case Number():
            return Shaped(node, ())
        case Binary(operator=sign):
            return binary(sign, *parts, matrix=matrix)
        case Unary():
            return Shaped(with_children(node, trees), parts[0].shape, parts[0].is_row)
        case List():
            inner = {part.shape for part in parts}
            shape = next(iter(inner)) if len(inner) == 1 else None
            return Shaped(with_children(node, trees), (len(parts), *shape) if shape is not None else None)
        case Compare():
            return Shaped(with_children(node, trees), broadcast(parts[0].shape, parts[1].shape))
        case Call("'") if not parts[0].shape and not isinstance(trees[0], List):
            raise UnreadableError(f"{unparse(trees[0])}' is a derivative: write what it is")
        case Call("ᵀ" | "'" | ".T"):
            return transposed(parts[0])
        case Call("|"):
            name = {1: "norm", 2: "det"}.get(len(parts[0].shape or ()), "abs")
            return Shaped(Call(name, (Argument(trees[0]),)), () if parts[0].shape is not None else None)
        case Call():
            shape = shape_of_call(node, parts)
            return Shaped(
                with_children(node, trees), shape, bool(parts) and parts[0].is_row and shape == parts[0].shape
            )
    return Shaped(with_children(node, trees) if children(node) else node, None)


def binary(sign: str, left: Shaped, right: Shaped, *, matrix: frozenset[str]) -> Shaped:
    if sign == "⊗":  # of two vectors the outer product, too
        is_outer = sign in matrix and len(left.shape or ()) == len(right.shape or ()) == 1
        call = Call("outer" if is_outer else "kron", (Argument(left.tree), Argument(right.tree)))
        return Shaped(call, shape_of_call(call, (left, right)))
    if sign in SIGNS or sign == "@":
        if left.shape and right.shape and (sign in matrix or sign == "@"):
            return matrix_product(left, right)
        if len(left.shape or ()) == len(right.shape or ()) == 1 and left.is_row and not right.is_row:
            raise UnshapedError  # x'*x is one number
        return entrywise("@" if sign == "@" else "*", left, right)
    if sign in ("^", "**"):
        exponent = unparse(right.tree)
        if exponent == "-1" and left.shape is not None and len(left.shape) == 2:
            return Shaped(Call("inverse", (Argument(left.tree),)), left.shape)
        if exponent == "-T":
            return Shaped(Attribute(Call("inverse", (Argument(left.tree),)), "T"), left.shape)
        if left.shape and len(left.shape) == 1 and left.is_row:
            raise UnshapedError
        return entrywise("**", left, right)
    return entrywise({"⊙": "*"}.get(sign, sign), left, right)


def entrywise(sign: str, left: Shaped, right: Shaped) -> Shaped:
    shape = broadcast(left.shape, right.shape)
    is_row = (left.is_row and bool(left.shape)) or (right.is_row and bool(right.shape))
    return Shaped(Binary(sign, left.tree, right.tree), shape, is_row)


def matrix_product(left: Shaped, right: Shaped) -> Shaped:
    """Return the product of matrices, rows and columns. Raises UnshapedError where there is none."""
    a, b = left.shape or (), right.shape or ()
    if len(b) == 1 and right.is_row and len(a) == 1 and not left.is_row:
        return Shaped(Call("outer", (Argument(left.tree), Argument(right.tree))), (*a, *b))
    if len(b) == 1 and right.is_row and len(a) == 2 and a[1] == 1:
        return Shaped(Binary("*", left.tree, right.tree), (a[0], b[0]))
    if len(a) == 1 and not left.is_row and len(b) == 2 and b[0] == 1:
        row = Call("ravel", (Argument(right.tree),))
        return Shaped(Call("outer", (Argument(left.tree), Argument(row))), (a[0], b[1]))
    try:
        shape = np.shape(np.zeros(a) @ np.zeros(b))
    except ValueError:
        raise UnshapedError from None
    if max(len(a), len(b)) > 2:
        raise UnshapedError
    return Shaped(Binary("@", left.tree, right.tree), shape, is_row=len(a) == 1 and len(b) == 2)


def transposed(part: Shaped) -> Shaped:
    """Return a transpose: of a vector a row, of a list of numbers the list."""
    tree, shape = part.tree, part.shape
    if isinstance(tree, List):
        rows = [entry.items if isinstance(entry, List) else None for entry in tree.items]
        if all(row is not None for row in rows):
            columns = zip(*(row or () for row in rows), strict=False)
            return Shaped(List(tuple(List(tuple(column)) for column in columns)), shape and (shape[::-1]))
        return Shaped(List(tuple(List((entry,)) for entry in tree.items)), (len(tree.items), 1))
    if shape is not None and len(shape) == 2:
        return Shaped(Attribute(tree, "T"), shape[::-1])
    if shape is not None and len(shape) < 2:
        return Shaped(tree, shape, not part.is_row)
    return Shaped(Attribute(tree, "T"), None)


def broadcast(left: Shape, right: Shape) -> Shape:
    if left is None or right is None:
        return None
    try:
        return np.broadcast_shapes(left, right)
    except ValueError:
        raise UnshapedError from None


def shape_of_call(node: Call, parts: Sequence[Shaped]) -> Shape:
    """Return the shape of a call's result, which is computed once for each shape of its arguments."""
    if node.function == "where":
        return reduce(broadcast, [part.shape for part in parts], cast("Shape", ()))
    known: dict[str, tuple[int, ...]] = {}
    arguments: list[Expression] = []
    for place, part in enumerate(parts):
        if part.shape is None:
            return None
        is_number = isinstance(part.tree, Name) and part.tree.id[:1] in DIGITS
        arguments.append(part.tree if is_number else Name(f"_{place}"))
        if not is_number:
            known[f"_{place}"] = part.shape
    return computed_shape(unparse(with_children(node, arguments)), tuple(known.items()))


@lru_cache(2**10)
def computed_shape(call: str, shapes: tuple[tuple[str, tuple[int, ...]], ...]) -> Shape:
    draw = np.random.default_rng(0)
    try:
        read = read_answer(call)
        if isinstance(read, Formula):
            value = computed(read, {name: draw.random(shape) for name, shape in shapes})
            return tuple(np.shape(value))
    except UnreadableError:
        pass
    return None
