"""Formulas with one edit: the value of a random one is explained."""

from __future__ import annotations

import ast
import random
from collections.abc import Iterator
from copy import deepcopy

import numpy as np
import pytest

from tests.homework.asking import assignment, marked

OPERATORS = (ast.Add, ast.Sub, ast.Mult)
AT = {"x": 1.7, "y": 0.62, "z": -1.31, "w": 2.43}
FUNCTIONS = {"sin": np.sin, "exp": np.exp, "tanh": np.tanh}


def drawn(draw: random.Random, names: list[str], depth: int = 2) -> str:
    """A formula over some names, each operation in parentheses."""
    if not depth:
        return draw.choice(names)
    kind = draw.randrange(5)
    if kind == 0:
        return f"{draw.choice(list(FUNCTIONS))}({drawn(draw, names, depth - 1)})"
    if kind == 1:
        return f"({drawn(draw, names, depth - 1)}**2)"
    return f"({drawn(draw, names, depth - 1)} {draw.choice('+-*')} {drawn(draw, names, depth - 1)})"


def edits(tree: ast.Expression, names: list[str]) -> Iterator[ast.Expression]:
    """Every formula with one name or one operator replaced, or with the parentheses of two operations moved."""
    for place, node in enumerate(ast.walk(tree)):
        if isinstance(node, ast.Name) and node.id in names:
            yield from (changed(tree, place, ast.Name(name)) for name in names if name != node.id)
        if isinstance(node, ast.BinOp) and not isinstance(node.op, ast.Pow):
            yield from (changed(tree, place, ast.BinOp(node.left, op(), node.right)) for op in OPERATORS)
            if isinstance(node.right, ast.BinOp):
                inner = node.right
                moved = ast.BinOp(ast.BinOp(node.left, node.op, inner.left), inner.op, inner.right)
                yield changed(tree, place, moved)


def changed(tree: ast.Expression, place: int, new: ast.expr) -> ast.Expression:
    copy = deepcopy(tree)
    old = list(ast.walk(copy))[place]

    class Replace(ast.NodeTransformer):
        def generic_visit(self, node: ast.AST) -> ast.AST:
            return deepcopy(new) if node is old else super().generic_visit(node)

        def visit(self, node: ast.AST) -> ast.AST:
            return deepcopy(new) if node is old else super().visit(node)

    return ast.fix_missing_locations(Replace().visit(copy))


def value(tree: ast.Expression, known: dict[str, float]) -> float:
    return float(eval(compile(ast.unparse(tree), "formula", "eval"), {**FUNCTIONS, **known}))


@pytest.mark.parametrize("seed", range(12))
def test_a_value_of_a_formula_with_one_edit_is_explained(seed: int) -> None:
    draw = random.Random(seed)
    first, last = (ast.parse(drawn(draw, names), mode="eval") for names in (list(AT), [*AT, "u"]))
    known = {**AT, "u": value(first, AT)}
    right = value(last, known)
    at = ", ".join(f"{name} = {number}" for name, number in AT.items())
    program = f"u = {ast.unparse(first)}; q = {ast.unparse(last)} + 0*(x + y + z + w + u)"
    grader = assignment(f"program = '{program}'\nat = {{ {at} }}\nask = ['q']", "carry_forward = false")
    numbers = {
        f"{wrong:.9g}": ast.unparse(edit)
        for edit in edits(last, [*AT, "u"])
        if np.isfinite(wrong := value(edit, known)) and abs(wrong - right) > 1e-3 * max(1, abs(right))
    }
    unexplained = {
        formula: number for number, formula in numbers.items() if not marked(grader, {"q": number})["q"].diagnoses
    }
    assert not unexplained, program


@pytest.mark.parametrize(
    ("program", "quantity", "answer", "code"),
    [
        ("q = w*(x + y)**2", "q", 2.43 * (1.7 + 0.62**2), "forward-slip"),
        ("u = x*y; q = z*exp(u)", "q", np.exp(-1.31 * 1.054), "forward-slip"),
    ],
)
def test_a_step_that_reads_another_value(program: str, quantity: str, answer: float, code: str) -> None:
    at = ", ".join(f"{name} = {number}" for name, number in AT.items() if name in program)
    grader = assignment(f"program = '{program}'\nat = {{ {at} }}\nask = ['{quantity}']")
    found = marked(grader, {quantity: f"{answer:.8g}"})[quantity].diagnoses
    assert code in {one.code for one in found}, found
    assert all(one.message for one in found)
