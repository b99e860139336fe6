"""Compound statements: if, for, while, with, try, raise."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from gradcli.script.errors import LimitError, UnsupportedError, python_class
from gradcli.script.python.attributes import BuiltinType
from gradcli.script.python.compiler import BREAK, CONTINUE, Closure, Unit, compiled, compiles, refusal
from gradcli.script.python.places import PLACES, Place, placed
from gradcli.script.python.scopes import Env, Scope
from gradcli.script.python.statements import block
from gradcli.script.python.targets import assignment, store_name

HANDLED = " handled"  # where a block keeps the exception that a bare `raise` raises again


@compiles(ast.If)
def if_(node: ast.If, scope: Scope, unit: Unit) -> Closure:
    test, place = compiled(node.test, scope, unit), Place(node.test, unit.source)
    then = block(node.body, scope, unit)
    otherwise = block(node.orelse, scope, unit) if node.orelse else (lambda env: None)

    def run(env: Env) -> object:
        x = test(env)
        try:
            chosen = bool(x)
        except Exception as error:
            placed(error, place)
            raise
        return then(env) if chosen else otherwise(env)

    return run


@compiles(ast.While)
def while_(node: ast.While, scope: Scope, unit: Unit) -> Closure:
    test, body, otherwise = loop_parts(node, node.test, scope, unit)

    def run(env: Env) -> object:
        while test(env):
            signal = body(env)
            if signal is not None and signal is not CONTINUE:
                return None if signal is BREAK else signal
        return otherwise(env)

    return run


@compiles(ast.For)
def for_(node: ast.For, scope: Scope, unit: Unit) -> Closure:
    items, body, otherwise = loop_parts(node, node.iter, scope, unit)
    store, place = assignment(node.target, scope, unit), Place(node.iter, unit.source)

    def run(env: Env) -> object:
        for item in iterated(items(env), place):
            store(env, item)
            signal = body(env)
            if signal is not None and signal is not CONTINUE:
                return None if signal is BREAK else signal
        return otherwise(env)

    return run


def loop_parts(node: ast.For | ast.While, head: ast.expr, scope: Scope, unit: Unit) -> tuple[Closure, ...]:
    """The head, the body and the else of a loop."""
    first = compiled(head, scope, unit)
    before, scope.in_loop = scope.in_loop, True
    body = block(node.body, scope, unit)
    scope.in_loop = before
    return first, body, block(node.orelse, scope, unit) if node.orelse else (lambda env: None)


def iterated(value: Any, place: Place) -> Iterator[Any]:
    """Go through a value; what cannot be gone through is told with its place."""
    try:
        items: Iterator[Any] = iter(value)
        return items
    except Exception as error:
        placed(error, place)
        raise


@compiles(ast.Break, ast.Continue)
def jump(node: ast.stmt, scope: Scope, unit: Unit) -> Closure:
    signal = BREAK if isinstance(node, ast.Break) else CONTINUE
    if not scope.in_loop:
        raise refusal(node, unit, f"{signal!r} outside a loop", "put it into a for or a while")
    return lambda env: signal


@compiles(ast.With)
def with_(node: ast.With, scope: Scope, unit: Unit) -> Closure:
    first, *rest = node.items
    manager, place = compiled(first.context_expr, scope, unit), Place(first.context_expr, unit.source)
    store = assignment(first.optional_vars, scope, unit) if first.optional_vars else None
    inner = ast.copy_location(ast.With(rest, node.body), node) if rest else None
    body = compiled(inner, scope, unit) if inner else block(node.body, scope, unit)

    def run(env: Env) -> object:
        context = manager(env)
        kind = type(context)
        if not hasattr(kind, "__enter__") or not hasattr(kind, "__exit__"):
            error = TypeError(f"{kind.__name__!r} object does not support the context manager protocol")
            placed(error, place)
            raise error
        entered = kind.__enter__(context)
        try:
            if store is not None:
                store(env, entered)
            signal = body(env)
        except Exception as error:
            if isinstance(error, LimitError) or not kind.__exit__(context, python_class(error), error, None):
                raise
            return None
        except BaseException:
            kind.__exit__(context, None, None, None)
            raise
        kind.__exit__(context, None, None, None)
        return signal

    return run


@compiles(ast.Raise)
def raise_(node: ast.Raise, scope: Scope, unit: Unit) -> Closure:
    place = Place(node, unit.source)
    if node.exc is None:

        def again(env: Env) -> None:
            error = env.get(HANDLED) or RuntimeError("No active exception to reraise")
            placed(error, place)
            raise error

        return again
    value = compiled(node.exc, scope, unit)
    cause = compiled(node.cause, scope, unit) if node.cause else None

    def run(env: Env) -> None:
        error = value(env)
        if isinstance(error, BuiltinType | type):
            error = error()
        if not isinstance(error, Exception):
            error = TypeError("exceptions must derive from BaseException")
        if cause is not None:
            cause(env)
        placed(error, place)
        raise error from None

    return run


@compiles(ast.Try)
def try_(node: ast.Try, scope: Scope, unit: Unit) -> Closure:
    body = block(node.body, scope, unit)
    handlers = [_handler(handler, scope, unit) for handler in node.handlers]
    otherwise = block(node.orelse, scope, unit) if node.orelse else None
    last = block(node.finalbody, scope, unit) if node.finalbody else None

    def attempt(env: Env) -> object:
        try:
            signal = body(env)
        except LimitError:
            raise
        except Exception as error:
            for catches, handle in handlers:
                if catches is None or caught(error, catches(env)):
                    return handle(env, error)
            raise
        return otherwise(env) if otherwise is not None and signal is None else signal

    if last is None:
        return attempt

    def run(env: Env) -> object:
        try:
            signal = attempt(env)
        except LimitError:
            raise
        except Exception:
            final = last(env)
            if final is not None:
                return final
            raise
        final = last(env)
        return signal if final is None else final

    return run


def _handler(node: ast.ExceptHandler, scope: Scope, unit: Unit) -> tuple[Closure | None, Any]:
    catches = compiled(node.type, scope, unit) if node.type else None
    store = store_name(node.name, scope, unit) if node.name else None
    body = block(node.body, scope, unit)

    def handle(env: Env, error: Exception) -> object:
        outer = env.get(HANDLED)
        env[HANDLED] = error
        if store is not None:
            store(env, error)
        try:
            return body(env)
        finally:
            env[HANDLED] = outer

    return (catches or (lambda env: _anything)), handle


_anything = BuiltinType("Exception", Exception)


def caught(error: Exception, catches: Any) -> bool:
    """Whether an `except` with this type catches the error."""
    if isinstance(catches, tuple):
        return any(caught(error, one) for one in catches)
    kind = catches.python if isinstance(catches, BuiltinType) else catches
    if not (isinstance(kind, type) and issubclass(kind, BaseException)):
        raise TypeError("catching classes that do not inherit from BaseException is not allowed")
    if isinstance(error, UnsupportedError) and kind in (Exception, BaseException):
        return False
    return issubclass(python_class(error), kind)


def forget_place(error: BaseException) -> None:
    """An exception that is raised anew has a new place."""
    if hasattr(error, PLACES):
        delattr(error, PLACES)
