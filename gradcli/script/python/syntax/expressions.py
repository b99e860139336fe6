"""Expressions: constants, operators, comparisons, conditions, attributes, items."""

from __future__ import annotations

import ast
from typing import Any

from gradcli.script.python.syntax.compiler import Closure, Unit, compile_node, compiles, refusal
from gradcli.script.python.syntax.names import local
from gradcli.script.python.syntax.scopes import Env, Scope
from gradcli.script.python.values.attributes import attribute
from gradcli.script.python.values.comparing import COMPARISONS, ORDERS
from gradcli.script.python.values.kinds import Defined, Facade
from gradcli.script.python.values.nesting import bounds, item
from gradcli.script.python.values.operators import BINARY, DIRECT, UNARY, WORD
from gradcli.script.python.values.places import Place, note_place

NUMBERS = frozenset((int, float))


@compiles(ast.Constant)
def constant(node: ast.Constant, scope: Scope, unit: Unit) -> Closure:
    value = node.value
    if isinstance(value, bytes | complex):
        raise refusal(node, unit, f"{type(value).__name__} values are not supported", "use numbers and texts")
    return lambda env: value


@compiles(ast.BinOp)
def binary(node: ast.BinOp, scope: Scope, unit: Unit) -> Closure:
    """Plain numbers, of which most loops are made, go straight to Python's operator where they cannot grow by much."""
    kind, place = type(node.op), Place(node, unit.source)
    apply, direct = BINARY[kind], DIRECT.get(kind, BINARY[kind])
    is_product = kind is ast.Mult
    left, right = compile_node(node.left, scope, unit), compile_node(node.right, scope, unit)
    first, second = local(node.left, scope), local(node.right, scope)

    def with_any(env: Env) -> Any:
        a = left(env)
        b = right(env)
        try:
            return apply(a, b)
        except Exception as error:
            note_place(error, place)
            raise

    def with_plain(env: Env) -> Any:
        a = env[first] if first in env else left(env)
        b = env[second] if second in env else right(env)
        try:
            if type(a) in NUMBERS and type(b) in NUMBERS:
                result = direct(a, b)
                if not is_product or -WORD < result < WORD:
                    return result
            elif type(a).__base__ is Facade or type(b).__base__ is Facade:  # numbers that need no check of their size
                return direct(a, b)
            return apply(a, b)
        except Exception as error:
            note_place(error, place)
            raise

    return with_plain if kind in DIRECT else with_any


@compiles(ast.UnaryOp)
def unary(node: ast.UnaryOp, scope: Scope, unit: Unit) -> Closure:
    apply, place, operand = UNARY[type(node.op)], Place(node, unit.source), compile_node(node.operand, scope, unit)

    def evaluate(env: Env) -> Any:
        x = operand(env)
        try:
            return apply(x)
        except Exception as error:
            note_place(error, place)
            raise

    return evaluate


def truth_of(node: ast.expr, scope: Scope, unit: Unit) -> Closure:
    """Return the closure of the truth of an expression; an error has its place."""
    operand, place = compile_node(node, scope, unit), Place(node, unit.source)

    def test(env: Env) -> bool:
        x = operand(env)
        if x is True or x is False:
            return x
        try:
            return bool(x)
        except Exception as error:
            note_place(error, place)
            raise

    return test


@compiles(ast.BoolOp)
def boolean(node: ast.BoolOp, scope: Scope, unit: Unit) -> Closure:
    *others, last = [compile_node(value, scope, unit) for value in node.values]
    stops_at, place = isinstance(node.op, ast.Or), Place(node, unit.source)

    def evaluate(env: Env) -> Any:
        for operand in others:
            value = operand(env)
            try:
                if bool(value) is stops_at:
                    return value
            except Exception as error:
                note_place(error, place)
                raise
        return last(env)

    return evaluate


@compiles(ast.Compare)
def compare(node: ast.Compare, scope: Scope, unit: Unit) -> Closure:
    place = Place(node, unit.source)
    first = compile_node(node.left, scope, unit)
    links = [
        (COMPARISONS[type(op)], compile_node(other, scope, unit))
        for op, other in zip(node.ops, node.comparators, strict=True)
    ]
    (apply, second), direct = links[0], ORDERS.get(type(node.ops[0]), links[0][0])

    def single(env: Env) -> Any:
        a = first(env)
        b = second(env)
        try:
            return direct(a, b) if type(a) in NUMBERS and type(b) in NUMBERS else apply(a, b)
        except Exception as error:
            note_place(error, place)
            raise

    def chain(env: Env) -> Any:
        a = first(env)
        result: Any = True
        for apply, operand in links:
            b = operand(env)
            try:
                result = apply(a, b)
                if not result:
                    return result
            except Exception as error:
                note_place(error, place)
                raise
            a = b
        return result

    return single if len(links) == 1 else chain


@compiles(ast.IfExp)
def conditional(node: ast.IfExp, scope: Scope, unit: Unit) -> Closure:
    test, then, otherwise = (
        truth_of(node.test, scope, unit),
        *(compile_node(x, scope, unit) for x in (node.body, node.orelse)),
    )
    return lambda env: then(env) if test(env) else otherwise(env)


@compiles(ast.Attribute)
def attribute_of(node: ast.Attribute, scope: Scope, unit: Unit) -> Closure:
    """Most attributes are those of a variable: `self.x`."""
    value, key, place = compile_node(node.value, scope, unit), node.attr, Place(node, unit.source)
    is_plain, variable = key[0] != "_", local(node.value, scope)

    def evaluate(env: Env) -> Any:
        x = env[variable] if variable in env else value(env)
        try:
            return getattr(x, key) if is_plain and type(type(x)) is Defined else attribute(x, key)
        except Exception as error:
            note_place(error, place)
            raise

    return evaluate


@compiles(ast.Subscript)
def item_of(node: ast.Subscript, scope: Scope, unit: Unit) -> Closure:
    value, key = compile_node(node.value, scope, unit), compile_node(node.slice, scope, unit)
    place = Place(node, unit.source)

    def evaluate(env: Env) -> Any:
        x = value(env)
        i = key(env)
        try:
            return item(x, i) if type(i) is tuple else x[i]
        except Exception as error:
            note_place(error, place)
            raise

    return evaluate


@compiles(ast.Slice)
def slice_of(node: ast.Slice, scope: Scope, unit: Unit) -> Closure:
    parts = [compile_node(p, scope, unit) if p else (lambda env: None) for p in (node.lower, node.upper, node.step)]
    lower, upper, step = parts
    return lambda env: bounds(lower(env), upper(env), step(env))
