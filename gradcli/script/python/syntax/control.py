"""Conditions and loops."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from gradcli.script.python.syntax.compiler import BREAK, CONTINUE, Closure, Unit, compile_node, compiles
from gradcli.script.python.syntax.expressions import truth_of
from gradcli.script.python.syntax.scopes import Env, Scope
from gradcli.script.python.syntax.statements import block
from gradcli.script.python.syntax.targets import assignment
from gradcli.script.python.values.places import Place, note_place


def nothing(env: Env) -> None:
    """Do nothing, in the place of an `else` that is not there."""


@compiles(ast.If)
def compile_if(node: ast.If, scope: Scope, unit: Unit) -> Closure:
    test, then = truth_of(node.test, scope, unit), block(node.body, scope, unit)
    otherwise = block(node.orelse, scope, unit) if node.orelse else nothing
    return lambda env: then(env) if test(env) else otherwise(env)


@compiles(ast.While)
def compile_while(node: ast.While, scope: Scope, unit: Unit) -> Closure:
    test, body = truth_of(node.test, scope, unit), block(node.body, scope, unit)
    otherwise = block(node.orelse, scope, unit) if node.orelse else nothing
    lines, line = unit.machine.lines, node.lineno

    def run(env: Env) -> object:
        while test(env):
            signal = body(env)
            if signal is not None and signal is not CONTINUE:
                return None if signal is BREAK else signal
            lines[0] = line
        return otherwise(env)

    return run


@compiles(ast.For)
def compile_for(node: ast.For, scope: Scope, unit: Unit) -> Closure:
    items, body = compile_node(node.iter, scope, unit), block(node.body, scope, unit)
    otherwise = block(node.orelse, scope, unit) if node.orelse else nothing
    store, place = assignment(node.target, scope, unit), Place(node.iter, unit.source)

    def run(env: Env) -> object:
        for item in iterator_of(items(env), place):
            store(env, item)
            signal = body(env)
            if signal is not None and signal is not CONTINUE:
                return None if signal is BREAK else signal
        return otherwise(env)

    return run


def iterator_of(value: Any, place: Place) -> Iterator[Any]:
    """Return the iterator of a value; an error has the place of the value."""
    try:
        items: Iterator[Any] = iter(value)
        return items
    except Exception as error:
        note_place(error, place)
        raise


@compiles(ast.Break)
def compile_break(node: ast.Break, scope: Scope, unit: Unit) -> Closure:
    return lambda env: BREAK


@compiles(ast.Continue)
def compile_continue(node: ast.Continue, scope: Scope, unit: Unit) -> Closure:
    return lambda env: CONTINUE
