"""Mistakes at random in right engines and layers: one place is changed as students get it wrong.

Whether the changed program is wrong is seen by running it in Python, on graphs of its own, against differences.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator
from random import Random
from typing import Any

GRADS = ("grad", "gradient", "gradients", "grads")
Place = tuple[ast.AST, str, Any]  # a node, its field, the other value


def mutants(text: str, draw: Random, count: int) -> Iterator[tuple[str, str, int]]:
    """Yield the kind of some mistakes, the program with each, and the line of it."""
    tree = ast.parse(text)
    found: dict[str, list[tuple[int, Place]]] = {}
    for kind, line, place in places(tree):
        found.setdefault(kind, []).append((line, place))
    kinds = [kind for kind in sorted(found) for _ in range(len(found[kind]))]
    draw.shuffle(kinds)
    for kind in kinds[:count]:
        line, (node, name, other) = found[kind].pop(draw.randrange(len(found[kind])))
        before = getattr(node, name)
        setattr(node, name, other)
        mutant = ast.unparse(ast.fix_missing_locations(copy.deepcopy(tree)))
        setattr(node, name, before)
        yield kind, mutant, line_in(mutant, ast.unparse(tree), line, text)


def line_in(mutant: str, right: str, line: int, text: str) -> int:
    """Return the first line in which a mutant differs from the program, as Python writes both."""
    pairs = zip(mutant.splitlines(), right.splitlines(), strict=False)
    return next((number for number, (one, other) in enumerate(pairs, 1) if one != other), line)


def is_forward(function: str) -> bool:
    return function in ("__init__", "forward", "lift", "__radd__", "__rmul__")


def places(tree: ast.Module) -> Iterator[tuple[str, int, Place]]:
    """Yield the places where a mistake can be made: its kind, its line, and the change."""
    functions = [(node, node.name) for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    seen: set[int] = set()
    for function, own in [*functions, (tree, "")]:
        if is_forward(own):
            seen.update(map(id, ast.walk(function)))
            continue
        for node in ast.walk(function):
            if id(node) not in seen:
                seen.add(id(node))
                yield from of_node(node, own)


def of_node(node: ast.AST, function: str) -> Iterator[tuple[str, int, Place]]:
    for name, body in ast.iter_fields(node):
        if not isinstance(body, list):
            continue
        for at, one in enumerate(body):
            if isinstance(one, ast.AugAssign) and is_grad(one.target):
                plain = ast.Assign([one.target], one.value, lineno=one.lineno)
                yield "overwrite", one.lineno, (node, name, [*body[:at], plain, *body[at + 1 :]])
                minus = ast.AugAssign(one.target, ast.Sub(), one.value, lineno=one.lineno)
                yield "sign", one.lineno, (node, name, [*body[:at], minus, *body[at + 1 :]])
            is_seed = isinstance(one, ast.Assign) and ast.unparse(one).endswith(
                ("grad = 1.0", "grad = 1", "gradient = 1.0")
            )
            if is_seed:
                yield "seed", one.lineno, (node, name, [*body[:at], ast.Pass(), *body[at + 1 :]])
        is_recursive = len(body) > 1 and isinstance(body[-1], ast.Expr) and "append" in ast.unparse(body[-1])
        if is_recursive and isinstance(body[-2], ast.For):
            yield "order", body[-1].lineno, (node, name, [*body[:-2], body[-1], body[-2]])
    if isinstance(node, ast.For):
        if isinstance(node.iter, ast.Call) and ast.unparse(node.iter.func) == "reversed":
            yield "order", node.lineno, (node, "iter", node.iter.args[0])
        if isinstance(node.iter, ast.Subscript) and ast.unparse(node.iter.slice) == "::-1":
            yield "order", node.lineno, (node, "iter", node.iter.value)
    if isinstance(node, ast.If) and " in " in ast.unparse(node.test):
        yield "visited", node.lineno, (node, "test", ast.Constant("not in" in ast.unparse(node.test)))
    for name, value in ast.iter_fields(node):
        for at, one in enumerate(value if isinstance(value, list) else [value]):
            for kind, other in of_expression(one, function, node):
                changed = [*value[:at], other, *value[at + 1 :]] if isinstance(value, list) else other
                yield kind, one.lineno, (node, name, changed)


def of_expression(node: Any, function: str, parent: ast.AST) -> Iterator[tuple[str, ast.expr]]:
    if isinstance(node, ast.BinOp) and not is_data(node, parent):
        if isinstance(node.op, ast.Mult):
            yield "factor", node.left
            if not (isinstance(node.left, ast.BinOp) and isinstance(node.left.op, ast.Mult)):
                yield "factor", node.right
        if isinstance(node.op, ast.MatMult):
            yield "matrix order", ast.BinOp(node.right, node.op, node.left)
        if isinstance(node.op, ast.Add) and any(part in ast.unparse(node.left) for part in GRADS):
            yield "overwrite", node.right
            yield "sign", ast.BinOp(node.left, ast.Sub(), node.right)
        if isinstance(node.op, ast.Sub):
            yield "sign", ast.BinOp(node.left, ast.Add(), node.right)
        if isinstance(node.op, ast.Div):
            yield "factor", node.left
    if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load) and isinstance(node.value, ast.Name):
        swapped = {"self": "other", "other": "self", "a": "b", "b": "a"}.get(node.value.id)
        if node.attr in ("data", "value", "val", "x") and swapped and not is_data(parent, parent):
            yield "swapped", ast.Attribute(ast.Name(swapped, ast.Load()), node.attr, ast.Load())
        if node.attr == "T":
            yield "transpose", node.value
    if (
        isinstance(node, ast.Constant)
        and node.value in (1, 1.0)
        and type(node.value) is not bool
        and function != "order"
    ):
        yield "constant", ast.Constant(-1.0)
        yield "constant", ast.Constant(0.0)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "sum":
        yield "sum", ast.Call(ast.Attribute(node.func.value, "mean", ast.Load()), node.args, node.keywords)
        yield "sum", node.args[0] if ast.unparse(node.func.value) == "np" else node.func.value
        if node.keywords and ast.unparse(node.keywords[0]) == "axis=0":
            yield "axis", ast.Call(node.func, node.args, [ast.keyword("axis", ast.Constant(1))])
    if isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.Gt):
        yield "mask", ast.Compare(node.left, [ast.Lt()], node.comparators)
    if (
        isinstance(node, ast.Tuple)
        and isinstance(node.ctx, ast.Load)
        and len(node.elts) == 2
        and isinstance(parent, ast.Return)
    ):
        yield "swapped", ast.Tuple([node.elts[1], node.elts[0]], ast.Load())


def is_data(node: ast.AST, parent: ast.AST) -> bool:
    """Whether it is the value of the forward pass: `Value(self.data * other.data, ...)`."""
    text = ast.unparse(parent)
    return (
        text.startswith(("Value(", "out = Value(", "return a", "return Value(")) and ".data" in text[:30]
    ) or ".value" in text[:22]


def is_grad(target: ast.expr) -> bool:
    return any(part in ast.unparse(target) for part in GRADS)
