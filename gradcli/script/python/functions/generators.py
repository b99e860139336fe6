"""Functions with `yield`: their statements become generators of Python, which stop where the snippet's do.

An expression with `yield` inside is taken apart first (see `hoisting`), so that here `yield` is a statement of its own:
an assignment to a name that no snippet can write.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Generator
from typing import Any

from gradcli.script.errors import LimitError
from gradcli.script.python.functions.hoisting import Hoist
from gradcli.script.python.syntax.compiler import BREAK, CONTINUE, RESULT, RETURN, Closure, Unit, compiled
from gradcli.script.python.syntax.control import iterated
from gradcli.script.python.syntax.exceptions import Handler, check_memory
from gradcli.script.python.syntax.expressions import tested
from gradcli.script.python.syntax.managers import Context
from gradcli.script.python.syntax.names import store_name
from gradcli.script.python.syntax.patterns import pattern
from gradcli.script.python.syntax.scopes import Env, Scope, yields
from gradcli.script.python.syntax.statements import statement
from gradcli.script.python.syntax.targets import assignment
from gradcli.script.python.values.places import Place, placed

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
        if not yields([node]) or isinstance(node, ast.FunctionDef | ast.ClassDef):
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
                placed(error, place)
                raise
            if signal is not None:
                return signal
        return None

    return run


def _statement(node: ast.stmt, scope: Scope, unit: Unit) -> Generating:
    match node:
        case ast.For():
            return _hoisted("iter", node, _for, scope, unit)
        case ast.While():
            return _while(node, scope, unit)
        case ast.If():
            return _hoisted("test", node, _if, scope, unit)
        case ast.With():
            return _with(node, scope, unit)
        case ast.Try():
            return _try(node, scope, unit)
        case ast.Match():
            return _hoisted("subject", node, _match, scope, unit)
        case ast.Assign(targets=[ast.Name(id=name)], value=ast.Yield() | ast.YieldFrom() as given):
            if given.value is None or not yields([given.value]):
                return _yielding(given, name, scope, unit)
    return generator_block(Hoist(unit).statement(node), scope, unit)


def _yielding(node: ast.Yield | ast.YieldFrom, name: str, scope: Scope, unit: Unit) -> Generating:
    value: Closure = compiled(node.value, scope, unit) if node.value else (lambda env: None)
    store = store_name(name, scope, unit)
    place = Place(node, unit.source)

    def one(env: Env) -> Generator[Any, Any, object]:
        store(env, (yield value(env)))
        return None

    def several(env: Env) -> Generator[Any, Any, object]:
        source: Any = iterated(value(env), place)
        store(env, (yield from source))
        return None

    return one if isinstance(node, ast.Yield) else several


def _hoisted(head: str, node: Any, compiler: Callable[..., Generating], scope: Scope, unit: Unit) -> Generating:
    """A compound statement whose head may have a `yield`, which runs first."""
    before, rest = Hoist(unit).expression(getattr(node, head))
    setattr(node, head, rest)
    run = compiler(node, scope, unit)
    if not before:
        return run
    first = generator_block(before, scope, unit)

    def run_both(env: Env) -> Generator[Any, Any, object]:
        yield from first(env)
        return (yield from run(env))

    return run_both


def _for(node: ast.For, scope: Scope, unit: Unit) -> Generating:
    items, store = compiled(node.iter, scope, unit), assignment(node.target, scope, unit)
    place = Place(node.iter, unit.source)
    body, otherwise = generator_block(node.body, scope, unit), generator_block(node.orelse, scope, unit)

    def run(env: Env) -> Generator[Any, Any, object]:
        for item in iterated(items(env), place):
            store(env, item)
            signal = yield from body(env)
            if signal is not None and signal is not CONTINUE:
                return None if signal is BREAK else signal
        return (yield from otherwise(env))

    return run


def _while(node: ast.While, scope: Scope, unit: Unit) -> Generating:
    before, rest = Hoist(unit).expression(node.test)
    first, test = generator_block(before, scope, unit), tested(rest, scope, unit)
    body, otherwise = generator_block(node.body, scope, unit), generator_block(node.orelse, scope, unit)

    def run(env: Env) -> Generator[Any, Any, object]:
        while True:
            yield from first(env)
            if not test(env):
                return (yield from otherwise(env))
            signal = yield from body(env)
            if signal is not None and signal is not CONTINUE:
                return None if signal is BREAK else signal

    return run


def _if(node: ast.If, scope: Scope, unit: Unit) -> Generating:
    test = tested(node.test, scope, unit)
    then, otherwise = generator_block(node.body, scope, unit), generator_block(node.orelse, scope, unit)

    def run(env: Env) -> Generator[Any, Any, object]:
        return (yield from (then if test(env) else otherwise)(env))

    return run


def _match(node: ast.Match, scope: Scope, unit: Unit) -> Generating:
    subject = compiled(node.subject, scope, unit)
    cases = [
        (
            pattern(case.pattern, scope, unit),
            tested(case.guard, scope, unit) if case.guard else None,
            generator_block(case.body, scope, unit),
        )
        for case in node.cases
    ]

    def run(env: Env) -> Generator[Any, Any, object]:
        value = subject(env)
        for matches, guard, body in cases:
            if matches(env, value) and (guard is None or guard(env)):
                return (yield from body(env))
        return None

    return run


def _with(node: ast.With, scope: Scope, unit: Unit) -> Generating:
    first, *rest = node.items
    before, expression = Hoist(unit).expression(first.context_expr)
    head = generator_block(before, scope, unit)
    manager, place = compiled(expression, scope, unit), Place(first.context_expr, unit.source)
    store = assignment(first.optional_vars, scope, unit) if first.optional_vars else (lambda env, entered: None)
    inner: list[ast.stmt] = [ast.copy_location(ast.With(rest, node.body), node)] if rest else node.body
    body = generator_block(inner, scope, unit)

    def run(env: Env) -> Generator[Any, Any, object]:
        yield from head(env)
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
