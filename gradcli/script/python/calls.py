"""Calls: the function, its arguments, and the place of what goes wrong in them."""

from __future__ import annotations

import ast
from typing import Any

from gradcli.script.python.attributes import attribute, method_of
from gradcli.script.python.compiler import Closure, Unit, compiled, compiles, refusal
from gradcli.script.python.displays import several
from gradcli.script.python.places import Place, called_from, placed
from gradcli.script.python.scopes import CLASS, OUTER, Env, Scope


@compiles(ast.Call)
def call(node: ast.Call, scope: Scope, unit: Unit) -> Closure:
    if isinstance(node.func, ast.Name) and node.func.id == "super" and not node.args:
        return _super(node, scope, unit)
    place = Place(node, unit.source)
    arguments = several(node.args, scope, unit)
    named = _keywords(node.keywords, scope, unit)
    if isinstance(node.func, ast.Attribute):
        return _method_call(node.func, arguments, named, place, scope, unit)
    function = compiled(node.func, scope, unit)
    if named is None and len(node.args) == 1 and not isinstance(node.args[0], ast.Starred):
        return _call_of_one(function, compiled(node.args[0], scope, unit), place)

    def evaluate(env: Env) -> Any:
        called = function(env)
        positional = arguments(env)
        keywords = named(env) if named is not None else {}
        try:
            return called(*positional, **keywords)
        except Exception as error:
            placed(error, place)
            called_from(error, place)
            raise

    return evaluate


def _call_of_one(function: Closure, argument: Closure, place: Place) -> Closure:
    def evaluate(env: Env) -> Any:
        called = function(env)
        x = argument(env)
        try:
            return called(x)
        except Exception as error:
            placed(error, place)
            called_from(error, place)
            raise

    return evaluate


def _method_call(
    node: ast.Attribute, arguments: Closure, named: Closure | None, place: Place, scope: Scope, unit: Unit
) -> Closure:
    """`value.name(...)`, without making the bound method where a table has it."""
    value, name, own = compiled(node.value, scope, unit), node.attr, Place(node, unit.source)

    def evaluate(env: Env) -> Any:
        x = value(env)
        method = method_of(x, name)
        if method is None:
            try:
                bound = attribute(x, name)
            except Exception as error:
                placed(error, own)
                raise
        positional = arguments(env)
        keywords = named(env) if named is not None else {}
        try:
            return method(x, *positional, **keywords) if method is not None else bound(*positional, **keywords)
        except Exception as error:
            placed(error, place)
            called_from(error, place)
            raise

    return evaluate


def _keywords(keywords: list[ast.keyword], scope: Scope, unit: Unit) -> Closure | None:
    if not keywords:
        return None
    pairs = [(keyword.arg, compiled(keyword.value, scope, unit)) for keyword in keywords]

    def evaluate(env: Env) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for name, value in pairs:
            given = {name: value(env)} if name is not None else dict(value(env))
            for key in given:
                if not isinstance(key, str):
                    raise TypeError("keywords must be strings")
                if key in found:
                    raise TypeError(f"got multiple values for keyword argument {key!r}")
            found.update(given)
        return found

    return evaluate


def _super(node: ast.Call, scope: Scope, unit: Unit) -> Closure:
    """`super()` in a method: the class that it is written in, and its first argument."""
    steps = scope.hops(CLASS)
    function, inner = scope.function(), 0
    walk: Scope | None = scope
    while walk is not None and walk is not function:
        walk, inner = walk.outer, inner + 1
    if steps is None or function is None or function.first_parameter is None:
        raise refusal(node, unit, "super() outside a method", "call it in a method of a class with a parent")
    first = function.first_parameter

    def evaluate(env: Env) -> Any:
        holder = env
        for _ in range(steps):
            holder = holder[OUTER]
        for _ in range(inner):
            env = env[OUTER]
        return super(holder[CLASS], env[first])

    return evaluate
