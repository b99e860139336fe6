"""Targets of assignments: names, attributes, items, and tuples of them."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from operator import length_hint
from typing import Any

from gradcli.script.machine import running
from gradcli.script.python.members.reserved import reserved_in
from gradcli.script.python.syntax.compiler import Unit, compile_node, refusal
from gradcli.script.python.syntax.names import Store, delete_name, local, store_name
from gradcli.script.python.syntax.scopes import Env, Scope
from gradcli.script.python.values.kinds import Defined
from gradcli.script.python.values.nesting import hashable
from gradcli.script.python.values.operators import bounded_iterable
from gradcli.script.python.values.places import Place, note_place
from gradcli.script.python.values.reflection import delete_attribute, set_attribute


def unpack_items(value: Any, before: int, after: int | None) -> Sequence[Any]:
    """Return the items of `a, b = value`, or with `after` of `a, *b, c = value`, the starred ones as a list."""
    if not isinstance(value, tuple):  # a list may change while its items are assigned
        value = list(value) if isinstance(value, list) else _items(value, None if after is not None else before)
    if after is None:
        if len(value) < before:
            raise ValueError(f"not enough values to unpack (expected {before}, got {len(value)})")
        if len(value) > before:
            raise ValueError(f"too many values to unpack (expected {before})")
        return value  # type: ignore[no-any-return]
    if len(value) < before + after:
        raise ValueError(f"not enough values to unpack (expected at least {before + after}, got {len(value)})")
    end = len(value) - after
    return [*value[:before], list(value[before:end]), *value[end:]]


def _items(value: Any, expected: int | None) -> list[Any]:
    """Return the items of a value; of an iterator at most one more than expected are read."""
    try:
        iterator = iter(value)
    except TypeError:
        if hasattr(type(value), "__iter__"):
            raise
        raise TypeError(f"cannot unpack non-iterable {type(value).__name__} object") from None
    if expected is None:
        return list(bounded_iterable(iterator))
    items = []
    for item in iterator:
        items.append(item)
        if len(items) > expected:
            break
    return items


def assignment(target: ast.expr, scope: Scope, unit: Unit) -> Store:
    """Return a function of the variables and the value that assigns."""
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


def _attribute(target: ast.Attribute, scope: Scope, unit: Unit) -> Store:
    owner, name, place = compile_node(target.value, scope, unit), target.attr, Place(target, unit.source)
    is_plain, is_special, variable = name[0] != "_", name[:2] == "__", local(target.value, scope)

    def store(env: Env, value: Any) -> None:
        x = env[variable] if variable in env else owner(env)
        kind = type(x)
        try:
            if type(kind) is Defined and (is_plain or not (is_special or name in reserved_in(kind))):
                setattr(x, name, value)
            else:
                set_attribute(x, name, value)
        except Exception as error:
            note_place(error, place)
            raise

    return store


def set_item(owner: Any, key: Any, value: Any) -> None:
    """`owner[key] = value`; the growth of a list by a slice is measured."""
    if isinstance(key, slice) and isinstance(owner, list):
        running.machine.budget.fits(len(owner) + length_hint(bounded_iterable(value)), "this list")
    elif isinstance(owner, dict):
        hashable(key)
    owner[key] = value


def _item(target: ast.Subscript, scope: Scope, unit: Unit) -> Store:
    owner, key = compile_node(target.value, scope, unit), compile_node(target.slice, scope, unit)
    place = Place(target, unit.source)

    def store(env: Env, value: Any) -> None:
        x = owner(env)
        i = key(env)
        try:
            if type(i) is slice or isinstance(i, tuple):
                set_item(x, i, value)
            else:
                x[i] = value
        except Exception as error:
            note_place(error, place)
            raise

    return store


def _several(target: ast.expr, parts: list[ast.expr], scope: Scope, unit: Unit) -> Store:
    starred = [position for position, part in enumerate(parts) if isinstance(part, ast.Starred)]
    before = starred[0] if starred else len(parts)
    after = len(parts) - before - 1 if starred else None
    stores = [assignment(p.value if isinstance(p, ast.Starred) else p, scope, unit) for p in parts]
    place = Place(target, unit.source)

    def store(env: Env, value: Any) -> None:
        if type(value) is not tuple or len(value) != before or after is not None:
            try:
                value = unpack_items(value, before, after)
            except Exception as error:
                note_place(error, place)
                raise
        for assign, item in zip(stores, value, strict=True):
            assign(env, item)

    return store


def deletion(target: ast.expr, scope: Scope, unit: Unit) -> Callable[[Env], None]:
    """Return a function of the variables that deletes the target."""
    if isinstance(target, ast.Name):
        return delete_name(target, scope, unit)
    if isinstance(target, ast.Tuple | ast.List):
        parts = [deletion(part, scope, unit) for part in target.elts]

        def delete_parts(env: Env) -> None:
            for part in parts:
                part(env)

        return delete_parts
    assert isinstance(target, ast.Attribute | ast.Subscript)
    owner = compile_node(target.value, scope, unit)
    if isinstance(target, ast.Attribute):
        name = target.attr
        return lambda env: delete_attribute(owner(env), name)
    key = compile_node(target.slice, scope, unit)

    def delete(env: Env) -> None:
        x = owner(env)
        del x[hashable(key(env))]

    return delete
