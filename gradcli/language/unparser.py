"""From syntax tree to text, with the least parentheses: parse(unparse(tree)) == tree.

The walk keeps its own stack and collects pieces, so a tree of any depth takes linear time.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from enum import IntEnum
from types import EllipsisType

from gradcli.language.literals import spelled, writable
from gradcli.language.tree import (
    Argument,
    Attribute,
    Binary,
    Call,
    Compare,
    Expression,
    Index,
    List,
    Literal,
    Method,
    Name,
    Number,
    Slice,
    Statement,
    Tuple,
    Unary,
)


class Precedence(IntEnum):
    """The levels of the grammar, loosest first."""

    COMPARISON = 1
    SUM = 2
    PRODUCT = 3
    SIGNED = 4
    POWER = 5
    PRIMARY = 6


_BINARY = {"+": Precedence.SUM, "-": Precedence.SUM, "**": Precedence.POWER} | dict.fromkeys(
    ("*", "/", "//", "%", "@", "⊙"), Precedence.PRODUCT
)
_LEVELS: dict[type, Precedence] = {Compare: Precedence.COMPARISON, Unary: Precedence.SIGNED}
_SPACED = frozenset("+-@⊙")
_CLEARER = {
    "@": "/*⊙",
    "⊙": "@",
    "*": "@",
    "/": "@",
    "//": "@",
    "%": "@",
}  # left operands in parentheses: `A @ B*c` and `A*B @ C` mislead the eye

Piece = str | tuple[Expression, int]  # a text, or an expression with the loosest level that may stand there


def precedence(node: Expression) -> Precedence:
    """The level at which an expression stands without parentheses."""
    kind = type(node)
    if kind is Binary:
        return _BINARY[node.operator]  # type: ignore[attr-defined]
    if kind is Number:  # no program has a negative one, but a computed tree may
        value = node.value  # type: ignore[attr-defined]
        return Precedence.PRIMARY if value > 0 or _number(value)[0] != "-" else Precedence.SIGNED
    return _LEVELS.get(kind, Precedence.PRIMARY)


def unparse(tree: Expression, *, multiply: str = "*", rename: Mapping[str, str] | None = None) -> str:
    """The text of an expression, with `multiply` for `*`; `rename` gives some names another spelling."""
    text: list[str] = []
    stack: list[Piece] = [(tree, Precedence.COMPARISON)]
    while stack:
        piece = stack.pop()
        if isinstance(piece, str):
            text.append(piece)
            continue
        node, loosest = piece
        if isinstance(node, Name):
            text.append(rename.get(node.id, node.id) if rename else node.id)
            continue
        is_product = isinstance(node, Binary) and node.operator == "*"
        pieces = _binary(node, multiply) if is_product else _pieces(node)  # type: ignore[arg-type]
        if precedence(node) < loosest:
            stack.append(")")
            stack.extend(reversed(pieces))
            stack.append("(")
        else:
            stack.extend(reversed(pieces))
    return "".join(text)


def unparse_statement(statement: Statement, *, multiply: str = "*") -> str:
    """The text of a statement, `target = value`."""
    value = unparse(statement.value, multiply=multiply)
    return value if statement.target is None else f"{statement.target} = {value}"


def _pieces(node: Expression) -> Sequence[Piece]:
    match node:
        case Number():
            return (_number(node.value),)
        case Binary():
            return _binary(node, node.operator)
        case Unary():
            return (node.operator, (node.operand, Precedence.SIGNED))
        case Literal():
            return [_literal(node.value)]
        case Compare():
            return [(node.left, Precedence.SUM), f" {node.operator} ", (node.right, Precedence.SUM)]
        case Call():
            return [f"{node.function}(", *_arguments(node.arguments), ")"]
        case Method():
            return [*_receiver(node.receiver), f".{node.name}(", *_arguments(node.arguments), ")"]
        case Attribute():
            return [*_receiver(node.value), f".{node.name}"]
        case Index():
            return [(node.value, Precedence.PRIMARY), "[", *_items(node.items), "]"]
        case Slice():
            return _slice(node)
        case List():
            return ["[", *_items(node.items), "]"]
        case Tuple():
            return ["(", *_items(node.items), ",)" if len(node.items) == 1 else ")"]
    raise TypeError(f"not an expression: {type(node).__name__}")


def _binary(node: Binary, operator: str) -> Sequence[Piece]:
    sign = f" {operator} " if node.operator in _SPACED else operator
    if node.operator == "**":  # groups to the right, and takes a sign there: 2**-x
        return (node.left, Precedence.PRIMARY), sign, (node.right, Precedence.SIGNED)
    level = int(_BINARY[node.operator])
    is_loose = isinstance(node.left, Binary) and node.left.operator in _CLEARER.get(node.operator, ())
    is_loose = is_loose and not (node.operator == "@" and _is_multiple(node.left))
    return (node.left, level + is_loose), sign, (node.right, level + 1)


def _is_multiple(tree: Expression) -> bool:
    """Whether a product is a number times something: `2/n*A @ B` is the same either way."""
    match tree:
        case Binary("*", Number() | Unary("-", Number()) | Binary("/", Number(), Name() | Number()), _):
            return True
    return False


def _receiver(value: Expression) -> Iterator[Piece]:
    """Yield the part before a dot: `2.T` would begin with the number `2.`, so an integer takes parentheses."""
    if isinstance(value, Number) and isinstance(value.value, int) and value.value >= 0:
        yield f"({value.value})"
    else:
        yield (value, Precedence.PRIMARY)


def _arguments(arguments: Sequence[Argument]) -> Iterator[Piece]:
    for position, argument in enumerate(arguments):
        if position:
            yield ", "
        if argument.keyword is not None:
            yield f"{argument.keyword}="
        yield (argument.value, Precedence.COMPARISON)


def _items(items: Sequence[Expression]) -> Iterator[Piece]:
    for position, item in enumerate(items):
        if position:
            yield ", "
        yield (item, Precedence.COMPARISON)


def _slice(node: Slice) -> list[Piece]:
    bounds = (node.start, node.stop) if node.step is None else (node.start, node.stop, node.step)
    pieces: list[Piece] = []
    for position, bound in enumerate(bounds):
        if position:
            pieces.append(":")
        if bound is not None:
            pieces.append((bound, Precedence.COMPARISON))
    return pieces


def _number(value: int | float) -> str:
    return spelled(writable(value))


def _literal(value: bool | str | EllipsisType | None) -> str:
    if isinstance(value, str):
        quote = '"' if "'" in value and '"' not in value else "'"
        escaped = value.replace("\\", "\\\\").replace("\n", "\\n").replace(quote, "\\" + quote)
        return f"{quote}{escaped}{quote}"
    return "..." if value is ... else repr(value)
