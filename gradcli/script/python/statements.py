"""Simple statements, and the blocks that run them."""

from __future__ import annotations

import ast
from typing import Any

from gradcli.script.python.compiler import RESULT, RETURN, Closure, Unit, compiled, compiles, refusal
from gradcli.script.python.operators import augmented
from gradcli.script.python.places import Place, placed
from gradcli.script.python.scopes import Env, Scope
from gradcli.script.python.targets import assignment, deletion


def block(body: list[ast.stmt], scope: Scope, unit: Unit) -> Closure:
    """Run statements one after the other, until one signals."""
    statements = [(node.lineno, statement(node, scope, unit)) for node in body]
    steps, machine, budget = len(statements), unit.machine, unit.machine.budget

    def run(env: Env) -> object:
        budget.left -= steps
        if budget.left < 0:
            budget.look()
        for line, execute in statements:
            machine.line = line
            signal = execute(env)
            if signal is not None:
                return signal
        return None

    return run


def statement(node: ast.stmt, scope: Scope, unit: Unit) -> Closure:
    """The closure of a statement, followed by the timeline where there is one."""
    closure, timeline = compiled(node, scope, unit), unit.machine.timeline
    return closure if timeline is None else timeline.followed(node, closure, unit.source)  # type: ignore[no-any-return]


@compiles(ast.Expr)
def expression(node: ast.Expr, scope: Scope, unit: Unit) -> Closure:
    value = compiled(node.value, scope, unit)

    def run(env: Env) -> None:
        value(env)

    return run


@compiles(ast.Assign)
def assign(node: ast.Assign, scope: Scope, unit: Unit) -> Closure:
    value = compiled(node.value, scope, unit)
    stores = [assignment(target, scope, unit) for target in node.targets]
    if len(stores) == 1:
        (store,) = stores
        if isinstance(node.targets[0], ast.Name) and scope.hops(node.targets[0].id) == 0:
            return _assign_here(node.targets[0].id, value)
        return lambda env: store(env, value(env))

    def run(env: Env) -> None:
        result = value(env)
        for store in stores:
            store(env, result)

    return run


def _assign_here(name: str, value: Closure) -> Closure:
    def run(env: Env) -> None:
        env[name] = value(env)

    return run


@compiles(ast.AnnAssign)
def annotated(node: ast.AnnAssign, scope: Scope, unit: Unit) -> Closure:
    """The annotation is not evaluated; a class keeps its text, for dataclasses."""
    if scope.kind == "class" and isinstance(node.target, ast.Name):
        scope.inside.append(node.target.id)
    if node.value is None:
        return lambda env: None
    value, store = compiled(node.value, scope, unit), assignment(node.target, scope, unit)
    return lambda env: store(env, value(env))


@compiles(ast.AugAssign)
def augment(node: ast.AugAssign, scope: Scope, unit: Unit) -> Closure:
    apply, value, place = augmented(type(node.op)), compiled(node.value, scope, unit), Place(node, unit.source)
    load, store = _held(node.target, scope, unit)

    def run(env: Env) -> None:
        owner, old = load(env)
        increment = value(env)
        try:
            new = apply(old, increment)
        except Exception as error:
            placed(error, place)
            raise
        store(owner, new)

    return run


def _held(target: ast.expr, scope: Scope, unit: Unit) -> tuple[Closure, Any]:
    """How the target of an augmented assignment is read and written; its owner and key are evaluated once."""
    if isinstance(target, ast.Name):
        read = compiled(ast.copy_location(ast.Name(target.id, ast.Load()), target), scope, unit)
        return (lambda env: (env, read(env))), assignment(target, scope, unit)
    assert isinstance(target, ast.Attribute | ast.Subscript)
    inner = Scope("function", frozenset(("owner", "key")))
    owner = compiled(target.value, scope, unit)
    key = compiled(target.slice, scope, unit) if isinstance(target, ast.Subscript) else (lambda env: None)
    held: ast.expr = ast.copy_location(ast.Name("owner", ast.Load()), target.value)
    if isinstance(target, ast.Attribute):
        again: ast.expr = ast.Attribute(held, target.attr, ast.Store())
    else:
        again = ast.Subscript(held, ast.copy_location(ast.Name("key", ast.Load()), target.slice), ast.Store())
    ast.copy_location(again, target)
    read, store = compiled(again, inner, unit), assignment(again, inner, unit)

    def load(env: Env) -> tuple[Env, Any]:
        parts = {"owner": owner(env), "key": key(env)}
        return parts, read(parts)

    return load, store


@compiles(ast.Delete)
def delete(node: ast.Delete, scope: Scope, unit: Unit) -> Closure:
    place = Place(node, unit.source)
    parts = [deletion(target, scope, unit) for target in node.targets]

    def run(env: Env) -> None:
        try:
            for part in parts:
                part(env)
        except Exception as error:
            placed(error, place)
            raise

    return run


@compiles(ast.Pass, ast.Global, ast.Nonlocal)
def nothing(node: ast.stmt, scope: Scope, unit: Unit) -> Closure:
    return lambda env: None


@compiles(ast.Return)
def return_(node: ast.Return, scope: Scope, unit: Unit) -> Closure:
    if scope.kind != "function":
        raise refusal(node, unit, "'return' outside a function", "print the value")
    if node.value is None:
        return lambda env: RETURN
    value = compiled(node.value, scope, unit)

    def run(env: Env) -> str:
        env[RESULT] = value(env)
        return RETURN

    return run


@compiles(ast.Assert)
def assert_(node: ast.Assert, scope: Scope, unit: Unit) -> Closure:
    test, place = compiled(node.test, scope, unit), Place(node, unit.source)
    message = compiled(node.msg, scope, unit) if node.msg else None

    def run(env: Env) -> None:
        if not test(env):
            error = AssertionError(*([message(env)] if message else []))
            placed(error, place)
            raise error

    return run
