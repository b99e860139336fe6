"""Simpler versions of a snippet, for shrinking: a statement less, a block without its head, a part of an expression."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from copy import deepcopy


def versions(text: str) -> Iterator[str]:
    """Yield snippets that are simpler by one step, those that are simpler by much first."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError):
        return
    for step in range(sum(1 for _ in steps(tree))):
        copied = deepcopy(tree)
        for number, apply in enumerate(steps(copied)):
            if number == step:
                apply()
                break
        try:
            yield ast.unparse(copied) + "\n"
        except (ValueError, RecursionError):
            continue


def steps(tree: ast.AST) -> Iterator[Step]:
    """Yield the ways to make a tree simpler, from its root on."""
    waiting = [tree]
    while waiting:
        node = waiting.pop(0)
        for name, value in ast.iter_fields(node):
            parts = value if isinstance(value, list) else [value]
            for place, part in enumerate(parts):
                if isinstance(part, ast.AST):
                    waiting.append(part)
                yield from of_part(node, name, place, part, is_list=isinstance(value, list))


class Step:
    """Puts some parts in the place of one."""

    def __init__(self, node: ast.AST, name: str, place: int | None, parts: list[ast.AST]) -> None:
        self.node, self.name, self.place, self.parts = node, name, place, parts

    def __call__(self) -> None:
        if self.place is None:
            setattr(self.node, self.name, self.parts[0])
        else:
            getattr(self.node, self.name)[self.place : self.place + 1] = self.parts


def of_part(node: ast.AST, name: str, place: int, part: object, *, is_list: bool) -> Iterator[Step]:
    where = place if is_list else None
    if isinstance(part, ast.stmt):
        yield Step(node, name, place, [] if len(getattr(node, name)) > 1 else [ast.Pass()])
        for block in ("body", "orelse", "finalbody"):
            if inner := getattr(part, block, None):
                yield Step(node, name, place, inner)
    elif isinstance(part, ast.expr) and isinstance(getattr(part, "ctx", ast.Load()), ast.Load):
        if is_list and name != "values":
            yield Step(node, name, place, [])
        for inner in ast.iter_child_nodes(part):
            if isinstance(inner, ast.expr) and not isinstance(inner, ast.FormattedValue):
                yield Step(node, name, where, [inner])
        if not isinstance(part, ast.Constant | ast.Name | ast.JoinedStr | ast.FormattedValue):
            yield Step(node, name, where, [ast.Constant(0)])
    elif is_list and isinstance(part, ast.keyword | ast.ExceptHandler | ast.arg | ast.match_case | ast.withitem):
        yield Step(node, name, place, [])
