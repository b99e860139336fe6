"""What can be assigned to: names, attributes, items, and tuples of them."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from gradcli.script.python.attributes import delete_attribute, set_attribute
from gradcli.script.python.compiler import Unit, compiled, refusal
from gradcli.script.python.expressions import unbound
from gradcli.script.python.operators import unpacked
from gradcli.script.python.places import Place, placed
from gradcli.script.python.scopes import OUTER, Env, Scope

Store = Callable[[Env, Any], None]


def assignment(target: ast.expr, scope: Scope, unit: Unit) -> Store:
    """A function of the variables and the value that assigns."""
    match target:
        case ast.Name(id=name):
            return store_name(name, scope, unit)
        case ast.Attribute():
            return _attribute(target, scope, unit)
        case ast.Subscript():
            return _item(target, scope, unit)
        case ast.Tuple(elts=parts) | ast.List(elts=parts):
            return _several(target, parts, scope, unit)
    raise refusal(target, unit, "assigning to this is not supported", "assign to a name")


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


def _attribute(target: ast.Attribute, scope: Scope, unit: Unit) -> Store:
    owner, name, place = compiled(target.value, scope, unit), target.attr, Place(target, unit.source)

    def store(env: Env, value: Any) -> None:
        x = owner(env)
        try:
            set_attribute(x, name, value)
        except Exception as error:
            placed(error, place)
            raise

    return store


def _item(target: ast.Subscript, scope: Scope, unit: Unit) -> Store:
    owner, key = compiled(target.value, scope, unit), compiled(target.slice, scope, unit)
    place = Place(target, unit.source)

    def store(env: Env, value: Any) -> None:
        x, i = owner(env), key(env)
        try:
            if isinstance(x, list) and isinstance(i, slice) and hasattr(value, "__len__"):
                unit.machine.budget.fits(len(x) + len(value), "this list")
            x[i] = value
        except Exception as error:
            placed(error, place)
            raise

    return store


def _several(target: ast.expr, parts: list[ast.expr], scope: Scope, unit: Unit) -> Store:
    starred = [position for position, part in enumerate(parts) if isinstance(part, ast.Starred)]
    before = starred[0] if starred else len(parts)
    after = len(parts) - before - 1 if starred else None
    stores = [assignment(p.value if isinstance(p, ast.Starred) else p, scope, unit) for p in parts]
    place = Place(target, unit.source)

    def store(env: Env, value: Any) -> None:
        try:
            items = unpacked(value, before, after)
        except Exception as error:
            placed(error, place)
            raise
        for assign, item in zip(stores, items, strict=True):
            assign(env, item)

    return store


def deletion(target: ast.expr, scope: Scope, unit: Unit) -> Callable[[Env], None]:
    """A function of the variables that deletes the target."""
    if isinstance(target, ast.Name):
        return _delete_name(target, scope, unit)
    if isinstance(target, ast.Tuple | ast.List):
        parts = [deletion(part, scope, unit) for part in target.elts]

        def delete_parts(env: Env) -> None:
            for part in parts:
                part(env)

        return delete_parts
    assert isinstance(target, ast.Attribute | ast.Subscript)
    owner = compiled(target.value, scope, unit)
    if isinstance(target, ast.Attribute):
        name = target.attr
        return lambda env: delete_attribute(owner(env), name)
    key = compiled(target.slice, scope, unit)

    def delete(env: Env) -> None:
        del owner(env)[key(env)]

    return delete


def _delete_name(target: ast.Name, scope: Scope, unit: Unit) -> Callable[[Env], None]:
    name, steps, place = target.id, scope.hops(target.id), Place(target, unit.source)

    def delete(env: Env) -> None:
        for _ in range(steps or 0):
            env = env[OUTER]
        variables = unit.machine.globals if steps is None else env
        if name not in variables:
            raise unbound(name, place)
        del variables[name]

    return delete
