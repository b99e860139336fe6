"""Mistakes at random in right engines and layers: one place is changed as students get it wrong.

Whether the changed program is wrong is seen by running it in Python, on graphs of its own, against differences.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator
from random import Random
from typing import Any

from tests.homework.code.engines import SHAPES

NUMBERED = """
class Value:
    count = 0

    def __init__(self, data, inputs=(), rule=None):
        Value.count += 1
        self.number = Value.count
        self.data, self.grad, self.inputs, self.rule = data, 0.0, inputs, rule

    def __add__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        return Value(self.data + other.data, (self, other), "add")

    def __mul__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        return Value(self.data * other.data, (self, other), "mul")

    __radd__, __rmul__ = __add__, __mul__

    def backward(self):
        nodes, stack = [], [self]
        while stack:
            node = stack.pop()
            if node not in nodes:
                nodes.append(node)
                stack.extend(node.inputs)
        nodes.sort(key=lambda node: node.number, reverse=True)
        self.grad = 1.0
        for node in nodes:
            if node.rule is not None:
                a, b = node.inputs
                da, db = RULES[node.rule](node.grad, a.data, b.data)
                a.grad += da
                b.grad += db


RULES = {
    "add": lambda g, a, b: (g, g),
    "mul": lambda g, a, b: (g * b, g * a),
}
"""
DICTS = """
class Value:
    def __init__(self, data):
        self.data = data
        self.parents = []
        self.grad = 0.0

    @staticmethod
    def lift(x):
        return x if isinstance(x, Value) else Value(x)

    def __add__(self, other):
        other = Value.lift(other)
        out = Value(self.data + other.data)
        out.parents = [{"node": self, "local": 1.0}, {"node": other, "local": 1.0}]
        return out

    def __mul__(self, other):
        other = Value.lift(other)
        out = Value(self.data * other.data)
        out.parents = [{"node": self, "local": other.data}, {"node": other, "local": self.data}]
        return out

    def __radd__(self, other):
        return self + other

    def __rmul__(self, other):
        return self * other

    def order(self):
        done, result = set(), []

        def visit(node):
            if id(node) not in done:
                done.add(id(node))
                for entry in node.parents:
                    visit(entry["node"])
                result.append(node)

        visit(self)
        return result

    def backward(self):
        grads = {id(self): 1.0}
        for node in reversed(self.order()):
            upstream = grads[id(node)]
            node.grad += upstream
            for entry in node.parents:
                key = id(entry["node"])
                grads[key] = grads.get(key, 0.0) + upstream * entry["local"]
"""
ENGINES = {**SHAPES, "numbered": NUMBERED, "dicts": DICTS}
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
