"""Expressions: names, constants, operators, displays, attributes, items, f-strings."""

from __future__ import annotations

import ast
from typing import Any

from gradcli.script.python.attributes import attribute
from gradcli.script.python.compiler import Closure, Unit, compiled, compiles, refusal
from gradcli.script.python.operators import BINARY, COMPARISONS, UNARY
from gradcli.script.python.places import Place, placed
from gradcli.script.python.scopes import OUTER, Env, Scope


@compiles(ast.Constant)
def constant(node: ast.Constant, scope: Scope, unit: Unit) -> Closure:
    value = node.value
    if isinstance(value, bytes | complex):
        raise refusal(node, unit, f"{type(value).__name__} values are not supported", "use numbers and texts")
    return lambda env: value


@compiles(ast.Name)
def name(node: ast.Name, scope: Scope, unit: Unit) -> Closure:
    """A variable of this block, of a block around it, a global, or a builtin."""
    key, steps, place = node.id, scope.hops(node.id), Place(node, unit.source)
    if steps is None:
        return _global(key, place, unit.machine.globals, unit.machine.builtins)

    def near(env: Env) -> Any:
        try:
            return env[key]
        except KeyError:
            raise unbound(key, place) from None

    def outer(env: Env) -> Any:
        env = env[OUTER]
        try:
            return env[key]
        except KeyError:
            raise unbound(key, place) from None

    def far(env: Env) -> Any:
        for _ in range(steps):
            env = env[OUTER]
        try:
            return env[key]
        except KeyError:
            raise unbound(key, place) from None

    if steps == 0 and scope.kind == "class":
        return _in_class(key, _global(key, place, unit.machine.globals, unit.machine.builtins))
    return near if steps == 0 else outer if steps == 1 else far


def _global(key: str, place: Place, variables: Env, builtins: Env) -> Closure:
    def load(env: Env) -> Any:
        try:
            return variables[key]
        except KeyError:
            if key in builtins:
                return builtins[key]
            error = NameError(f"name {key!r} is not defined", name=key)
            placed(error, place)
            raise error from None

    return load


def _in_class(key: str, otherwise: Closure) -> Closure:
    return lambda env: env[key] if key in env else otherwise(env)


def unbound(key: str, place: Place) -> NameError:
    """A local variable that has no value yet."""
    error = UnboundLocalError(f"cannot access local variable {key!r} where it is not associated with a value")
    placed(error, place)
    return error


@compiles(ast.BinOp)
def binary(node: ast.BinOp, scope: Scope, unit: Unit) -> Closure:
    apply, place = BINARY[type(node.op)], Place(node, unit.source)
    left, right = compiled(node.left, scope, unit), compiled(node.right, scope, unit)

    def evaluate(env: Env) -> Any:
        a, b = left(env), right(env)
        try:
            return apply(a, b)
        except Exception as error:
            placed(error, place)
            raise

    return evaluate


@compiles(ast.UnaryOp)
def unary(node: ast.UnaryOp, scope: Scope, unit: Unit) -> Closure:
    apply, place, operand = UNARY[type(node.op)], Place(node, unit.source), compiled(node.operand, scope, unit)

    def evaluate(env: Env) -> Any:
        x = operand(env)
        try:
            return apply(x)
        except Exception as error:
            placed(error, place)
            raise

    return evaluate


@compiles(ast.BoolOp)
def boolean(node: ast.BoolOp, scope: Scope, unit: Unit) -> Closure:
    *others, last = [compiled(value, scope, unit) for value in node.values]
    stops_at = isinstance(node.op, ast.Or)

    def evaluate(env: Env) -> Any:
        for operand in others:
            value = operand(env)
            if bool(value) is stops_at:
                return value
        return last(env)

    return evaluate


@compiles(ast.Compare)
def compare(node: ast.Compare, scope: Scope, unit: Unit) -> Closure:
    place = Place(node, unit.source)
    first = compiled(node.left, scope, unit)
    links = [
        (COMPARISONS[type(op)], compiled(other, scope, unit))
        for op, other in zip(node.ops, node.comparators, strict=True)
    ]
    (apply, second) = links[0]

    def one(env: Env) -> Any:
        a, b = first(env), second(env)
        try:
            return apply(a, b)
        except Exception as error:
            placed(error, place)
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
                placed(error, place)
                raise
            a = b
        return result

    return one if len(links) == 1 else chain


@compiles(ast.IfExp)
def conditional(node: ast.IfExp, scope: Scope, unit: Unit) -> Closure:
    test, then, otherwise = (compiled(part, scope, unit) for part in (node.test, node.body, node.orelse))
    return lambda env: then(env) if test(env) else otherwise(env)


@compiles(ast.NamedExpr)
def walrus(node: ast.NamedExpr, scope: Scope, unit: Unit) -> Closure:
    from gradcli.script.python.targets import assignment

    value = compiled(node.value, scope, unit)
    store = assignment(node.target, scope, unit)

    def evaluate(env: Env) -> Any:
        result = value(env)
        store(env, result)
        return result

    return evaluate


@compiles(ast.Attribute)
def attribute_of(node: ast.Attribute, scope: Scope, unit: Unit) -> Closure:
    value, key, place = compiled(node.value, scope, unit), node.attr, Place(node, unit.source)

    def evaluate(env: Env) -> Any:
        x = value(env)
        try:
            return attribute(x, key)
        except Exception as error:
            placed(error, place)
            raise

    return evaluate


@compiles(ast.Subscript)
def item_of(node: ast.Subscript, scope: Scope, unit: Unit) -> Closure:
    value, key, place = (
        compiled(node.value, scope, unit),
        compiled(node.slice, scope, unit),
        Place(node, unit.source),
    )

    def evaluate(env: Env) -> Any:
        x, i = value(env), key(env)
        try:
            return x[i]
        except Exception as error:
            placed(error, place)
            raise

    return evaluate


@compiles(ast.Slice)
def bounds(node: ast.Slice, scope: Scope, unit: Unit) -> Closure:
    parts = [compiled(p, scope, unit) if p else (lambda env: None) for p in (node.lower, node.upper, node.step)]
    lower, upper, step = parts
    return lambda env: slice(lower(env), upper(env), step(env))
