"""Names: read, bound and deleted where their block has them."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from gradcli.script.python.syntax.compiler import Closure, Unit, compile_node, compiles
from gradcli.script.python.syntax.scopes import OUTER, Env, Scope
from gradcli.script.python.values.places import Place, note_place

NOWHERE = " nowhere"
Store = Callable[[Env, Any], None]


@compiles(ast.Name)
def name(node: ast.Name, scope: Scope, unit: Unit) -> Closure:
    """A variable of this block, of a block around it, a global, or a builtin."""
    key, steps, place = node.id, scope.hops(node.id), Place(node, unit.source)
    if steps is None:
        return _global(key, place, unit.machine.globals, unit.machine.builtins)

    def near(env: Env) -> Any:
        try:
            return env[key]
        except KeyError:
            raise unbound(key, place) from None

    def outer(env: Env) -> Any:
        try:
            return env[OUTER][key]
        except KeyError:
            raise unbound(key, place, free=True) from None

    def far(env: Env) -> Any:
        for _ in range(steps):
            env = env[OUTER]
        try:
            return env[key]
        except KeyError:
            raise unbound(key, place, free=True) from None

    if steps == 0 and scope.kind == "class":
        return _in_class(key, _global(key, place, unit.machine.globals, unit.machine.builtins))
    return near if steps == 0 else outer if steps == 1 else far


def local(node: ast.expr, scope: Scope) -> str:
    """Return the name of a variable of this very block; a text that no variable has for any other expression."""
    return node.id if isinstance(node, ast.Name) and scope.hops(node.id) == 0 else NOWHERE


def _global(key: str, place: Place, variables: Env, builtins: Env) -> Closure:
    def load(env: Env) -> Any:
        try:
            return variables[key]
        except KeyError:
            if key in builtins:
                return builtins[key]
            raise undefined(key, place) from None

    return load


def _in_class(key: str, otherwise: Closure) -> Closure:
    return lambda env: env[key] if key in env else otherwise(env)


def undefined(key: str, place: Place) -> NameError:
    """Return the error for a name that is nowhere bound."""
    error = NameError(f"name {key!r} is not defined", name=key)
    note_place(error, place)
    return error


def unbound(key: str, place: Place, *, free: bool = False) -> NameError:
    """Return the error for a variable without a value yet, of this function or of one around it."""
    if free:
        words = f"cannot access free variable {key!r} where it is not associated with a value in enclosing scope"
        error = NameError(words)
    else:
        words = f"cannot access local variable {key!r} where it is not associated with a value"
        error = UnboundLocalError(words)
    note_place(error, place)
    return error


def store_name(name: str, scope: Scope, unit: Unit) -> Store:
    """Assign to a variable of this block or of one around it."""
    steps, variables = scope.hops(name), unit.machine.globals

    def store(env: Env, value: Any) -> None:
        env[name] = value

    def store_global(env: Env, value: Any) -> None:
        variables[name] = value

    def store_outer(env: Env, value: Any) -> None:
        for _ in range(steps or 0):
            env = env[OUTER]
        env[name] = value

    return store_global if steps is None else store_outer if steps else store


def delete_name(target: ast.Name, scope: Scope, unit: Unit) -> Callable[[Env], None]:
    """`del name`."""
    name, steps, place = target.id, scope.hops(target.id), Place(target, unit.source)

    def delete(env: Env) -> None:
        for _ in range(steps or 0):
            env = env[OUTER]
        variables = unit.machine.globals if steps is None else env
        if name not in variables:
            if steps is None or scope.kind == "class":
                raise undefined(name, place)
            raise unbound(name, place, free=steps > 0)
        del variables[name]

    return delete


@compiles(ast.NamedExpr)
def walrus(node: ast.NamedExpr, scope: Scope, unit: Unit) -> Closure:
    value, store = compile_node(node.value, scope, unit), store_name(node.target.id, scope, unit)

    def evaluate(env: Env) -> Any:
        result = value(env)
        store(env, result)
        return result

    return evaluate
