"""`with`: a manager is entered, and left however its block ends."""

from __future__ import annotations

import ast
from typing import Any

from gradcli.script.errors import LimitError, is_final
from gradcli.script.python.syntax.compiler import Closure, Unit, compile_node, compiles
from gradcli.script.python.syntax.exceptions import check_memory
from gradcli.script.python.syntax.scopes import Env, Scope
from gradcli.script.python.syntax.statements import block
from gradcli.script.python.syntax.targets import assignment
from gradcli.script.python.values.kinds import Defined, type_of
from gradcli.script.python.values.places import Place, note_place


class traceback:  # noqa: N801  what `__exit__` is given; nothing can be seen in it
    """The traceback of an exception, into which snippets cannot look."""


def left(leave: Any, manager: Any, error: BaseException | None) -> Any:
    """Call the `__exit__` of a manager; one of the snippet sees an exception as the snippet does."""
    if error is None:
        return leave(manager, None, None, None)
    if isinstance(type(manager), Defined):
        return leave(manager, type_of(error), error, traceback())
    return leave(manager, type(error), error, None)


class Context:
    """A manager in a `with` statement, entered."""

    def __init__(self, manager: Any, place: Place) -> None:
        self.manager = manager
        self.kind = kind = type(manager)
        self.place = place
        try:
            if not hasattr(kind, "__enter__"):
                words = f"{kind.__name__!r} object does not support the context manager protocol"
                raise TypeError(words)
            if not hasattr(kind, "__exit__"):
                words = f"{kind.__name__!r} object does not support the context manager protocol"
                raise TypeError(f"{words} (missed __exit__ method)")
            self.entered = kind.__enter__(manager)
        except Exception as error:
            note_place(error, place)
            raise

    def leave(self) -> None:
        """Leave the manager of a block that ended without an exception."""
        try:
            self.kind.__exit__(self.manager, None, None, None)
        except Exception as error:
            note_place(error, self.place)
            raise

    def swallows(self, error: BaseException) -> bool:
        """Leave the manager of a block that ended with an exception; return whether it swallows it."""
        check_memory(error)
        swallowed = left(self.kind.__exit__, self.manager, error)
        return bool(swallowed) and not is_final(error)


@compiles(ast.With)
def compile_with(node: ast.With, scope: Scope, unit: Unit) -> Closure:
    first, *rest = node.items
    manager, place = compile_node(first.context_expr, scope, unit), Place(first.context_expr, unit.source)
    store = assignment(first.optional_vars, scope, unit) if first.optional_vars else None
    inner = ast.copy_location(ast.With(rest, node.body), node) if rest else None
    body = compile_node(inner, scope, unit) if inner else block(node.body, scope, unit)

    def run(env: Env) -> object:
        context = Context(manager(env), place)
        try:
            if store is not None:
                store(env, context.entered)
            signal = body(env)
        except LimitError:
            raise
        except BaseException as error:
            if not context.swallows(error):
                raise
            return None
        context.leave()
        return signal

    return run
