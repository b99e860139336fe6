"""Displays and f-strings: lists, tuples, sets, dicts, and text with values in it."""

from __future__ import annotations

import ast
from typing import Any

from gradcli.script.python.compiler import Closure, Unit, compiled, compiles
from gradcli.script.python.formatting import formatted
from gradcli.script.python.operators import bounded
from gradcli.script.python.places import Place, placed
from gradcli.script.python.scopes import Env, Scope


def several(nodes: list[ast.expr], scope: Scope, unit: Unit) -> Closure:
    """The values of a display or of arguments as a list; starred ones are spread out."""
    if not any(isinstance(item, ast.Starred) for item in nodes):
        items = [compiled(item, scope, unit) for item in nodes]
        return lambda env: [item(env) for item in items]
    parts = [
        (isinstance(item, ast.Starred), compiled(item.value if isinstance(item, ast.Starred) else item, scope, unit))
        for item in nodes
    ]

    def evaluate(env: Env) -> list[Any]:
        found: list[Any] = []
        for starred, item in parts:
            if starred:
                found.extend(bounded(item(env)))
            else:
                found.append(item(env))
        return found

    return evaluate


@compiles(ast.List)
def list_of(node: ast.List, scope: Scope, unit: Unit) -> Closure:
    return several(node.elts, scope, unit)


@compiles(ast.Tuple)
def tuple_of(node: ast.Tuple, scope: Scope, unit: Unit) -> Closure:
    items = several(node.elts, scope, unit)
    return lambda env: tuple(items(env))


@compiles(ast.Set)
def set_of(node: ast.Set, scope: Scope, unit: Unit) -> Closure:
    items = several(node.elts, scope, unit)
    return lambda env: set(items(env))


@compiles(ast.Dict)
def dict_of(node: ast.Dict, scope: Scope, unit: Unit) -> Closure:
    pairs = [
        (None if key is None else compiled(key, scope, unit), compiled(value, scope, unit))
        for key, value in zip(node.keys, node.values, strict=True)
    ]

    def evaluate(env: Env) -> dict[Any, Any]:
        found: dict[Any, Any] = {}
        for key, value in pairs:
            if key is None:
                found.update(value(env))
            else:
                found[key(env)] = value(env)
        return found

    return evaluate


@compiles(ast.JoinedStr)
def joined(node: ast.JoinedStr, scope: Scope, unit: Unit) -> Closure:
    parts = [compiled(value, scope, unit) for value in node.values]
    budget = unit.machine.budget

    def evaluate(env: Env) -> str:
        texts = [part(env) for part in parts]
        budget.fits(sum(map(len, texts)), "the text")
        return "".join(texts)

    return evaluate


@compiles(ast.FormattedValue)
def field(node: ast.FormattedValue, scope: Scope, unit: Unit) -> Closure:
    value, place = compiled(node.value, scope, unit), Place(node.value, unit.source)
    spec = compiled(node.format_spec, scope, unit) if node.format_spec else (lambda env: "")
    conversion = chr(node.conversion) if node.conversion > 0 else ""

    def evaluate(env: Env) -> str:
        x, written = value(env), spec(env)
        try:
            return formatted(x, written, conversion)
        except Exception as error:
            placed(error, place)
            raise

    return evaluate
