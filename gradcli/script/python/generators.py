"""Functions with `yield`: their statements become generators of Python's, which stop where the snippet's do."""

from __future__ import annotations

import ast
from collections.abc import Callable, Generator
from typing import Any

from gradcli.script.errors import LimitError
from gradcli.script.python.compiler import BREAK, CONTINUE, RESULT, RETURN, Closure, Unit, compiled, refusal
from gradcli.script.python.control import iterated
from gradcli.script.python.places import Place
from gradcli.script.python.scopes import Env, Scope, yields
from gradcli.script.python.statements import statement
from gradcli.script.python.targets import assignment

Generating = Callable[[Env], Generator[Any, Any, object]]


def generator_block(body: list[ast.stmt], scope: Scope, unit: Unit) -> Generating:
    """Run statements as a generator that answers the signal of the block."""
    statements = [(node.lineno, _statement(node, scope, unit)) for node in body]
    machine, budget = unit.machine, unit.machine.budget

    def run(env: Env) -> Generator[Any, Any, object]:
        for line, generate in statements:
            budget.spend(1)
            machine.line = line
            signal = yield from generate(env)
            if signal is not None:
                return signal
        return None

    return run


def generator_function(body: list[ast.stmt], scope: Scope, unit: Unit) -> Generating:
    """The body of a function with `yield`; the value of its `return` ends the generator."""
    block = generator_block(body, scope, unit)

    def run(env: Env) -> Generator[Any, Any, object]:
        return env[RESULT] if (yield from block(env)) is RETURN and RESULT in env else None

    return run


def _statement(node: ast.stmt, scope: Scope, unit: Unit) -> Generating:
    if not yields([node]) or isinstance(node, ast.FunctionDef | ast.ClassDef):
        return _plain(node, scope, unit)
    match node:
        case ast.Expr(value=ast.Yield() | ast.YieldFrom() as given):
            return _yielding(given, scope, unit, None)
        case ast.Assign(targets=[target], value=ast.Yield() | ast.YieldFrom() as given):
            return _yielding(given, scope, unit, target)
        case ast.For():
            return _for(node, scope, unit)
        case ast.While():
            return _while(node, scope, unit)
        case ast.If():
            return _if(node, scope, unit)
        case ast.With() if len(node.items) == 1:
            return _with(node, scope, unit)
        case ast.Try(finalbody=[_, *_], handlers=[]):
            return _finally(node, scope, unit)
    raise refusal(node, unit, "yield in this place is not supported", "yield in a statement of its own")


def _plain(node: ast.stmt, scope: Scope, unit: Unit) -> Generating:
    execute = statement(node, scope, unit)

    def run(env: Env) -> Generator[Any, Any, object]:
        return execute(env)
        yield

    return run


def _yielding(node: ast.Yield | ast.YieldFrom, scope: Scope, unit: Unit, target: ast.expr | None) -> Generating:
    value: Closure = compiled(node.value, scope, unit) if node.value else (lambda env: None)
    store = assignment(target, scope, unit) if target else (lambda env, received: None)

    def one(env: Env) -> Generator[Any, Any, object]:
        store(env, (yield value(env)))
        return None

    def several(env: Env) -> Generator[Any, Any, object]:
        store(env, (yield from value(env)))
        return None

    return one if isinstance(node, ast.Yield) else several


def _for(node: ast.For, scope: Scope, unit: Unit) -> Generating:
    items, store, place = (
        compiled(node.iter, scope, unit),
        assignment(node.target, scope, unit),
        Place(node.iter, unit.source),
    )
    body, otherwise = _loop(node, scope, unit)

    def run(env: Env) -> Generator[Any, Any, object]:
        for item in iterated(items(env), place):
            store(env, item)
            signal = yield from body(env)
            if signal is not None and signal is not CONTINUE:
                return None if signal is BREAK else signal
        return (yield from otherwise(env))

    return run


def _while(node: ast.While, scope: Scope, unit: Unit) -> Generating:
    test = compiled(node.test, scope, unit)
    body, otherwise = _loop(node, scope, unit)

    def run(env: Env) -> Generator[Any, Any, object]:
        while test(env):
            signal = yield from body(env)
            if signal is not None and signal is not CONTINUE:
                return None if signal is BREAK else signal
        return (yield from otherwise(env))

    return run


def _loop(node: ast.For | ast.While, scope: Scope, unit: Unit) -> tuple[Generating, Generating]:
    before, scope.in_loop = scope.in_loop, True
    body = generator_block(node.body, scope, unit)
    scope.in_loop = before
    return body, generator_block(node.orelse, scope, unit)


def _if(node: ast.If, scope: Scope, unit: Unit) -> Generating:
    test = compiled(node.test, scope, unit)
    then, otherwise = generator_block(node.body, scope, unit), generator_block(node.orelse, scope, unit)

    def run(env: Env) -> Generator[Any, Any, object]:
        return (yield from (then if test(env) else otherwise)(env))

    return run


def _with(node: ast.With, scope: Scope, unit: Unit) -> Generating:
    (item,) = node.items
    manager = compiled(item.context_expr, scope, unit)
    store = assignment(item.optional_vars, scope, unit) if item.optional_vars else (lambda env, entered: None)
    body = generator_block(node.body, scope, unit)

    def run(env: Env) -> Generator[Any, Any, object]:
        context = manager(env)
        with context as entered:
            store(env, entered)
            return (yield from body(env))

    return run


def _finally(node: ast.Try, scope: Scope, unit: Unit) -> Generating:
    body, last = generator_block(node.body, scope, unit), generator_block(node.finalbody, scope, unit)

    def run(env: Env) -> Generator[Any, Any, object]:
        try:
            signal = yield from body(env)
        except LimitError:
            raise
        except Exception:
            yield from last(env)
            raise
        yield from last(env)
        return signal

    return run
