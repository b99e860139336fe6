"""Calls: the function, its arguments, and the place of an error in them."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from types import MethodType
from typing import Any

from gradcli.script.python.syntax.compiler import Closure, Unit, compile_node, compiles, refusal
from gradcli.script.python.syntax.names import local
from gradcli.script.python.syntax.scopes import CLASS, OUTER, Env, Scope
from gradcli.script.python.values.attributes import attribute, method_of
from gradcli.script.python.values.kinds import BuiltinType, Defined
from gradcli.script.python.values.operators import bounded_iterable
from gradcli.script.python.values.places import Place, note_call, note_place
from gradcli.script.python.values.special import exact


@compiles(ast.Call)
def call(node: ast.Call, scope: Scope, unit: Unit) -> Closure:
    if isinstance(node.func, ast.Name) and node.func.id == "super" and not node.args and scope.hops("super") is None:
        return _super(node, scope, unit)
    place = Place(node, unit.source)
    if node.keywords or any(isinstance(argument, ast.Starred) for argument in node.args):
        return _call_of_any(node, place, scope, unit)
    arguments = [compile_node(argument, scope, unit) for argument in node.args]
    if isinstance(node.func, ast.Attribute):
        return _method_call(node.func, arguments, place, scope, unit)
    return _plain_call(compile_node(node.func, scope, unit), arguments, place)


def _plain_call(function: Closure, arguments: list[Closure], place: Place) -> Closure:
    """`f(x, y)`: most calls have one argument or two, which are evaluated without a list."""

    def of_one(env: Env) -> Any:
        called = function(env)
        x = first(env)
        try:
            return called(x)
        except Exception as error:
            note_call(error, place)
            raise

    def of_two(env: Env) -> Any:
        called = function(env)
        x = first(env)
        y = second(env)
        try:
            return called(x, y)
        except Exception as error:
            note_call(error, place)
            raise

    def of_several(env: Env) -> Any:
        called = function(env)
        given = [argument(env) for argument in arguments]
        try:
            return called(*given)
        except Exception as error:
            note_call(error, place)
            raise

    if not 0 < len(arguments) < 3:
        return of_several
    first, second = arguments[0], arguments[-1]
    return of_one if len(arguments) == 1 else of_two


def _method_call(node: ast.Attribute, arguments: list[Closure], place: Place, scope: Scope, unit: Unit) -> Closure:
    """`value.name(...)`, without making the bound method where a table has it."""
    value, name, method_place = compile_node(node.value, scope, unit), node.attr, Place(node, unit.source)
    is_plain, variable = name[0] != "_", local(node.value, scope)

    def callable_of(x: Any) -> Any:
        try:
            return getattr(x, name) if is_plain and type(type(x)) is Defined else attribute(x, name)
        except Exception as error:
            note_place(error, method_place)
            raise

    def of_none(env: Env) -> Any:
        x = env[variable] if variable in env else value(env)
        method = method_of(x, name)
        called: Any = callable_of(x) if method is None else None
        try:
            return method(x) if method is not None else called()
        except Exception as error:
            note_call(error, place)
            raise

    def of_one(env: Env) -> Any:
        x = value(env)
        method = method_of(x, name)
        called: Any = callable_of(x) if method is None else None
        y = first(env)
        try:
            return method(x, y) if method is not None else called(y)
        except Exception as error:
            note_call(error, place)
            raise

    def of_several(env: Env) -> Any:
        called = callable_of(value(env))
        given = [argument(env) for argument in arguments]
        try:
            return called(*given)
        except Exception as error:
            note_call(error, place)
            raise

    if len(arguments) > 1:
        return of_several
    if not arguments:
        return of_none
    (first,) = arguments
    return of_one


def _call_of_any(node: ast.Call, place: Place, scope: Scope, unit: Unit) -> Closure:
    """A call with stars or keywords."""
    function = compile_node(node.func, scope, unit)
    positional = [_spread(argument, scope, unit) for argument in node.args]
    named = [(keyword.arg, compile_node(keyword.value, scope, unit)) for keyword in node.keywords]

    def evaluate(env: Env) -> Any:
        called = function(env)
        arguments: list[Any] = []
        keywords: dict[str, Any] = {}
        for starred, argument in positional:
            value = argument(env)
            if starred:
                arguments.extend(_starred(called, value))
            else:
                arguments.append(value)
        try:
            for name, keyword in named:
                value = keyword(env)
                if name is None:
                    _merge(called, keywords, value)
                elif name in keywords:
                    raise TypeError(f"{called_name(called)} got multiple values for keyword argument {name!r}")
                else:
                    keywords[name] = value
            return called(*arguments, **keywords)
        except Exception as error:
            note_call(error, place)
            raise

    return evaluate


def _spread(argument: ast.expr, scope: Scope, unit: Unit) -> tuple[bool, Closure]:
    starred = isinstance(argument, ast.Starred)
    return starred, compile_node(argument.value if isinstance(argument, ast.Starred) else argument, scope, unit)


def _starred(called: Any, value: Any) -> Any:
    try:
        return bounded_iterable(iter(value))
    except TypeError:
        if hasattr(type(value), "__iter__"):
            raise
        words = f"argument after * must be an iterable, not {type(value).__name__}"
        raise TypeError(f"{called_name(called)} {words}") from None


def _merge(called: Any, keywords: dict[str, Any], value: Any) -> None:
    """Add the items of `**value`."""
    if not isinstance(value, Mapping):
        words = f"argument after ** must be a mapping, not {type(value).__name__}"
        raise TypeError(f"{called_name(called)} {words}")
    for name, item in value.items():
        if not isinstance(name, str):
            raise TypeError("keywords must be strings")
        if name in keywords:
            raise TypeError(f"{called_name(called)} got multiple values for keyword argument {name!r}")
        keywords[exact(name)] = item


def _super(node: ast.Call, scope: Scope, unit: Unit) -> Closure:
    """Compile `super()` in a method: the class around it, and its first argument."""
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


def called_name(called: Any) -> str:
    """Return the name of a function in Python's messages: `__main__.f()`."""
    name = getattr(called, "__qualname__", None)
    if isinstance(called, BuiltinType) or not isinstance(name, str):
        return f"{getattr(called, 'name', called)}"
    function = called.__func__ if isinstance(called, MethodType) else called
    return f"__main__.{name}()" if getattr(function, "__module__", "") == "__main__" else f"{called.__name__}()"
