"""Expressions with `yield` inside, taken apart into statements that each yield once at most.

A value computed before a `yield` waits under a name of its own, so that everything happens in Python's order.
"""

from __future__ import annotations

import ast
from typing import Any, NoReturn

from gradcli.script.python.syntax.compiler import Unit, refusal
from gradcli.script.python.syntax.scopes import yields

Statements = list[ast.stmt]
HIDDEN = ("ctx", "op", "ops", "attr", "conversion")  # fields that hold no expressions


class Hoist:
    """Takes the expressions of one statement apart."""

    def __init__(self, unit: Unit) -> None:
        self.unit = unit
        self.before: Statements = []

    def expression(self, node: ast.expr) -> tuple[Statements, ast.expr]:
        """Return the statements that run first, and the rest of the expression."""
        return self.before, self.rest(node)

    def statement(self, node: ast.stmt) -> Statements:
        """A simple statement as several, with `yield` only as the value of an assignment to a name."""
        match node:
            case ast.AugAssign():
                self._augmented(node)
                return self.before
            case ast.Expr() | ast.Assign() | ast.AnnAssign() | ast.Return() | ast.Raise() | ast.Delete():
                self._children(node, ["value", "targets", "target", "exc", "cause"])
            case ast.Assert():
                self._children(node, ["test"])
                if node.msg is not None and yields([node.msg]):
                    self._refuse(node.msg)
            case _:
                self._refuse(node)
        return [*self.before, node]

    def rest(self, node: ast.expr) -> ast.expr:
        """The expression without its `yield`s, which are among the statements before it now."""
        if not yields([node]):
            return node
        match node:
            case ast.Yield() | ast.YieldFrom():
                if node.value is not None:
                    node.value = self.rest(node.value)
                return self._kept(node)
            case ast.BoolOp():
                return self._boolean(node)
            case ast.IfExp():
                return self._conditional(node)
            case ast.NamedExpr():
                node.value = self.rest(node.value)
                return node
            case ast.Compare() if len(node.ops) > 1:
                self._refuse(node)
            case ast.Dict():
                self._refuse(node)
        self._children(node, [name for name in node._fields if name not in HIDDEN])
        return node

    def _children(self, node: ast.AST, names: list[str]) -> None:
        """Take the parts of an expression apart; each before the last `yield` is evaluated before it."""
        places: list[tuple[Any, Any, ast.expr]] = []
        for name in names:
            value = getattr(node, name, None)
            if isinstance(value, list):
                places += [(value, position, child) for position, child in enumerate(value)]
            elif isinstance(value, ast.AST):
                places.append((node, name, value))  # type: ignore[arg-type]
        last = max((i for i, (*_, child) in enumerate(places) if yields([child])), default=-1)
        for index, (owner, key, child) in enumerate(places[: last + 1]):
            if isinstance(child, ast.keyword | ast.Starred):
                owner, key, child = child, "value", child.value
            if not isinstance(getattr(child, "ctx", ast.Load()), ast.Load):
                self._children(child, [name for name in ("value", "slice", "elts") if hasattr(child, name)])
                continue
            new = self.rest(child)
            if index < last and not isinstance(new, ast.Constant) and not _is_kept(new):
                new = self._kept(new)
            if isinstance(owner, list):
                owner[key] = new
            else:
                setattr(owner, key, new)

    def _augmented(self, node: ast.AugAssign) -> None:
        """Take `target += yield` apart: the value before is read first."""
        if isinstance(node.target, ast.Name):
            loaded = ast.copy_location(ast.Name(node.target.id, ast.Load()), node.target)
            old = self._kept(loaded)
        else:
            self._children(node.target, ["value", "slice"])
            node.target.value = self._kept(node.target.value)
            if isinstance(node.target, ast.Subscript):
                node.target.slice = self._kept(node.target.slice)
                again: ast.expr = ast.Subscript(node.target.value, node.target.slice, ast.Load())
            else:
                again = ast.Attribute(node.target.value, node.target.attr, ast.Load())
            old = self._kept(ast.copy_location(again, node.target))
        kept = ast.copy_location(ast.Name(old.id, ast.Store()), node)
        change = ast.AugAssign(kept, node.op, self.rest(node.value))
        self.before.append(ast.copy_location(change, node))
        self.before.append(ast.copy_location(ast.Assign([node.target], old), node))

    def _boolean(self, node: ast.BoolOp) -> ast.expr:
        first, *others = node.values
        kept = self._kept(self.rest(first))
        for value in others:
            test: ast.expr = ast.copy_location(ast.Name(kept.id, ast.Load()), value)
            if isinstance(node.op, ast.Or):
                test = ast.copy_location(ast.UnaryOp(ast.Not(), test), value)
            self.before.append(ast.copy_location(ast.If(test, self._into(kept, value), []), value))
        return kept

    def _conditional(self, node: ast.IfExp) -> ast.expr:
        kept = self._kept(ast.copy_location(ast.Constant(None), node))
        test = self.rest(node.test)
        branches = ast.If(test, self._into(kept, node.body), self._into(kept, node.orelse))
        self.before.append(ast.copy_location(branches, node))
        return kept

    def _into(self, kept: ast.Name, value: ast.expr) -> Statements:
        """Statements that leave a value under a name that is there already."""
        inner = Hoist(self.unit)
        rest = inner.rest(value)
        store = ast.copy_location(ast.Name(kept.id, ast.Store()), value)
        return [*inner.before, ast.copy_location(ast.Assign([store], rest), value)]

    def _kept(self, value: ast.expr) -> ast.Name:
        """Evaluate an expression now; return the name under which its value waits."""
        name = f" {value.lineno} {value.col_offset} {len(self.before)} {id(self)}"
        store = ast.copy_location(ast.Name(name, ast.Store()), value)
        self.before.append(ast.copy_location(ast.Assign([store], value), value))
        return ast.copy_location(ast.Name(name, ast.Load()), value)

    def _refuse(self, node: ast.AST) -> NoReturn:
        raise refusal(node, self.unit, "yield in this place is not supported", "give it a statement of its own")


def _is_kept(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) and node.id.startswith(" ")
