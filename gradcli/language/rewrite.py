"""New trees from old: the same node over other children, names replaced."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from gradcli.language.tree import (
    Argument,
    Attribute,
    Binary,
    Call,
    Compare,
    Expression,
    Index,
    List,
    Method,
    Name,
    Number,
    Slice,
    Tuple,
    Unary,
    fold,
)

ONE = Number(1)
MINUS_ONE = Unary("-", ONE)


def with_children(node: Expression, parts: Sequence[Expression]) -> Expression:
    """The node with `parts` in the places of its children, which they match one to one."""
    match node:
        case Binary() | Compare():
            return type(node)(node.operator, parts[0], parts[1], node.span)
        case Unary():
            return Unary(node.operator, parts[0], node.span)
        case Call():
            return replace(node, arguments=_arguments(node.arguments, parts))
        case Method():
            return replace(node, receiver=parts[0], arguments=_arguments(node.arguments, parts[1:]))
        case Attribute():
            return replace(node, value=parts[0])
        case Index():
            return replace(node, value=parts[0], items=tuple(parts[1:]))
        case List() | Tuple():
            return replace(node, items=tuple(parts))
        case Slice():
            rest = iter(parts)
            start, stop, step = (next(rest) if x is not None else None for x in (node.start, node.stop, node.step))
            return replace(node, start=start, stop=stop, step=step)
    return node


def _arguments(arguments: Sequence[Argument], values: Sequence[Expression]) -> tuple[Argument, ...]:
    return tuple(Argument(value, argument.keyword) for argument, value in zip(arguments, values, strict=True))


def without_ones(tree: Expression) -> Expression:
    """The tree with factors of 1 left out: `1*x` is written `x`, `-1*x` is written `-x`."""

    def combine(node: Expression, parts: Sequence[Expression]) -> Expression:
        if isinstance(node, Binary) and node.operator == "*":
            left, right = parts
            if left in (ONE, MINUS_ONE):
                return right if left == ONE else Unary("-", right)
            if right == ONE:
                return left
        return with_children(node, parts)

    return fold(tree, combine)


def substitute(tree: Expression, names: Mapping[str, Expression]) -> Expression:
    """The tree with names replaced by expressions."""

    def combine(node: Expression, parts: Sequence[Expression]) -> Expression:
        if isinstance(node, Name):
            return names.get(node.id, node)
        return with_children(node, parts)

    return fold(tree, combine)


def replaced(tree: Expression, subtree: Expression, by: Expression) -> Expression:
    """The tree with another expression in the places of a part."""
    return fold(tree, lambda node, parts: by if node == subtree else with_children(node, parts))
