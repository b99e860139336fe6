"""All changes of a program in one text, so that what none of them touches is compiled once; `_change` is in force."""

from __future__ import annotations

import ast
from collections.abc import Collection, Sequence
from typing import Any

# Code, what is said, line, node, its field, the other value: a node, a list, or a text; `args[1]` is in a list.
Change = tuple[str, str, int, ast.AST, str, Any]
Numbered = list[tuple[int, Any]]  # the numbers of changes, each with what stands there instead: a node, or statements


def together(tree: ast.Module, changes: Sequence[Change]) -> tuple[str, list[Change]]:
    """Return a text that holds changes, and those in the order of their numbers, from 1; some have no place in one.

    The tree is in the end as it was.
    """
    places: dict[tuple[int, str, int, int], list[Change]] = {}
    for change in changes:
        *_, node, field, other = change
        start, end = bounds(getattr(node, field), other)
        places.setdefault((id(node), field, start, end), []).append(change)
    numbered: list[Change] = []
    fields = {(id(node), field): (node, field, getattr(node, field)) for *_, node, field, _ in changes}
    before = [(node, field, value[:] if isinstance(value, list) else value) for node, field, value in fields.values()]
    bodies: dict[tuple[int, str], list[tuple[int, int, Numbered]]] = {}
    for (_, field, start, end), some in sorted(places.items(), key=lambda item: item[0][2:]):
        *_, node, _, _ = some[0]
        old = getattr(node, field)
        is_body = isinstance(old, list) and isinstance(old[0], ast.stmt)
        if isinstance(old, list) and not is_body and end != start + 1:
            continue
        tail = len(old) - end if isinstance(old, list) else 0
        first = len(numbered) + 1
        numbered += some
        others = [change[5][start : len(change[5]) - tail] if isinstance(old, list) else change[5] for change in some]
        if is_body:
            bodies.setdefault((id(node), field), []).append((start, end, list(enumerate(others, first))))
            continue
        here = old[start] if isinstance(old, list) else old
        picked = chosen(list(enumerate((node[0] if isinstance(node, list) else node for node in others), first)), here)
        if isinstance(old, list):
            old[start] = picked
        else:
            setattr(node, field, picked)
    nodes = {id(node): node for *_, node, _, _ in changes}
    for (id_, field), ranges in bodies.items():
        setattr(nodes[id_], field, branched(getattr(nodes[id_], field), ranges))
    loops = [node.body for node in ast.walk(tree) if isinstance(node, ast.While)]
    for body in loops:  # what does not end with a change stops, and the others go on
        body.insert(0, ast.Expr(test("_turn()")))
    text = f"_change = 0\n{ast.unparse(ast.fix_missing_locations(tree))}"
    for body in loops:
        del body[0]
    for node, field, value in before:
        setattr(node, field, value)
    return text, numbered


def parsed(change: Change) -> Change:
    """Return a change whose other value is no text: most changes are never tried, and reading takes a while."""
    code, says, line, node, field, other = change
    if not isinstance(other, str):
        return change
    name, _, place = field.rstrip("]").partition("[")
    value = test(other)
    if not place:
        return code, says, line, node, name, value
    values = list(getattr(node, name))
    values[int(place)] = value
    return code, says, line, node, name, values


def bounds(old: object, new: object) -> tuple[int, int]:
    """Return which part of a list is another one in the new list."""
    if not isinstance(old, list) or not isinstance(new, list):
        return 0, 1
    start, tail, shorter = 0, 0, min(len(old), len(new))
    while start < shorter and old[start] is new[start]:
        start += 1
    while tail < shorter - start and old[-1 - tail] is new[-1 - tail]:
        tail += 1
    return start, len(old) - tail


def chosen(some: Sequence[tuple[int, Any]], original: Any) -> Any:
    """Return an expression that is the one in force: its own, or one of some, which have numbers in a row."""

    def half(some: Sequence[tuple[int, Any]]) -> Any:
        if len(some) == 1:
            return some[0][1]
        middle = len(some) // 2
        return ast.IfExp(test(f"_change < {some[middle][0]}"), half(some[:middle]), half(some[middle:]))

    return ast.IfExp(test(f"{some[0][0]} <= _change <= {some[-1][0]}"), half(some), original)


