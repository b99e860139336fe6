"""Functions with `yield`: their statements become generators of Python, which stop where those of the snippet stop.

`yield` is a statement of its own, or the value of an assignment; inside of other expressions it is refused.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Generator
from typing import Any

from gradcli.script.errors import LimitError
from gradcli.script.python.syntax.compiler import BREAK, CONTINUE, RESULT, RETURN, Closure, Unit, compile_node, refusal
from gradcli.script.python.syntax.control import iterator_of
from gradcli.script.python.syntax.exceptions import Handler, check_memory
from gradcli.script.python.syntax.expressions import truth_of
from gradcli.script.python.syntax.managers import Context
from gradcli.script.python.syntax.scopes import Env, Scope, nodes_of, yields
from gradcli.script.python.syntax.statements import statement
from gradcli.script.python.syntax.targets import assignment
from gradcli.script.python.values.places import Place, note_place

Generating = Callable[[Env], Generator[Any, Any, object]]


def generator_function(body: list[ast.stmt], scope: Scope, unit: Unit) -> Generating:
    """The body of a function with `yield`; the value of its `return` ends the generator."""
    block = generator_block(body, scope, unit)

    def run(env: Env) -> Generator[Any, Any, object]:
        return env[RESULT] if (yield from block(env)) is RETURN else None

    return run


def generator_block(body: list[ast.stmt], scope: Scope, unit: Unit) -> Generating:
    """Run statements as a generator that answers the signal of the block."""
    parts: list[tuple[int, Place, Closure | None, Generating | None]] = []
    for node in body:
        place = Place(node, unit.source)
        if not yields(nodes_of([node])) or isinstance(node, ast.FunctionDef | ast.ClassDef):
            parts.append((node.lineno, place, statement(node, scope, unit), None))
        else:
            parts.append((node.lineno, place, None, _statement(node, scope, unit)))
    lines, budget = unit.machine.lines, unit.machine.budget

    def run(env: Env) -> Generator[Any, Any, object]:
        for line, place, execute, generate in parts:
            try:
                budget.spend(1)
                lines[0] = line
                signal = execute(env) if execute is not None else (yield from generate(env))  # type: ignore[misc]
            except Exception as error:
                note_place(error, place)
                raise
            if signal is not None:
                return signal
        return None

    return run


def _statement(node: ast.stmt, scope: Scope, unit: Unit) -> Generating:
    match node:
        case ast.For():
            return _for(node, scope, unit)
        case ast.While():
            return _while(node, scope, unit)
        case ast.If():
            return _if(node, scope, unit)
        case ast.With():
            return _with(node, scope, unit)
        case ast.Try():
            return _try(node, scope, unit)
        case ast.Expr(value=ast.Yield() | ast.YieldFrom() as expression):
            return _yielding(expression, [], scope, unit)
        case ast.Assign(value=ast.Yield() | ast.YieldFrom() as expression):
            return _yielding(expression, node.targets, scope, unit)
    raise refusal(node, unit, "yield in this place is not supported", "give it a statement of its own: x = yield y")


def _yielding(node: ast.Yield | ast.YieldFrom, targets: list[ast.expr], scope: Scope, unit: Unit) -> Generating:
    value: Closure = compile_node(node.value, scope, unit) if node.value else (lambda env: None)
    stores = [assignment(target, scope, unit) for target in targets]
    place, is_one = Place(node, unit.source), isinstance(node, ast.Yield)

    def run(env: Env) -> Generator[Any, Any, object]:
        if is_one:
            result = yield value(env)
        else:
            source: Any = iterator_of(value(env), place)
            result = yield from source
        for store in stores:
            store(env, result)
        return None

    return run


def _for(node: ast.For, scope: Scope, unit: Unit) -> Generating:
    items, store = compile_node(node.iter, scope, unit), assignment(node.target, scope, unit)
    place = Place(node.iter, unit.source)
    body, otherwise = generator_block(node.body, scope, unit), generator_block(node.orelse, scope, unit)

    def run(env: Env) -> Generator[Any, Any, object]:
        for item in iterator_of(items(env), place):
            store(env, item)
            signal = yield from body(env)
            if signal is not None and signal is not CONTINUE:
                return None if signal is BREAK else signal
        return (yield from otherwise(env))

    return run


def _while(node: ast.While, scope: Scope, unit: Unit) -> Generating:
    test = truth_of(node.test, scope, unit)
    body, otherwise = generator_block(node.body, scope, unit), generator_block(node.orelse, scope, unit)

    def run(env: Env) -> Generator[Any, Any, object]:
        while test(env):
            signal = yield from body(env)
            if signal is not None and signal is not CONTINUE:
                return None if signal is BREAK else signal
        return (yield from otherwise(env))

    return run


def _if(node: ast.If, scope: Scope, unit: Unit) -> Generating:
    test = truth_of(node.test, scope, unit)
    then, otherwise = generator_block(node.body, scope, unit), generator_block(node.orelse, scope, unit)

    def run(env: Env) -> Generator[Any, Any, object]:
        return (yield from (then if test(env) else otherwise)(env))

    return run


def _with(node: ast.With, scope: Scope, unit: Unit) -> Generating:
    first, *rest = node.items
    manager, place = compile_node(first.context_expr, scope, unit), Place(first.context_expr, unit.source)
    store = assignment(first.optional_vars, scope, unit) if first.optional_vars else (lambda env, entered: None)
    inner: list[ast.stmt] = [ast.copy_location(ast.With(rest, node.body), node)] if rest else node.body
    body = generator_block(inner, scope, unit)

    def run(env: Env) -> Generator[Any, Any, object]:
        context = Context(manager(env), place)
        try:
            store(env, context.entered)
            signal = yield from body(env)
        except LimitError:
            raise
        except BaseException as error:
            if not context.swallows(error):
                raise
            return None
        context.leave()
        return signal

    return run


def _try(node: ast.Try, scope: Scope, unit: Unit) -> Generating:
    body, otherwise = generator_block(node.body, scope, unit), generator_block(node.orelse, scope, unit)
    handlers = [Handler(handler, scope, unit) for handler in node.handlers]
    bodies = [generator_block(handler.body, scope, unit) for handler in node.handlers]
    last = generator_block(node.finalbody, scope, unit)

    def attempt(env: Env) -> Generator[Any, Any, object]:
        try:
            signal = yield from body(env)
        except LimitError:
            raise
        except BaseException as error:
            check_memory(error)
            for handler, handle in zip(handlers, bodies, strict=True):
                if handler.catches(env, error):
                    before = handler.enter(env, error)
                    try:
                        signal = yield from handle(env)
                    finally:
                        handler.leave(env, before)
                    return signal
            raise
        return (yield from otherwise(env)) if signal is None else signal

    def run(env: Env) -> Generator[Any, Any, object]:
        try:
            signal = yield from attempt(env)
        except LimitError:
            raise
        except BaseException:
            final = yield from last(env)
            if final is not None:
                return final
            raise
        final = yield from last(env)
        return signal if final is None else final

    return run
