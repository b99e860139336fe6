"""raise and try: a snippet may catch every exception but a limit."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from gradcli.script.errors import LimitError, UnsupportedError, is_final, python_class
from gradcli.script.machine import running
from gradcli.script.python.syntax.compiler import Closure, Unit, compile_node, compiles
from gradcli.script.python.syntax.names import store_name
from gradcli.script.python.syntax.scopes import Env, Scope
from gradcli.script.python.syntax.statements import block
from gradcli.script.python.values.failures import raisable
from gradcli.script.python.values.kinds import BuiltinType
from gradcli.script.python.values.places import PLACES, Place, note_place

CAUSE = "exception causes must derive from BaseException"


@compiles(ast.Raise)
def compile_raise(node: ast.Raise, scope: Scope, unit: Unit) -> Closure:
    place, machine = Place(node, unit.source), unit.machine  # also for a BaseException, to which no block gives a place
    if node.exc is None:

        def again(env: Env) -> None:
            error = machine.handled or RuntimeError("No active exception to reraise")
            note_place(error, place)
            raise error

        return again
    value = compile_node(node.exc, scope, unit)
    cause = compile_node(node.cause, scope, unit) if node.cause else None

    def run(env: Env) -> None:
        error = raisable(value(env), "exceptions must derive from BaseException")
        if cause is not None:
            given = cause(env)
            because = None if given is None else raisable(given, CAUSE)
            if isinstance(because, TypeError) and because.args == (CAUSE,):
                error = because
            else:
                error.__cause__ = because
        note_place(error, place)
        raise error

    return run


@compiles(ast.Try)
def compile_try(node: ast.Try, scope: Scope, unit: Unit) -> Closure:
    body = block(node.body, scope, unit)
    handlers = [Handler(handler, scope, unit) for handler in node.handlers]
    bodies = [block(handler.body, scope, unit) for handler in node.handlers]
    otherwise = block(node.orelse, scope, unit) if node.orelse else None
    last = block(node.finalbody, scope, unit) if node.finalbody else None

    def attempt(env: Env) -> object:
        try:
            signal = body(env)
        except LimitError:
            raise
        except BaseException as error:
            check_memory(error)
            for handler, handle in zip(handlers, bodies, strict=True):
                if handler.catches(env, error):
                    return handler.handling(env, error, handle)
            raise
        return otherwise(env) if otherwise is not None and signal is None else signal

    return compile_finally(attempt, last, unit)


def compile_finally(attempt: Closure, last: Closure | None, unit: Unit) -> Closure:
    """Run a statement, and then `last`, however the statement ends."""
    if last is None:
        return attempt

    def run(env: Env) -> object:
        try:
            signal = attempt(env)
        except LimitError:
            raise
        except BaseException as error:
            before, unit.machine.handled = unit.machine.handled, error
            try:
                final = last(env)
            finally:
                unit.machine.handled = before
            if final is not None:
                return final
            raise
        final = last(env)
        return signal if final is None else final

    return run


class Handler:
    """One `except` clause: the types that it catches, and the name that it binds while its body runs."""

    def __init__(self, node: ast.ExceptHandler, scope: Scope, unit: Unit) -> None:
        self.machine = unit.machine
        self.kinds = compile_node(node.type, scope, unit) if node.type else None
        self.place = Place(node.type or node, unit.source)
        self.name = node.name
        self.store = store_name(node.name, scope, unit) if node.name else None
        self.forget: Callable[[Env], None] | None = None
        if node.name:
            steps = scope.hops(node.name)
            self.forget = self._forget_global if steps is None else self._forget_near if steps == 0 else None

    def catches(self, env: Env, error: BaseException) -> bool:
        try:
            if self.kinds is None:
                return not (isinstance(error, UnsupportedError) or is_final(error))
            return caught(error, self.kinds(env))
        except Exception as failure:
            note_place(failure, self.place)
            raise

    def handling(self, env: Env, error: BaseException, body: Callable[[Env], Any]) -> Any:
        """Run the body of the clause."""
        before = self.enter(env, error)
        try:
            signal = body(env)
        finally:
            self.leave(env, before)
        return signal

    def enter(self, env: Env, error: BaseException) -> BaseException | None:
        before, self.machine.handled = self.machine.handled, error
        if self.store is not None:
            self.store(env, error)
        return before

    def leave(self, env: Env, before: BaseException | None) -> None:
        self.machine.handled = before
        if self.forget is not None:
            self.forget(env)

    def _forget_near(self, env: Env) -> None:
        env.pop(self.name or "", None)

    def _forget_global(self, env: Env) -> None:
        self.machine.globals.pop(self.name or "", None)


def is_exhaustion(error: BaseException) -> bool:
    """Whether memory ran out, which is a limit; a MemoryError that the snippet itself raises is none."""
    if not isinstance(error, MemoryError):
        return False
    places = error.__dict__.get(PLACES)
    return not (places and isinstance(places[0].node, ast.Raise))


def check_memory(error: BaseException) -> None:
    """Where memory ran out, raise the limit, which a snippet cannot catch."""
    if is_exhaustion(error):
        running.machine.budget.exhausted()


def caught(error: BaseException, kinds: Any) -> bool:
    """Whether an `except` with this type, or tuple of types, catches the error."""
    error_class = python_class(error)
    is_caught = False
    for catches in kinds if isinstance(kinds, tuple) else (kinds,):
        kind = catches.python if isinstance(catches, BuiltinType) else catches
        if not (isinstance(kind, type) and issubclass(kind, BaseException)):
            raise TypeError("catching classes that do not inherit from BaseException is not allowed")
        if not (isinstance(error, UnsupportedError) and kind in (Exception, BaseException)):
            is_caught = is_caught or issubclass(error_class, kind)
    return is_caught and not is_final(error)
