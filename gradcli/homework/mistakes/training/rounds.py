"""Loops of a descent that end earlier or later, or use one gradient in all rounds."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from copy import deepcopy

from gradcli.homework.mistakes.training.descents import DESCENT, Change, Found, steps

ROUNDS = 5  # of a loop, each of which may have been the last
FIRST = "_first"  # a name that no snippet has


def other_passes(places: list[ast.AST]) -> Iterator[Found]:
    """A loop that ends after fewer rounds, or goes round once more."""
    for node in places:
        if not isinstance(node, ast.For):
            continue
        count, written = node.iter, ast.unparse(node.iter)
        if isinstance(count, ast.List | ast.Tuple) and len(count.elts) > 1:
            for less in range(1, min(len(count.elts), ROUNDS)):
                message = (
                    f"you left out the last {'round' if less == 1 else f'{less} rounds'} of the loop over {written}"
                )
                yield DESCENT.code, f"{less} less", message, [node], _less(less), 2 + less
        elif isinstance(count, ast.Call) and ast.unparse(count.func) == "range" and len(count.args) == 1:
            most = count.args[0].value if isinstance(count.args[0], ast.Constant) else 2
            for less in range(1, min(most, ROUNDS) if isinstance(most, int) else 2):
                message = f"{written} goes round {'once' if less == 1 else f'{less} times'} more than you did"
                yield DESCENT.code, f"{less} less", message, [node], _rounds(-less), 2 + less
            yield DESCENT.code, "once more", f"{written} goes round once less than you did", [node], _rounds(1), 4
        else:
            message = f"you left out the last round of the loop over {written}"
            yield DESCENT.code, "1 less", message, [node], _all_but_one, 3


def _all_but_one(node: ast.AST) -> ast.AST:
    assert isinstance(node, ast.For)
    kept = ast.parse(f"list({ast.unparse(node.iter)})[:-1]", mode="eval").body
    return ast.For(node.target, kept, node.body, node.orelse, lineno=node.lineno)


def _less(less: int) -> Change:
    def change(node: ast.AST) -> ast.AST:
        assert isinstance(node, ast.For)
        assert isinstance(node.iter, ast.List | ast.Tuple)
        kept = ast.List(node.iter.elts[:-less], ast.Load())
        return ast.For(node.target, kept, node.body, node.orelse, lineno=node.lineno)

    return change


def _rounds(more: int) -> Change:
    def change(node: ast.AST) -> ast.AST:
        assert isinstance(node, ast.For)
        assert isinstance(node.iter, ast.Call)
        count = ast.BinOp(node.iter.args[0], ast.Add(), ast.Constant(more))
        return ast.For(node.target, ast.Call(node.iter.func, [count], []), node.body, node.orelse, lineno=node.lineno)

    return change


def one_gradient(places: list[ast.AST]) -> Iterator[Found]:
    """The gradient at the first weights used for every step of a loop."""
    taken = steps(places)
    for node in places:
        if isinstance(node, ast.For) and any(_holds(one, taken) for one in node.body) and len(node.body) > 1:
            message = (
                f"each round of {ast.unparse(node.iter)} has a gradient of its own, and you used the first for all"
            )
            yield DESCENT.code, "the first gradient", message, [node], _once(taken), 2


def _holds(statement: ast.AST, some: list[ast.AST]) -> bool:
    return any(node is one for node in ast.walk(statement) for one in some)


def _once(taken: list[ast.AST]) -> Change:
    """Return the change of a loop after which all but its steps is done in the first round alone."""
    written = [ast.unparse(one) for one in taken]

    def change(node: ast.AST) -> ast.AST:
        assert isinstance(node, ast.For)
        kept = [one for one in node.body if ".grad.zero_(" not in ast.unparse(one) and not _resets(one)]
        is_step = [any(text in ast.unparse(one) for text in written) for one in kept]
        first = [one for one, step in zip(kept, is_step, strict=True) if not step]
        done = ast.parse(f"{FIRST} = False").body
        body: list[ast.stmt] = [ast.If(ast.Name(FIRST, ast.Load()), [*first, *done], [])] if first else []
        body += [one for one, step in zip(kept, is_step, strict=True) if step]
        loop = ast.For(node.target, node.iter, body, node.orelse, lineno=node.lineno)
        return ast.If(ast.Constant(True), [*ast.parse(f"{FIRST} = True").body, deepcopy(loop)], [])

    return change


def _resets(statement: ast.stmt) -> bool:
    written = ast.unparse(statement)
    return "zero_grad(" in written or (isinstance(statement, ast.Assign) and written.endswith(".grad = None"))
