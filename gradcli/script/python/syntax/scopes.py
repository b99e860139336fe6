"""Scopes: a name lives in the block that mentions it, in a function around it, or among the globals.

A running block has its variables in a dictionary; under the key `OUTER`, which no name can be, is that of the block
around it. So a name is compiled to the number of steps outwards, and nothing is searched while the snippet runs.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import field
from typing import Any

from gradcli.facts import dataclass

Env = dict[str, Any]

OUTER = ""
CLASS = "__class__"  # where methods find the class that they were written in

COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)


@dataclass
class Scope:
    """A block with variables of its own.

    `kind` is module, function, class or cell: the last stands around the methods of a class and holds the class.
    """

    kind: str
    names: frozenset[str]
    outer: Scope | None = None
    globals: frozenset[str] = frozenset()
    nonlocals: frozenset[str] = frozenset()
    first_parameter: str | None = None
    name: str = ""  # of a function or class, with those around it: `A.f.<locals>`
    inside: dict[str, str] = field(default_factory=dict)  # the annotated names of a class, with their annotations
    cells: set[str] = field(default_factory=set)  # the names that blocks inside read or bind, which outlive a call

    def hops(self, name: str) -> int | None:
        """Return how many blocks outwards the name lives; None for a global."""
        if name in self.globals:
            return None
        scope: Scope | None = self
        if name in self.nonlocals:
            scope, steps = self.outer, 1
        else:
            steps = 0
        while scope is not None and scope.kind != "module":
            if name in scope.names and (scope.kind != "class" or scope is self):
                if steps:
                    scope.cells.add(name)
                return steps
            scope, steps = scope.outer, steps + 1
        return None

    def function(self) -> Scope | None:
        """The function that this block belongs to."""
        scope: Scope | None = self
        while scope is not None and scope.kind == "comprehension":
            scope = scope.outer
        return scope if scope is not None and scope.kind == "function" else None

    def qualified(self, name: str) -> str:
        """The `__qualname__` of a definition here under a name; past a cell, which has none of its own."""
        scope: Scope | None = self
        while scope is not None and scope.kind == "cell":
            scope = scope.outer
        if scope is None or not scope.name or name in scope.globals:
            return name
        return f"{scope.name}.<locals>.{name}" if scope.kind == "function" else f"{scope.name}.{name}"


def assigned_names(body: Iterable[ast.AST]) -> Iterator[tuple[str, str]]:
    """Yield the names that statements bind, each after `local`, `global` or `nonlocal`; without inner functions."""
    waiting = list(body)
    while waiting:
        node = waiting.pop()
        match node:
            case ast.Name(id=name, ctx=ast.Store() | ast.Del()):
                yield "local", name
            case ast.Global(names=names):
                yield from (("global", name) for name in names)
            case ast.Nonlocal(names=names):
                yield from (("nonlocal", name) for name in names)
            case ast.Import(names=aliases) | ast.ImportFrom(names=aliases):
                yield from (("local", a.asname or a.name.partition(".")[0]) for a in aliases)
            case ast.ExceptHandler(name=str(name)):
                yield "local", name
            case ast.FunctionDef() | ast.ClassDef():
                yield "local", node.name
            case ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)) | ast.MatchMapping(rest=str(name)):
                yield "local", name
        if isinstance(node, COMPREHENSIONS):  # its own names stay inside, except those of `:=`
            walrus = (inner for inner in ast.walk(node) if isinstance(inner, ast.NamedExpr))
            waiting.extend(inner.target for inner in walrus)
        elif not isinstance(node, (*FUNCTIONS, ast.ClassDef)):
            waiting.extend(ast.iter_child_nodes(node))


def bound_names(body: Iterable[ast.AST]) -> dict[str, frozenset[str]]:
    """The names that the statements bind, by how: `local`, `global`, `nonlocal`."""
    names_by_kind: dict[str, set[str]] = {"local": set(), "global": set(), "nonlocal": set()}
    for how, name in assigned_names(body):
        names_by_kind[how].add(name)
    elsewhere = names_by_kind["global"] | names_by_kind["nonlocal"]
    return {how: frozenset(names - elsewhere if how == "local" else names) for how, names in names_by_kind.items()}


def nodes_of(body: Iterable[ast.AST]) -> list[ast.AST]:
    """Return the nodes of a block, without what functions and classes inside hold."""
    nodes = list(body)
    for node in nodes:  # which grows
        if not isinstance(node, (*FUNCTIONS, ast.ClassDef)):
            nodes.extend(ast.iter_child_nodes(node))
    return nodes


def has_blocks(nodes: Iterable[ast.AST]) -> bool:
    """Whether there are blocks among the nodes of one, which hold the variables around them."""
    return any(isinstance(node, (*FUNCTIONS, *COMPREHENSIONS, ast.ClassDef)) for node in nodes)


def yields(nodes: Iterable[ast.AST]) -> bool:
    """Whether the nodes of a function make it a generator."""
    return any(isinstance(node, ast.Yield | ast.YieldFrom) for node in nodes)


def mangle(node: ast.ClassDef) -> None:
    """Rename `__private` in the body of a class to `_Class__private`, as Python does; inner classes do their own."""
    prefix = "_" + node.name.lstrip("_")
    if prefix == "_":
        return
    waiting: list[ast.AST] = list(node.body)
    while waiting:
        inner = waiting.pop()
        for name in ("id", "attr", "name", "arg", "asname", "rest"):
            old = getattr(inner, name, None)
            if isinstance(old, str) and _is_private(old) and not isinstance(inner, ast.alias):
                setattr(inner, name, prefix + old)
        if isinstance(inner, ast.Global | ast.Nonlocal):
            inner.names = [prefix + old if _is_private(old) else old for old in inner.names]
        if isinstance(inner, ast.ClassDef):
            waiting += [*inner.bases, *inner.decorator_list]
        else:
            waiting.extend(ast.iter_child_nodes(inner))


def _is_private(name: str) -> bool:
    return name.startswith("__") and not name.endswith("__")
