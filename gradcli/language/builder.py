"""Builds the syntax tree while the parser reads: one callback for each token and each rule of the grammar.

A token callback runs when the parser accepts the token, a rule callback when the rule is complete, so the tree grows
bottom-up and no depth of nesting needs a deep stack.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from gradcli.errors import ProgramSyntaxError
from gradcli.language.literals import CONSTANTS, read_number, read_string, read_superscript
from gradcli.language.names import read_name, readable_length
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
from gradcli.source import Span

if TYPE_CHECKING:
    from lark import Token

OPERATORS = {o: o for o in ("+", "-", "*", "/", "//", "%", "@", "**", "<", "<=", ">", ">=", "==", "!=")} | {
    "−": "-", "·": "*", "\u0387": "*", "⋅": "*", "×": "*", "⊙": "*", "^": "**", "≤": "<=", "≥": ">=", "≠": "!=",
}  # fmt: skip

# A student pastes torch code: `torch.sigmoid(x)` is `sigmoid(x)`.
MODULES = frozenset(["torch", "torch.nn.functional", "nn.functional", "F", "np", "numpy", "math"])


class UnreadableError(Exception):
    """A token that the grammar lets through and that means nothing; `offset` is where it goes wrong."""

    def __init__(self, offset: int) -> None:
        super().__init__(offset)
        self.offset = offset


class Keyword(NamedTuple):
    """`name=value` among the arguments of a call."""

    name: Name
    value: Expression


def _spanned(first: Expression, last: Expression) -> Span:
    return Span(first.span.start, last.span.end)


class Builder:
    """Lark looks the callbacks up by name: tokens in capitals, rules (or their aliases) in small letters."""

    # Tokens. Brackets and colons leave only their place behind.

    def _place(self, token: Token) -> Span:
        return Span(token.start_pos or 0, token.end_pos or 0)

    LPAR = RPAR = LSQB = RSQB = COLON = TRANSPOSE = _place

    def NAME(self, token: Token) -> Name:
        span = self._place(token)
        name = read_name(token.value)
        if name is None:
            length = readable_length(token.value)
            raise UnreadableError(span.start + (length if length < len(token) else 0))
        return Name(name, span)

    def NUMBER(self, token: Token) -> Number | Name:
        span = self._place(token)
        try:
            value = read_number(token.value)
        except ValueError:
            raise UnreadableError(span.start) from None
        return Number(value, span) if math.isfinite(value) else Name("inf", span)  # 1e400, as Python says it

    def STRING(self, token: Token) -> Literal:
        return Literal(read_string(token.value), self._place(token))

    def CONSTANT(self, token: Token) -> Literal:
        return Literal(CONSTANTS[token.value], self._place(token))

    def SUPERSCRIPT(self, token: Token) -> Expression:
        span = self._place(token)
        try:
            exponent = Number(read_superscript(token.value.lstrip("⁻")), span)
        except ValueError:
            raise UnreadableError(span.start) from None
        return Unary("-", exponent, span) if token.value.startswith("⁻") else exponent

    # Statements.

    def program(self, statements: list[Statement]) -> tuple[Statement, ...]:
        return (*statements,)

    def assignment(self, parts: list[Any]) -> Statement:
        target, value = parts
        return Statement(target.id, value, _spanned(target, value), target.span)

    def bare(self, parts: list[Any]) -> Statement:
        (value,) = parts
        return Statement(None, value, value.span)

    # Operators.

    def compare(self, parts: list[Any]) -> Compare:
        left, operator, right = parts
        return Compare(OPERATORS[operator], left, right, _spanned(left, right))

    def binary(self, parts: list[Any]) -> Binary:
        left, operator, right = parts
        return Binary(OPERATORS[operator], left, right, _spanned(left, right))

    def unary(self, parts: list[Any]) -> Unary:
        operator, operand = parts
        return Unary(OPERATORS[operator], operand, Span(operator.start_pos, operand.span.end))

    def superscript(self, parts: list[Any]) -> Binary:
        base, exponent = parts
        return Binary("**", base, exponent, _spanned(base, exponent))

    # Names with something after them.

    def call(self, parts: list[Any]) -> Call:
        name, _, *arguments, closer = parts
        return Call(name.id, _arguments(arguments), Span(name.span.start, closer.end), name.span)

    def keyword(self, parts: list[Any]) -> Keyword:
        return Keyword(*parts)

    def method(self, parts: list[Any]) -> Call | Method:
        receiver, name, _, *arguments_read, closer = parts
        span = Span(receiver.span.start, closer.end)
        arguments = _arguments(arguments_read)
        # `F.sum()` has no input: there `F` is the user's own matrix.
        has_input = any(argument.keyword in (None, "input") for argument in arguments)
        if has_input and _dotted(receiver) in MODULES:
            return Call(name.id, arguments, span, name.span)
        return Method(receiver, name.id, arguments, span, name.span)

    def attribute(self, parts: list[Any]) -> Expression:
        value, name = parts
        if name.id == "pi" and _dotted(value) in MODULES:
            return Name(name.id, _spanned(value, name))
        return Attribute(value, name.id, _spanned(value, name), name.span)

    def transpose(self, parts: list[Any]) -> Attribute:
        value, mark = parts
        return Attribute(value, "T", Span(value.span.start, mark.end), mark)

    def index(self, parts: list[Any]) -> Index:
        value, _, *items, closer = parts
        return Index(value, tuple(items), Span(value.span.start, closer.end))

    def slice(self, parts: list[Any]) -> Slice:
        bounds: list[Expression | None] = [None]
        for bound in parts:
            if isinstance(bound, Expression):
                bounds[-1] = bound
            else:  # a colon
                bounds.append(None)
        start, stop, step = (*bounds, None)[:3]
        opener, closer = (bound.span if isinstance(bound, Expression) else bound for bound in (parts[0], parts[-1]))
        return Slice(start, stop, step, Span(opener.start, closer.end))

    # Brackets.

    def group(self, parts: list[Any]) -> Any:
        opener, value, closer = parts
        return replace(value, span=Span(opener.start, closer.end))

    def tuple(self, parts: list[Any]) -> Tuple:
        opener, *items, closer = parts
        return Tuple((*items,), Span(opener.start, closer.end))

    def list(self, parts: Any) -> List:
        opener, *items, closer = parts
        return List((*items,), Span(opener.start, closer.end))


def _dotted(value: Expression) -> str:
    """`torch.nn.functional` of the tree that stands for it; empty for anything but names and dots."""
    parts: list[str] = []
    while isinstance(value, Attribute):
        parts.append(value.name)
        value = value.value
    return ".".join([value.id, *reversed(parts)]) if isinstance(value, Name) else ""


def _arguments(arguments_read: list[Expression | Keyword]) -> tuple[Argument, ...]:
    """The arguments of a call; as in Python, the positional ones come first and a keyword comes once."""
    arguments: list[Argument] = []
    keywords: dict[str, Keyword] = {}
    for argument in arguments_read:
        if isinstance(argument, Keyword):
            name, value = argument
            if name.id in keywords:
                raise ProgramSyntaxError(
                    "E113",
                    f"the argument '{name.id}' is given twice",
                    span=name.span,
                    label="a second value",
                    help=f"keep one '{name.id}='",
                )
            keywords[name.id] = argument
            arguments.append(Argument(value, name.id))
        elif keywords:
            last_keyword = next(reversed(keywords))
            raise ProgramSyntaxError(
                "E113",
                f"a positional argument follows the keyword argument '{last_keyword}'",
                span=argument.span,
                label="expected 'name=' before it",
                help=f"put it before '{last_keyword}='; to compare, type '{last_keyword} == ...'",
            )
        else:
            arguments.append(Argument(argument))
    return tuple(arguments)
