"""Jacobians as matrices: a vector-Jacobian product is linear in the vector, which can be taken out of the formula.

`W.T @ (u*c)`, for every u, is the product with the transpose of `diag(c) @ W`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from gradcli.engine.numerics.draws import Draws
from gradcli.errors import GradcliError
from gradcli.explanation.values import value_of
from gradcli.language.rewrite import substitute, with_children
from gradcli.language.tree import (
    Argument,
    Attribute,
    Binary,
    Call,
    Expression,
    Index,
    List,
    Name,
    Number,
    Unary,
    fold,
    names,
)


def jacobian(tree: Expression, vector: str, point: Mapping[str, Any]) -> Expression | None:
    """Return the matrix J for which a formula is J.T times the vector `vector`; None where no rule here finds it.

    `point` has values for all names, which say how large the parts of the formula are.
    """
    finder = _Linear(vector, point)
    if np.ndim(point[vector]) != 1 or finder.ndim(tree) != 1:
        return None
    if np.size(point[vector]) == 1 != np.size(value_of(tree, point)):  # copied: the matrix is a row
        row = substitute(tree, {vector: Number(1)})
        matrix: Expression | None = Call("unsqueeze", (Argument(row), Argument(Number(0))))
    else:
        matrix = finder.jacobian(tree)
        matrix = finder.identity if matrix is IDENTITY else matrix
    return matrix if is_map(matrix, tree, vector, point) else None


def is_map(matrix: Expression | None, tree: Expression, variable: str, point: Mapping[str, Any]) -> bool:
    """Return whether a formula that is linear in `variable`, a vector, is its product with a matrix, at the point."""
    if matrix is None:
        return False
    vector = Draws().uniform(-1, 1, np.shape(point[variable]))
    try:
        product, entries = value_of(tree, {**point, variable: vector}), value_of(matrix, point)
    except GradcliError:
        return False
    with np.errstate(all="ignore"):
        if np.shape(entries) != (*vector.shape, *np.shape(product)):
            return False
        expected = vector @ entries
        return bool(np.allclose(product, expected, rtol=1e-6, atol=1e-9) or not np.isfinite(product + expected).all())


def by_number(tree: Expression, vector: str, point: Mapping[str, Any]) -> Expression | None:
    """Return the derivatives of a vector by a number; None where no rule here finds them."""
    if np.ndim(point[vector]) != 1 or np.ndim(value_of(tree, point)):
        return None
    entries = _entries(tree, vector, point)
    return entries if is_map(entries, tree, vector, point) else None


def _entries(tree: Expression, vector: str, point: Mapping[str, Any]) -> Expression | None:
    """Return the vector whose product with `vector` is a formula.

    `sum(u*c)`, for every u, is the product with c; of a short vector the formula may name the entries.
    """
    shape = np.shape(point[vector])
    match tree:
        case Binary("*" | "/" as sign, left, right) if (vector in names(left)) != (vector in names(right)):
            inner = _entries(left if vector in names(left) else right, vector, point)
            if inner is None or (sign == "/" and vector in names(right)):
                return None
            if isinstance(inner, List):
                factor = right if vector in names(left) else left
                return List(tuple(Binary(sign, entry, factor) for entry in inner.items))
            return Binary(sign, inner, right) if vector in names(left) else Binary(sign, left, inner)
        case Call("sum", (Argument(Binary("*", left, right), None),)) if Name(vector) in (left, right):
            scale = right if left == Name(vector) else left
            return scale if vector not in names(scale) and np.shape(value_of(scale, point)) == shape else None
    if shape[0] > MOST:
        return None

    def entry(place: int) -> Expression:
        def combine(node: Expression, parts: Sequence[Expression]) -> Expression:
            match node:
                case Index(Name(name), (Number(number),)) if name == vector:
                    return Number(int(number == place))
            return with_children(node, parts)

        return fold(tree, combine)

    entries = tuple(map(entry, range(shape[0])))
    return None if any(vector in names(component) for component in entries) else List(entries)


MOST = 8  # entries of a vector that are written one by one
IDENTITY = Name("identity")  # until it stands alone


class _Linear:
    """Formulas that are linear in the vector `vector`."""

    def __init__(self, vector: str, point: Mapping[str, Any]) -> None:
        self.vector = Name(vector)
        self.point = dict(point)
        self.size = Number(np.size(point[vector]))

    @property
    def identity(self) -> Expression:
        return Call("eye", (Argument(self.size),))

    def jacobian(self, tree: Expression) -> Expression | None:
        if tree == self.vector:
            return IDENTITY
        match tree:
            case Unary("-", operand):
                inner = self.jacobian(operand)
                return None if inner is None else Unary("-", self.alone(inner))
            case Binary("+" | "-" as sign, left, right) if self.has(left) and self.has(right):
                first, second = self.jacobian(left), self.jacobian(right)
                return None if first is None or second is None else Binary(sign, self.alone(first), self.alone(second))
            case Binary("@", left, right) if not self.has(left) and self.ndim(left) == 2:
                return times(self.jacobian(right), transposed(left))
            case Binary("@", left, right) if not self.has(right) and self.ndim(right) == 2:
                return times(self.jacobian(left), right)
            case Binary("*", left, right) if self.has(left) != self.has(right):
                return self.scaled(*((left, right) if self.has(left) else (right, left)))
            case Binary("/", left, right) if not self.has(right):
                return self.scaled(left, Binary("/", Number(1), right))
        return None

    def scaled(self, tree: Expression, factor: Expression) -> Expression | None:
        """Return the matrix of `tree*factor`."""
        if self.ndim(factor) == 1:
            if isinstance(tree, Binary) and tree.operator in "+-" and self.has(tree.left) and self.has(tree.right):
                left, right = (Binary("*", x, factor) for x in (tree.left, tree.right))
                return self.jacobian(Binary(tree.operator, left, right))
            if row := self.row(tree):
                return Call("outer", (Argument(row), Argument(factor)))
        inner = self.jacobian(tree)
        if self.ndim(factor) == 0:
            return None if inner is None else Binary("*", factor, self.alone(inner))
        return times(inner, Call("diag", (Argument(factor),))) if self.ndim(factor) == 1 else None

    def row(self, tree: Expression) -> Expression | None:
        """Return the vector whose product with `self.vector` is a formula for one number."""
        match tree:
            case Binary("*", left, right) if self.has(left) != self.has(right):
                inner, factor = (left, right) if self.has(left) else (right, left)
                vector = self.row(inner) if self.ndim(factor) == 0 else None
                return None if vector is None else Binary("*", factor, vector)
            case Binary("/", left, right) if not self.has(right) and self.ndim(right) == 0:
                vector = self.row(left)
                return None if vector is None else Binary("/", vector, right)
            case Binary("@", left, right) if self.vector in (left, right) and self.ndim(tree) == 0:
                return right if left == self.vector else left
            case Call("sum", (Argument(inner, None), *_)) if self.ndim(inner) == 1:
                return self.divided_out(inner)
        return None

    def divided_out(self, tree: Expression) -> Expression | None:
        """Return an entrywise product without its factor `self.vector`."""
        match tree:
            case Binary("*", left, right) if self.has(left) != self.has(right):
                inner, factor = (left, right) if self.has(left) else (right, left)
                if inner == self.vector:
                    return factor
                quotient = self.divided_out(inner)
                return None if quotient is None else Binary("*", factor, quotient)
            case Binary("/", left, right) if not self.has(right):
                above = Number(1) if left == self.vector else self.divided_out(left)
                return None if above is None else Binary("/", above, right)
        return None

    def alone(self, matrix: Expression) -> Expression:
        return self.identity if matrix is IDENTITY else matrix

    def has(self, tree: Expression) -> bool:
        return self.vector.id in names(tree)

    def ndim(self, tree: Expression) -> int:
        with np.errstate(all="ignore"):
            return int(np.ndim(value_of(tree, self.point)))


def times(first: Expression | None, second: Expression) -> Expression | None:
    match first:
        case None:
            return None
        case Binary("*", factor, Call("eye")):
            return Binary("*", factor, second)
        case Call("diag", (Argument(above),)) if isinstance(second, Call) and second.function == "diag":
            return Call("diag", (Argument(Binary("*", above, second.arguments[0].value)),))
    return second if first is IDENTITY else Binary("@", first, second)


def transposed(tree: Expression) -> Expression:
    if isinstance(tree, Binary) and tree.operator in "+-":
        return Binary(tree.operator, transposed(tree.left), transposed(tree.right))
    return tree.value if isinstance(tree, Attribute) and tree.name == "T" else Attribute(tree, "T")
