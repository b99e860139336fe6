"""The identities as trees, each read when it is first needed."""

from __future__ import annotations

import ast
import re
import typing
from collections.abc import Iterator, Sequence
from functools import cache, cached_property, lru_cache

from gradcli.facts import dataclass
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


@dataclass(frozen=True)
class Rule:
    """An identity as trees. `parts` are the terms of a sum with their signs, or the factors with their exponents."""

    identity: Identity
    kind: Kind
    pattern: Expression
    parts: tuple[tuple[Expression, int], ...] = ()

    @cached_property
    def result(self) -> Expression:
        return read_pattern(self.identity.result)

    @cached_property
    def anchors(self) -> tuple[Sequence[Call], ...]:
        """The calls of each part in which all letters of the pattern occur."""
        letters = names(self.pattern) & LETTERS
        groups = (outermost(part) for part, _ in self.parts)
        return tuple(group for group in groups if letters <= {name for call in group for name in names(call)})

    @cached_property
    def zero(self) -> tuple[Expression, ...]:
        """Terms whose sum is 0: the terms of the pattern, less the result."""
        return (*(part for part, _ in self.parts), Unary("-", self.result))

    @cached_property
    def is_exponential(self) -> bool:
        return all(call.function == "exp" for call in calls(self.pattern))


@cache
def rule(identity: Identity) -> Rule:
    pattern = read_pattern(identity.pattern)
    if head(pattern):
        return Rule(identity, "call", pattern)
    if isinstance(pattern, Binary) and pattern.operator in ("+", "-"):
        return Rule(identity, "sum", pattern, tuple((x, 1) for x in _terms(pattern)))
    return Rule(identity, "product", pattern, tuple(_factors(pattern)))


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


def read_pattern(text: str) -> Expression:
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
    inside = {id(node) for call in calls(tree) for child in children(call) for node in postorder(child)}
    return [call for call in calls(tree) if id(call) not in inside]


@cache
def call_rules(name: str) -> tuple[Rule, ...]:
    """Return the identities of one call of this function."""
    if name.isidentifier():
        identities = [x for x in TABLE if x.pattern.startswith(f"{name}(")]
    else:
        identities = [x for x in TABLE if name in x.pattern and (name[0] != "." or x.pattern.endswith(name))]
    return tuple(x for x in map(rule, identities) if head(x.pattern) == name)


@lru_cache(maxsize=256)
def rules_of(kind: Kind, present: frozenset[str], taught: bool = False) -> tuple[Rule, ...]:
    """Return the identities of a product whose functions are all there, or of a sum some of whose functions are."""
    candidates = [x for x in TABLE if x.is_taught is taught and any(name in x.pattern for name in present)]
    identities = [x for x in candidates if heads(x.pattern) & present]
    if kind == "product":
        identities = [identity for identity in identities if heads(identity.pattern) <= present]
    return tuple(identity for identity in map(rule, identities) if identity.kind == kind)


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
        yield from ((factor, e if tree.operator == "*" else -e) for factor, e in _factors(tree.right))
    else:
        yield tree, 1
