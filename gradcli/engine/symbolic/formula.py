"""The symbolic carrier: a tree of our own language together with the value it has.

Rules run over Formulas as they run over arrays. The value makes shapes known to rules that ask for them, and makes
every printed formula checkable: evaluating the tree gives the value.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from types import EllipsisType
from typing import Any

import numpy as np

from gradcli.engine.checks.shapes import broadcast_shapes
from gradcli.engine.operators import Arithmetic
from gradcli.language.literals import is_round
from gradcli.language.tree import (
    Argument,
    Attribute,
    Binary,
    Call,
    Compare,
    Expression,
    List,
    Literal,
    Name,
    Number,
    Slice,
    Tuple,
    Unary,
)


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


Notation = Callable[[Sequence[Formula], dict[str, Any]], Expression]


def call(name: str, forward: Callable[..., Any]) -> Notation:
    """Write `name(x, y, option=value)`; options at the default of `forward` are left out."""

    def write(operands: Sequence[Formula], options: dict[str, Any]) -> Expression:
        defaults = getattr(forward, "__kwdefaults__", None) or {}
        named = [(k, v) for k, v in options.items() if not (k in defaults and defaults[k] == v)]
        arguments = [Argument(x.tree) for x in operands] + [Argument(literal(v), k) for k, v in named]
        return Call(name, tuple(arguments))

    return write


def part(name: str, of: str, forward: Callable[..., Any]) -> Notation:
    """Write one result of several: `max(x, dim=1).values`, `svd(A).S`."""
    write = call(of, forward)
    return lambda operands, options: Attribute(write(operands[:1], options), name)


def positional(name: str) -> Notation:
    """Write `name(x, value)`: the options follow the operands without their names (`reshape(x, (3, 2))`)."""

    def write(operands: Sequence[Formula], options: dict[str, Any]) -> Expression:
        arguments = [*(x.tree for x in operands), *map(literal, options.values())]
        return Call(name, tuple(map(Argument, arguments)))

    return write


def infix(operator: str) -> Notation:
    return lambda operands, _: Binary(operator, operands[0].tree, operands[1].tree)


def comparison(operator: str) -> Notation:
    return lambda operands, _: Compare(operator, operands[0].tree, operands[1].tree)


def prefix(operator: str) -> Notation:
    return lambda operands, _: Unary(operator, operands[0].tree)


def attribute(name: str) -> Notation:
    return lambda operands, _: Attribute(operands[0].tree, name)


def literal(value: Any) -> Expression:
    """Write a plain value: a number, a list, a tuple, a slice, a word."""
    if isinstance(value, np.ndarray | np.generic):
        if not value.size and value.shape[: value.shape.index(0) + 1] != value.shape:  # of [] nobody knows the rest
            return Call("zeros", (Argument(literal(value.shape)),))
        value = value.tolist()
    if value is None or isinstance(value, bool | str | EllipsisType):
        return Literal(value)
    if isinstance(value, int | float):
        return number(value)
    if isinstance(value, slice):
        start, stop, step = (None if part is None else literal(part) for part in (value.start, value.stop, value.step))
        return Slice(start, stop, step)
    return (List if isinstance(value, list) else Tuple)(tuple(map(literal, value)))


def number(value: float) -> Expression:
    """Write a number: signs are operators, whole floats lose their `.0`, numpy's numbers their type."""
    value = value.item() if isinstance(value, np.generic) else value
    if value != value:
        return Name("nan")
    if value < 0 or (value == 0 and np.signbit(value)):
        return Unary("-", number(-value))
    if value == float("inf"):
        return Name("inf")
    if isinstance(value, float) and value.is_integer() and value < 1e15 and not is_round(value):
        return Number(int(value))
    return Number(value.real)


DEFAULTS: dict[str, Any] = {
    "weight": 1,
    "pos_weight": 1,
    "bias": 0,
    "reduction": "mean",
    "beta": 1,
    "delta": 1,
    "ignore_index": -100,
    "stride": 1,
    "padding": 0,
    "output_padding": 0,
    "dilation": 1,
    "groups": 1,
    "eps": 1e-5,
    "training": False,
    "ceil_mode": False,
    "count_include_pad": True,
    "divisor_override": None,
}


def named(given: Mapping[str, Any], **defaults: Any) -> Iterator[Argument]:
    """Yield options and operands that are not at their defaults by name; one number for sizes that are all equal."""
    for name, value in given.items():
        short = value[0] if isinstance(value, tuple) and len(set(value)) == 1 else value
        if (short.number if isinstance(short, Formula) else short) != {**DEFAULTS, **defaults}[name]:
            yield Argument(short.tree if isinstance(short, Formula) else literal(short), name)


def as_formula(value: Any) -> Formula:
    """Return a plain number or array as a formula."""
    return Formula(literal(value), value, max(1, int(np.size(value))))