def branched(body: list[ast.stmt], ranges: Sequence[tuple[int, int, Numbered]]) -> list[ast.stmt]:
    """Return a body in which statements are replaced where a change is in force."""
    statements: list[ast.stmt] = []
    for place, statement in enumerate([*body, ast.Pass()]):
        inserted = [some for start, end, some in ranges if start == end == place]
        statements += [ast.If(test(f"_change == {number}"), new, []) for some in inserted for number, new in some]
        branch = [statement]
        for start, end, some in ranges:
            for number, new in some if (start, end) == (place, place + 1) else ():
                branch = [ast.If(test(f"_change == {number}"), new or [ast.Pass()], branch)]
        statements += branch
    for start, end, some in ranges:
        for number, new in some if end > start + 1 else ():
            whole = [*body[:start], *new, *body[end:]]
            statements = [ast.If(test(f"_change == {number}"), whole, statements)]
    return statements


def holders(tree: ast.Module) -> dict[int, int]:
    """Return for each node inside a function, by its id, the number of the statement or lambda that holds it."""
    numbers: dict[int, int] = {}
    waiting: list[tuple[ast.AST, int]] = [(tree, -1)]
    count = 0
    while waiting:
        node, holder = waiting.pop()
        if isinstance(node, ast.stmt | ast.Lambda):
            holder, count = count, count + 1
        numbers[id(node)] = holder
        waiting += [(child, holder) for child in ast.iter_child_nodes(node)]
    return numbers


def disturbances(tree: ast.Module, reached: Collection[int]) -> dict[int, list[Change]]:
    """Return changes that put each of a statement's numbers a bit off, by the number of the statement.

    Where a call makes a node, or keeps something, they are those that it gets.
    """
    numbers = holders(tree)
    changes: dict[int, list[Change]] = {}
    for node in ast.walk(tree):
        value = getattr(node, "value", None)
        if not isinstance(node, ast.Assign | ast.AugAssign | ast.Return | ast.Expr) or numbers[id(node)] not in reached:
            continue
        others: list[ast.expr] = []
        if isinstance(value, ast.Call) and (isinstance(node, ast.Expr) or is_class(value.func)):
            others = [ast.Call(value.func, parts, value.keywords) for parts in each_off(value.args)]
        elif isinstance(value, ast.Tuple | ast.List):
            others = [type(value)(parts, ast.Load()) for parts in each_off(value.elts)]
        elif isinstance(value, ast.expr) and not isinstance(node, ast.Expr) and not isinstance(value, ast.Constant):
            others = [off(value)]
        if others:
            changes[numbers[id(node)]] = [("", "", node.lineno, node, "value", other) for other in others]
    return changes


def each_off(parts: list[ast.expr]) -> list[list[ast.expr]]:
    """Return some expressions with one of them off, for each; a 0 that is put off is still 0."""
    places = [place for place, part in enumerate(parts) if not isinstance(part, ast.Constant)]
    return [[*parts[:place], off(parts[place]), *parts[place + 1 :]] for place in places]


def off(value: ast.expr) -> ast.expr:
    return test(f"_off({ast.unparse(value)})")


def is_class(function: ast.expr) -> bool:
    return isinstance(function, ast.Name) and function.id[:1].isupper()


def watched(tree: ast.Module) -> str:
    """Return a text that notes in `_reached` which statements and lambdas run."""
    numbers = holders(tree)

    def noted(node: ast.AST) -> str:
        return f"_reached[{numbers[id(node)]}] = 1"

    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    inside = {id(inner): inner for function in functions for inner in ast.walk(function)}
    for node in list(ast.walk(tree)):
        if isinstance(node, ast.Lambda):
            call = ast.Call(test("_reached.setdefault"), [ast.Constant(numbers[id(node)]), ast.Constant(1)], [])
            node.body = ast.Subscript(ast.Tuple([call, node.body], ast.Load()), ast.Constant(1), ast.Load())
        for field in ("body", "orelse", "finalbody") if id(node) in inside else ():
            body = getattr(node, field, None)
            if isinstance(body, list):
                setattr(node, field, [new for part in body for new in (*ast.parse(noted(part)).body, part)])
    return f"_reached = {{}}\n{ast.unparse(ast.fix_missing_locations(tree))}"


def test(text: str) -> ast.expr:
    return ast.parse(text, mode="eval").body
