"""Displays and f-strings: lists, tuples, sets, dicts, and text with values in it."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import Any

from gradcli.script.python.syntax.compiler import Closure, Unit, compile_node, compiles
from gradcli.script.python.syntax.scopes import Env, Scope
from gradcli.script.python.text.formatting import format_field
from gradcli.script.python.values.nesting import hashable, hashables
from gradcli.script.python.values.operators import bounded_iterable
from gradcli.script.python.values.places import Place, note_place


def several(nodes: list[ast.expr], scope: Scope, unit: Unit) -> Closure:
    """The values of a display or of arguments as a list; starred ones are spread out."""
    if not any(isinstance(item, ast.Starred) for item in nodes):
        items = [compile_node(item, scope, unit) for item in nodes]
        return lambda env: [item(env) for item in items]
    parts = [
        (
            isinstance(item, ast.Starred),
            compile_node(item.value if isinstance(item, ast.Starred) else item, scope, unit),
        )
        for item in nodes
    ]
    places, budget = [Place(item, unit.source) for item in nodes], unit.machine.budget

    def evaluate(env: Env) -> list[Any]:
        values: list[Any] = []
        for (starred, item), place in zip(parts, places, strict=True):
            value = item(env)
            try:
                if starred:
                    values.extend(bounded_iterable(_iterable(value)))
                    budget.fits(len(values), "this list")
                else:
                    values.append(value)
            except Exception as error:
                note_place(error, place)
                raise
        return values

    return evaluate


def _iterable(value: Any) -> Any:
    if not hasattr(type(value), "__iter__") and not hasattr(type(value), "__getitem__"):
        raise TypeError(f"Value after * must be an iterable, not {type(value).__name__}")
    return iter(value)


@compiles(ast.List)
def list_of(node: ast.List, scope: Scope, unit: Unit) -> Closure:
    return several(node.elts, scope, unit)


@compiles(ast.Tuple)
def tuple_of(node: ast.Tuple, scope: Scope, unit: Unit) -> Closure:
    if len(node.elts) == 2 and not any(isinstance(item, ast.Starred) for item in node.elts):
        first, second = (compile_node(item, scope, unit) for item in node.elts)
        return lambda env: (first(env), second(env))
    items = several(node.elts, scope, unit)
    return lambda env: tuple(items(env))


@compiles(ast.Set)
def set_of(node: ast.Set, scope: Scope, unit: Unit) -> Closure:
    items = several(node.elts, scope, unit)
    return lambda env: set(hashables(items(env)))


@compiles(ast.Dict)
def dict_of(node: ast.Dict, scope: Scope, unit: Unit) -> Closure:
    pairs = [
        (None if key is None else compile_node(key, scope, unit), compile_node(value, scope, unit))
        for key, value in zip(node.keys, node.values, strict=True)
    ]

    def evaluate(env: Env) -> dict[Any, Any]:
        items: dict[Any, Any] = {}
        for key, value in pairs:
            if key is None:
                more = value(env)
                if not isinstance(more, Mapping):
                    raise TypeError(f"{type(more).__name__!r} object is not a mapping")
                items.update(more)
            else:
                hashable_key = hashable(key(env))
                items[hashable_key] = value(env)
        return items

    return evaluate


@compiles(ast.JoinedStr)
def joined(node: ast.JoinedStr, scope: Scope, unit: Unit) -> Closure:
    parts = [compile_node(value, scope, unit) for value in node.values]
    budget = unit.machine.budget

    def evaluate(env: Env) -> str:
        joined_text = "".join([part(env) for part in parts])
        if len(joined_text) > 2**16:
            budget.fits(len(joined_text), "the text")
        return joined_text

    return evaluate


@compiles(ast.FormattedValue)
def field(node: ast.FormattedValue, scope: Scope, unit: Unit) -> Closure:
    value, place = compile_node(node.value, scope, unit), Place(node.value, unit.source)
    spec = compile_node(node.format_spec, scope, unit) if node.format_spec else None
    conversion = chr(node.conversion) if node.conversion > 0 else ""

    def evaluate(env: Env) -> str:
        x = value(env)
        try:
            if spec is None and not conversion and (type(x) is int or type(x) is float):
                return str(x)
            return format_field(x, "" if spec is None else spec(env), conversion)
        except Exception as error:
            note_place(error, place)
            raise

    return evaluate
