"""The identities as trees, each read when it is first needed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache, lru_cache
from typing import Literal, NamedTuple

from gradcli.language.parser import parse_expression
from gradcli.language.simplify.facts.identities import TABLE, Identity
from gradcli.language.tree import Attribute, Binary, Call, Compare, Expression, Unary, postorder
from gradcli.source import Source

CALLED = re.compile(r"\w+(?=\()|\.T|@|>")

Kind = Literal["call", "product", "sum"]


class Rule(NamedTuple):
    """An identity as trees.

    `parts` are the terms of a sum with their signs, or the factors of a product with their exponents; `calls` are the
    calls in the pattern, by one of which the letters are found.
    """

    identity: Identity
    kind: Kind
    pattern: Expression
    result: Expression
    parts: tuple[tuple[Expression, int], ...]
    calls: tuple[Call, ...]

    @property
    def is_exponential(self) -> bool:
        return all(call.function == "exp" for call in self.calls)


@cache
def rule(identity: Identity) -> Rule:
    pattern, result = (parse_expression(Source(text)) for text in (identity.pattern, identity.result))
    calls = tuple(dict.fromkeys(node for node in postorder(pattern) if isinstance(node, Call)))
    if head(pattern):
        return Rule(identity, "call", pattern, result, (), calls)
    if isinstance(pattern, Binary) and pattern.operator in ("+", "-"):
        return Rule(identity, "sum", pattern, result, tuple((term, 1) for term in _terms(pattern)), calls)
    return Rule(identity, "product", pattern, result, tuple(_factors(pattern)), calls)


@cache
def call_rules(name: str) -> tuple[Rule, ...]:
    """Return the identities of one call of this function."""
    found = [rule(identity) for identity in TABLE if name in heads(identity.pattern)]
    return tuple(one for one in found if head(one.pattern) == name)


@lru_cache(maxsize=256)
def rules_of(kind: Kind, present: frozenset[str], taught: bool = False) -> tuple[Rule, ...]:
    """Return the identities of a kind whose functions are all there."""
    found = [rule(identity) for identity in TABLE if heads(identity.pattern) <= present]
    found = [one for one in found if one.identity.is_taught is taught]
    return tuple(one for one in found if one.kind == kind)


@cache
def heads(pattern: str) -> frozenset[str]:
    """Return the functions that a pattern mentions."""
    return frozenset(CALLED.findall(pattern))


def head(tree: Expression) -> str:
    """The name of the function that a tree calls, as `Function` bases have it; empty for another tree."""
    match tree:
        case Call():
            return tree.function
        case Attribute(name="T"):
            return ".T"
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
