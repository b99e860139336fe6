"""The symbolic carrier: a tree of our own language together with the value it has.

Rules run over Formulas as they run over arrays. The value makes shapes known to rules that ask for them, and makes
every printed formula checkable: evaluating the tree gives the value.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gradcli.engine.checks.shapes import broadcast_shapes
from gradcli.engine.operators import Arithmetic
from gradcli.language.tree import Expression, Number, Unary


def shape_of(value: Any) -> tuple[int, ...]:
    """Return the shape of an array, a numpy scalar or a plain number."""
    return () if isinstance(value, float | int) else value.shape


class Formula(Arithmetic):
    """A tree, its value, and its size in nodes (shared parts counted each time they are read).

    `inner` is the operand of an expand: elementwise operations that broadcast anyway use it instead.
    """

    __slots__ = ("inner", "size", "tree", "value")

    def __init__(self, tree: Expression, value: Any, size: int = 1, inner: Formula | None = None) -> None:
        self.tree = tree
        self.value = value
        self.size = size
        self.inner = inner

    @property
    def shape(self) -> tuple[int, ...]:
        return shape_of(self.value)

    @property
    def dtype(self) -> np.dtype[Any]:
        value = self.value
        return value.dtype if isinstance(value, np.generic | np.ndarray) else np.asarray(value).dtype

    @property
    def number(self) -> int | float | None:
        """The number, if the formula is nothing but one (perhaps with a minus)."""
        tree, sign = self.tree, 1
        if isinstance(tree, Unary) and tree.operator == "-":
            tree, sign = tree.operand, -1
        return sign * tree.value if isinstance(tree, Number) else None

    def unexpanded(self, operands: Sequence[Formula], value: Any) -> Formula:
        """Return the operand of an expand, if the other operands broadcast it to the shape of `value` anyway."""
        if self.inner is None:
            return self
        others = [x.shape for x in operands if x is not self]
        return self.inner if broadcast_shapes(self.inner.shape, *others) == np.shape(value) else self
