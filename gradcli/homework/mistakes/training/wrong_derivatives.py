"""Snippets with several passes in which one derivative is wrong each time, and every value is right.

An expression `e` becomes `d + (e - d).detach()`: it has the value of `e` and the derivative of `d`.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from copy import deepcopy

from gradcli.homework.mistakes.derivatives.branches import PATH_MISSED
from gradcli.homework.mistakes.derivatives.nesting import INNER_DROPPED
from gradcli.homework.mistakes.derivatives.rules import POWER_RULE, PRODUCT_OWN_FACTOR, SIGN
from gradcli.homework.mistakes.training.descents import Change, Found, steps

FUNCTIONS = ("sin", "cos", "exp", "log", "sqrt", "tanh", "sigmoid")
Way = tuple[str, str, str, str, int]  # code, rule, message, the expression with the wrong derivative, rank


def other_derivatives(places: list[ast.AST]) -> Iterator[Found]:
    """A rule of differentiation that slips in every pass alike; one pass alone is looked into as a graph."""
    if sum(".backward(" in ast.unparse(one) for one in places if isinstance(one, ast.Expr)) < 2 and not any(
        isinstance(one, ast.For) for one in places
    ):
        return
    taken = {id(part) for step in steps(places) for part in ast.walk(step)}
    for node in places:
        if id(node) not in taken:
            for code, rule, message, wrong, rank in ways(node):
                yield code, rule, message, [node], _derived(wrong), rank


def ways(node: ast.AST) -> Iterator[Way]:
    """Yield the wrong derivatives of an expression."""
    written = ast.unparse(node) if isinstance(node, ast.expr) else ""
    if isinstance(node, ast.BinOp):
        a, b = f"({ast.unparse(node.left)})", f"({ast.unparse(node.right)})"
        if isinstance(node.op, ast.Pow) and isinstance(node.right, ast.Constant):
            yield from of_power(written, a, node.right.value)
        elif isinstance(node.op, ast.Add | ast.Sub):
            sign = "-" if isinstance(node.op, ast.Sub) else ""
            message = "the gradient also comes back through"
            yield PATH_MISSED.code, f"without {b}", f"{message} {b[1:-1]} in {written}", a, 2
            yield PATH_MISSED.code, f"without {a}", f"{message} {a[1:-1]} in {written}", f"{sign}{b}", 2
            turned = f"{a} {'+' if sign else '-'} {b}"
            yield SIGN.code, f"-{b[1:-1]}", f"in the derivative of {written} a sign has slipped", turned, 2
        elif isinstance(node.op, ast.Mult):
            message = f"in the derivative of {written} a factor is missing"
            for own, other in ((a, b), (b, a)):
                yield INNER_DROPPED.code, f"{other[1:-1]} = 1", message, own, 2
                own_factor = f"the derivative of {written} by {own[1:-1]} is the other factor, not {own[1:-1]} itself"
                yield PRODUCT_OWN_FACTOR.code, own[1:-1], own_factor, f"{own}**2/2 + {other}*{own}.detach()", 3
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in FUNCTIONS:
        inner = ast.unparse(node.args[0] if node.args else node.func.value)
        message = f"in the chain the derivative of {written} is missing"
        yield INNER_DROPPED.code, f"{node.func.attr}' = 1", message, f"({inner})", 2


def of_power(written: str, base: str, n: object) -> Iterator[Way]:
    if isinstance(n, int | float) and n not in (0, 1, -1):
        message = f"you dropped the factor in front of the derivative of {written}"
        yield POWER_RULE.code, "x**(n - 1)", message, f"{base}**{n}/{n}", 1
        message = f"you kept the exponent of {written}; it goes down by one"
        yield POWER_RULE.code, "n*x**n", message, f"{n}*{base}**{n + 1}/{n + 1}", 2


def _derived(wrong: str) -> Change:
    def change(node: ast.AST) -> ast.AST:
        assert isinstance(node, ast.expr)
        found = ast.parse(f"({wrong}) + ({ast.unparse(deepcopy(node))} - ({wrong})).detach()", mode="eval")
        return found.body

    return change
