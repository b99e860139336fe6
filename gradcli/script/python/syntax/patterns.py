"""The match statement, with patterns of values, names, sequences, mappings and classes."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from typing import Any

from gradcli.script.python.syntax.compiler import Closure, Unit, compile_node, compiles, refusal
from gradcli.script.python.syntax.expressions import truth_of
from gradcli.script.python.syntax.names import store_name
from gradcli.script.python.syntax.scopes import Env, Scope
from gradcli.script.python.syntax.statements import block
from gradcli.script.python.values.attributes import attribute
from gradcli.script.python.values.comparing import equal
from gradcli.script.python.values.kinds import BuiltinType, python_isinstance
from gradcli.script.python.values.nesting import hashable
from gradcli.script.python.values.special import exact

Pattern = Callable[[Env, Any], bool]
SELF = (bool, float, frozenset, int, list, set, str, tuple, dict)  # `int(x)` gives the whole value to x


@compiles(ast.Match)
def compile_match(node: ast.Match, scope: Scope, unit: Unit) -> Closure:
    subject = compile_node(node.subject, scope, unit)
    cases = [
        (
            pattern(case.pattern, scope, unit),
            truth_of(case.guard, scope, unit) if case.guard else None,
            block(case.body, scope, unit),
        )
        for case in node.cases
    ]

    def run(env: Env) -> object:
        value = subject(env)
        for matches, guard, body in cases:
            if matches(env, value) and (guard is None or guard(env)):
                return body(env)
        return None

    return run


def pattern(node: ast.pattern, scope: Scope, unit: Unit) -> Pattern:
    """Whether a value fits, with the names in it bound."""
    match node:
        case ast.MatchValue(value=value):
            expected = compile_node(value, scope, unit)
            return lambda env, x: bool(equal(x, expected(env)))
        case ast.MatchSingleton(value=value):
            return lambda env, x: x is value
        case ast.MatchOr(patterns=patterns):
            choices = [pattern(choice, scope, unit) for choice in patterns]
            return lambda env, x: any(choice(env, x) for choice in choices)
        case ast.MatchAs(pattern=inner, name=name):
            return _named(pattern(inner, scope, unit) if inner else None, name, scope, unit)
        case ast.MatchSequence(patterns=patterns):
            return _sequence(patterns, scope, unit)
        case ast.MatchMapping():
            return _mapping(node, scope, unit)
        case ast.MatchClass():
            return _class(node, scope, unit)
    raise refusal(node, unit, "this pattern is not supported", "write if and elif")


def _named(inner: Pattern | None, name: str | None, scope: Scope, unit: Unit) -> Pattern:
    store = store_name(name, scope, unit) if name else None

    def matches(env: Env, x: Any) -> bool:
        if inner is not None and not inner(env, x):
            return False
        if store is not None:
            store(env, x)
        return True

    return matches


def _sequence(nodes: list[ast.pattern], scope: Scope, unit: Unit) -> Pattern:
    stars = [place for place, node in enumerate(nodes) if isinstance(node, ast.MatchStar)]
    star = stars[0] if stars else len(nodes)
    first = [pattern(node, scope, unit) for node in nodes[:star]]
    last = [pattern(node, scope, unit) for node in nodes[star + 1 :]]
    rest = _named(None, getattr(nodes[star], "name", None), scope, unit) if stars else None

    def matches(env: Env, x: Any) -> bool:
        if not isinstance(x, list | tuple) or len(x) < len(first) + len(last):
            return False
        if rest is None and len(x) != len(first):
            return False
        end = len(x) - len(last)
        if not all(part(env, item) for part, item in zip(first, x[: len(first)], strict=True)):
            return False
        if rest is not None:
            rest(env, list(x[star:end]))
        return all(part(env, item) for part, item in zip(last, x[end:], strict=rest is not None))

    return matches


def _mapping(node: ast.MatchMapping, scope: Scope, unit: Unit) -> Pattern:
    """Compile a pattern of keys, with patterns for their values; the rest of the mapping has a name or none."""
    keys = [compile_node(key, scope, unit) for key in node.keys]
    inner = [pattern(part, scope, unit) for part in node.patterns]
    rest = store_name(node.rest, scope, unit) if node.rest else None

    def matches(env: Env, x: Any) -> bool:
        if not isinstance(x, Mapping):
            return False
        wanted = [hashable(key(env)) for key in keys]
        if not all(key in x for key in wanted):
            return False
        if not all(part(env, x[key]) for key, part in zip(wanted, inner, strict=True)):
            return False
        if rest is not None:
            rest(env, {key: item for key, item in x.items() if key not in wanted})
        return True

    return matches


def _class(node: ast.MatchClass, scope: Scope, unit: Unit) -> Pattern:
    """Objects of a class, with patterns for their attributes; those without a name are in `__match_args__`."""
    kind = compile_node(node.cls, scope, unit)
    inner = [pattern(part, scope, unit) for part in node.patterns]
    named = [(name, pattern(part, scope, unit)) for name, part in zip(node.kwd_attrs, node.kwd_patterns, strict=True)]

    def matches(env: Env, x: Any) -> bool:
        wanted = kind(env)
        if not python_isinstance(x, wanted):
            return False
        if len(inner) == 1 and isinstance(wanted, BuiltinType) and wanted.python in SELF:
            return inner[0](env, x) and all(_fits(env, x, *attribute_pattern) for attribute_pattern in named)
        parts = [*zip(_positions(wanted, len(inner)), inner, strict=False), *named]
        return all(_fits(env, x, *attribute_pattern) for attribute_pattern in parts)

    return matches


def _positions(kind: Any, count: int) -> tuple[str, ...]:
    """The names that the positions of a class pattern stand for."""
    fields = kind.members.get("_fields", ()) if isinstance(kind, BuiltinType) else getattr(kind, "__match_args__", ())
    if count > len(fields):
        words = f"{len(fields)} positional sub-pattern{'s' * (len(fields) != 1)} ({count} given)"
        raise TypeError(f"{getattr(kind, 'name', '') or kind.__name__}() accepts {words}")
    return tuple(fields)


def _fits(env: Env, x: Any, name: str, part: Pattern) -> bool:
    """Whether an attribute fits; one that is not there does not."""
    try:
        attribute_value = attribute(x, exact(name))
    except AttributeError:
        return False
    return part(env, attribute_value)
