"""The words of the asker: expressions as they stand in a statement, and numbers as a sentence has them."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from gradcli.ops.support.surface import OPERATIONS
from gradcli.script.timeline.reasons import list_names

LONGEST = 60  # characters of an expression in a sentence
SIGNS = {"mm": "@", "reciprocal": "/"}  # of primitives that are no operation with an operator


class Written:
    """A statement as it is written."""

    def __init__(self, node: ast.stmt | None) -> None:
        self.node = node

    def nodes(self) -> Iterator[ast.AST]:
        return ast.walk(self.node) if self.node is not None else iter(())

    def operator(self, primitive: str) -> ast.BinOp | None:
        """Return the one use of an operator, None where there are several or none."""
        sign = SIGNS.get(primitive) or (OPERATIONS[primitive].symbol if primitive in OPERATIONS else "")
        kind = type(getattr(ast.parse(f"a {sign} b" if sign else "a", mode="eval").body, "op", None))
        uses = [x for x in self.nodes() if isinstance(x, ast.BinOp) and isinstance(x.op, kind)]
        return uses[0] if len(uses) == 1 else None

    def calls(self, *names: str) -> list[ast.Call]:
        """Return the calls of functions or methods with these names."""
        return [x for x in self.nodes() if isinstance(x, ast.Call) and called(x) in names]

    def of_primitive(self, primitive: str, exponent: Any = None) -> str:
        """Return the expression that applies a primitive; empty where that is not clear or long."""
        operator = self.operator(primitive)
        if operator is None and exponent is not None:
            powers = [x for x in self.nodes() if isinstance(x, ast.BinOp) and isinstance(x.op, ast.Pow)]
            operator = next((x for x in powers if ast.unparse(x.right) == f"{exponent}"), None)
        matches = [operator] if operator is not None else self.calls(primitive, f"{primitive}_")
        return short(matches[0]) if len(matches) == 1 else ""

    def argument(self, call: ast.Call) -> ast.expr | None:
        """Return what a function is applied to, or the object of a method."""
        owner = call.func.value if isinstance(call.func, ast.Attribute) else None
        if owner is not None and not is_module(owner) and ast.unparse(owner) != "self":  # whose layer it is
            return owner
        return call.args[0] if call.args else None

    def operand(self, *names: str) -> ast.expr | None:
        """Return what the first call of a function or method with one of these names is applied to."""
        calls = self.calls(*names)
        return self.argument(calls[0]) if calls else None

    def target(self) -> str:
        """Return the name that the statement assigns, if it is one, or the attribute."""
        targets = getattr(self.node, "targets", [getattr(self.node, "target", None)])
        return ast.unparse(targets[0]) if len(targets) == 1 and isinstance(targets[0], ast.Name | ast.Attribute) else ""

    def subjects(self) -> list[str]:
        """Return what the statement is about: the name that it assigns, a list that it appends to, owners of calls."""
        calls = [x.func for x in self.nodes() if isinstance(x, ast.Call) and isinstance(x.func, ast.Attribute)]
        names = [self.target(), *(ast.unparse(x.value) for x in calls if not is_module(x.value))]
        return [x for x in names if re.fullmatch(r"[A-Za-z_][\w.]*", x)]

    def with_(self, old: ast.AST, new: ast.AST | str) -> str:
        """Return the statement with one expression in place of another, on one line."""
        if self.node is None:
            return ""
        put = ast.parse(new, mode="eval").body if isinstance(new, str) else new

        class Put(ast.NodeTransformer):
            def visit(self, node: ast.AST) -> Any:
                return put if node is old else self.generic_visit(node)

        from copy import deepcopy

        copies: dict[int, Any] = {}
        tree = deepcopy(self.node, copies)
        old = copies[id(old)]
        return one_line(ast.unparse(ast.fix_missing_locations(Put().visit(tree))))

    def with_rate(self, value: float) -> str | None:
        """Return the statement with another learning rate; None where it gives none."""
        rates = [x.value for x in self.nodes() if isinstance(x, ast.keyword) and x.arg == "lr"]
        if isinstance(self.node, ast.Assign) and isinstance(self.node.value, ast.Constant):
            rates = [self.node.value]
        products = [x for x in self.nodes() if isinstance(x, ast.BinOp) and isinstance(self.node, ast.AugAssign)]
        rates += [x for product in products for x in (product.left, product.right) if isinstance(x, ast.Constant)]
        return self.with_(rates[0], ast.Constant(value)) if rates else None

    @property
    def text(self) -> str:
        return one_line(ast.unparse(self.node)) if self.node is not None else ""


def called(call: ast.Call) -> str:
    if isinstance(call.func, ast.Attribute):
        return call.func.attr
    return call.func.id if isinstance(call.func, ast.Name) else ""


@lru_cache(maxsize=4096)
def backward_call(node: ast.stmt | None) -> ast.Call | None:
    """Return the call of a statement that, by its name, runs a backward pass: `loss.backward()`, `backprop(loss)`."""
    call = node.value if isinstance(node, ast.Expr) else None
    is_pass = isinstance(call, ast.Call) and "back" in called(call) and not called(call).startswith("_")
    return call if isinstance(call, ast.Call) and is_pass else None


def names_in(node: ast.AST | None) -> list[str]:
    """Return the variables of an expression or a statement."""
    return [x.id for x in ast.walk(node) if isinstance(x, ast.Name)] if node is not None else []


def zero_words(names: Sequence[str]) -> str:
    """Return that the gradients of tensors are 0."""
    return f"{several(f'{name}.grad' for name in names)} {'is' if len(names) == 1 else 'are'} 0"


def meant(variables: dict[str, Any], node: ast.AST) -> Any:
    """Return what an expression of names, attributes and items means; None where that is not known."""
    if isinstance(node, ast.Constant | ast.Name):
        return node.value if isinstance(node, ast.Constant) else variables.get(node.id)
    if isinstance(node, ast.Attribute):
        attributes = getattr(meant(variables, node.value), "__dict__", {})
        tables = (attributes, attributes.get("_modules"), attributes.get("_parameters"))
        return next((table[node.attr] for table in tables if table and node.attr in table), None)
    if isinstance(node, ast.Subscript):
        items, key = meant(variables, node.value), meant(variables, node.slice)
        items, key = getattr(items, "_modules", items), str(key) if hasattr(items, "_modules") else key
        if isinstance(items, dict) and isinstance(key, str | int):
            return items.get(key)
        is_within = isinstance(items, list | tuple) and isinstance(key, int) and -len(items) <= key < len(items)
        return items[key] if is_within else None
    return None


def is_module(node: ast.expr) -> bool:
    """Return whether an expression is a module by its name: `F`, `torch`, `nn.functional`."""
    text = ast.unparse(node)
    return text in ("torch", "F", "np", "math", "nn", "functional") or text.endswith(
        (".functional", ".linalg", ".special")
    )


def one_line(text: str) -> str:
    return " ".join(text.split())


def short(node: ast.AST) -> str:
    text = one_line(ast.unparse(node))
    return text if len(text) <= LONGEST else ""


def number(value: Any) -> str:
    """Return a number with four digits; of several entries the size, as their norm."""
    value = np.asarray(value, float)  # whose squares are in its range
    if value.ndim == 0 or value.size == 1:
        return f"{float(value.ravel()[0]):.4g}"
    if value.size <= 4 and value.ndim == 1:
        return f"[{', '.join(f'{float(x):.4g}' for x in value)}]"
    return f"of norm {float(np.linalg.norm(value.ravel())):.4g}"


def several(names: Iterable[str]) -> str:
    return list_names(dict.fromkeys(names))
