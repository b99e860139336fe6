"""The right answer as a formula: the rules of the graph, read over formulas instead of numbers."""

from __future__ import annotations

from copy import copy
from dataclasses import replace
from typing import Any

import numpy as np

from gradcli.engine.symbolic.formula import Formula
from gradcli.engine.symbolic.notation import as_formula
from gradcli.explanation.causes.infinities import is_finite
from gradcli.explanation.formulas.derivation import LONGEST
from gradcli.homework.solve.graph import at_values, sweep
from gradcli.homework.solve.problem import Problem
from gradcli.language.tree import Name, Number
from gradcli.language.unparser import unparse

LONG = "a long formula"


def right_formula(problem: Problem, *, is_raw: bool = False) -> str:
    """Write the formula over the variables and names of the program, or `LONG` where it would be too long.

    It is simplified unless `is_raw` is asked for, or the answer is not finite at the point of the question.
    """
    graph = copy(problem.graph)
    graph.vertices = [
        replace(v, operands=tuple(lifted(list(v.operands)))) if v.op == "div" else v for v in graph.vertices
    ]  # the rules of 3/x divide a number by formulas
    written: list[Any] = []
    for index, vertex in enumerate(graph.vertices):
        line = vertex.line
        named = line.is_variable or (index in graph.named and index != (problem.by if problem.kind == "value" else -1))
        if named or vertex.primitive is None:
            written.append(Formula(Name(line.name) if named else line.written, vertex.value))
        else:
            written.append(vertex.primitive(*lifted(at_values(vertex, written)), **vertex.options))
    if problem.kind == "value":
        found = written[problem.by]
    else:
        one = np.ones_like(graph.vertices[problem.of].value)[()]
        seed = Formula(Number(1), one)
        found = sweep(graph, problem.of, seed=seed, values=written, stop=problem.stop)[problem.by]
    if found.size > LONGEST:
        return LONG
    if is_raw or not is_finite(found.value):
        return unparse(found.tree)
    from gradcli.language.simplify.simplifier import simplify

    return unparse(simplify(found.tree, {v.line.name: np.shape(v.value) for v in graph.vertices}))


def lifted(operands: list[Any]) -> list[Any]:
    return [x if isinstance(x, Formula) else as_formula(x) for x in operands]
