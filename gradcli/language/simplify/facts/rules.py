"""The identities as trees, each read when it is first needed."""

from __future__ import annotations

import ast
import re
import typing
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from typing import NamedTuple

from gradcli.language.simplify.facts.identities import LETTERS, TABLE, Identity
from gradcli.language.tree import (
    Argument,
    Attribute,
    Binary,
    Call,
    Compare,
    Expression,
    Literal,
    Name,
    Number,
    Unary,
    children,
    names,
    postorder,
)

CALLED = re.compile(r"\w+(?=\()|\.m?T|@|>")

Kind = typing.Literal["call", "product", "sum"]


class Rule(NamedTuple):
    """An identity as trees.

    `parts` are the terms of a sum with their signs, or the factors of a product with their exponents; `anchors` are the
    calls of each part that tell all letters. `zero` are terms whose sum is 0: those of the pattern, less the result.
    """

    identity: Identity
    kind: Kind
    pattern: Expression
    result: Expression
    parts: tuple[tuple[Expression, int], ...]
    anchors: tuple[Sequence[Call], ...]
    zero: tuple[Expression, ...]
    is_exponential: bool


@cache
def rule(identity: Identity) -> Rule:
    pattern, result = read(identity.pattern), read(identity.result)
    if head(pattern):
        return Rule(identity, "call", pattern, result, (), (), (), False)
    kind: Kind = "sum" if isinstance(pattern, Binary) and pattern.operator in ("+", "-") else "product"
    parts = tuple((x, 1) for x in _terms(pattern)) if kind == "sum" else tuple(_factors(pattern))
    letters = names(pattern) & LETTERS
    found = (outermost(part) for part, _ in parts)
    anchors = (some for some in found if letters <= {name for call in some for name in names(call)})
    zero = (*(part for part, _ in parts), Unary("-", result))
    is_exponential = all(call.function == "exp" for call in calls(pattern))
    return Rule(identity, kind, pattern, result, parts, tuple(anchors), zero, is_exponential)


OPERATORS: dict[type[ast.AST], str] = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.Div: "/",
    ast.Pow: "**",
    ast.MatMult: "@",
    ast.Gt: ">",
    ast.USub: "-",
}


def read(text: str) -> Expression:
    """Return the tree of an identity's text by Python's own parser, which takes a fraction of the grammar's time."""
    return _tree(ast.parse(text, mode="eval").body)


def _tree(node: ast.expr) -> Expression:
    match node:
        case ast.Constant(bool(value)):
            return Literal(value)
        case ast.Constant(int(value) | float(value)):
            return Number(value)
        case ast.Name(name):
            return Name(name)
        case ast.UnaryOp(operator, operand):
            return Unary(OPERATORS[type(operator)], _tree(operand))
        case ast.BinOp(left, operator, right):
            return Binary(OPERATORS[type(operator)], _tree(left), _tree(right))
        case ast.Compare(left, [operator], [right]):
            return Compare(OPERATORS[type(operator)], _tree(left), _tree(right))
        case ast.Attribute(receiver, name):
            return Attribute(_tree(receiver), name)
        case ast.Call(ast.Name(name), given, named):
            pairs = [*((x, None) for x in given), *((x.value, x.arg) for x in named)]
            return Call(name, tuple(Argument(_tree(x), keyword) for x, keyword in pairs))
    raise ValueError(f"no identity has {ast.unparse(node)}")


def calls(tree: Expression) -> list[Call]:
    """Return the calls in a pattern, inner ones first."""
    return [node for node in postorder(tree) if isinstance(node, Call)]


def outermost(tree: Expression) -> list[Call]:
    """Return the calls in a pattern that stand in no other call."""
    inside = {id(node) for call in calls(tree) for part in children(call) for node in postorder(part)}
    return [call for call in calls(tree) if id(call) not in inside]


@cache
def call_rules(name: str) -> tuple[Rule, ...]:
    """Return the identities of one call of this function."""
    own = re.compile(rf"{name}\(" if name.isidentifier() else "")
    found = [rule(one) for one in TABLE if own.match(one.pattern) and name in heads(one.pattern)]
    return tuple(one for one in found if head(one.pattern) == name)


@lru_cache(maxsize=256)
def rules_of(kind: Kind, present: frozenset[str], taught: bool = False) -> tuple[Rule, ...]:
    """Return the identities of a product whose functions are all there, or of a sum some of whose functions are."""
    found = (rule(identity) for identity in TABLE if identity.is_taught is taught and heads(identity.pattern) & present)
    return tuple(one for one in found if one.kind == kind and (kind == "sum" or heads(one.identity.pattern) <= present))


@cache
def heads(pattern: str) -> frozenset[str]:
    """Return the functions that a pattern mentions."""
    return frozenset(CALLED.findall(pattern))


def head(tree: Expression) -> str:
    """The name of the function that a tree calls, as `Function` bases have it; empty for another tree."""
    match tree:
        case Call():
            return tree.function
        case Attribute(name="T" | "mT"):
            return f".{tree.name}"
        case Compare() | Binary(operator="@"):
            return tree.operator
    return ""


def _terms(tree: Expression) -> Iterator[Expression]:
    """Yield the terms of a sum, with their signs."""
    if isinstance(tree, Binary) and tree.operator in ("+", "-"):
        yield from _terms(tree.left)
        yield tree.right if tree.operator == "+" else Unary("-", tree.right)
    else:
        yield tree


def _factors(tree: Expression) -> Iterator[tuple[Expression, int]]:
    """Yield the factors of a product or quotient with their exponents, 1 or -1."""
    if isinstance(tree, Binary) and tree.operator in ("*", "/"):
        yield from _factors(tree.left)
        yield from ((part, e if tree.operator == "*" else -e) for part, e in _factors(tree.right))
    else:
        yield tree, 1
