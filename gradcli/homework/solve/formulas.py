"""The right answer as a formula: the rules of the graph, read over formulas instead of numbers."""

from __future__ import annotations

from copy import copy
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from gradcli.engine.symbolic.formula import Formula
from gradcli.engine.symbolic.notation import as_formula
from gradcli.explanation.causes.infinities import is_finite
from gradcli.explanation.formulas.derivation import LONGEST
from gradcli.guard import guarded
from gradcli.homework.solve.graph import Graph
from gradcli.homework.solve.problem import Problem
from gradcli.homework.solve.sweep import sweep
from gradcli.homework.solve.vertices import at_values
from gradcli.language.tree import Name, Number
from gradcli.language.unparser import unparse

LONG = "a long formula"


def right_formula(problem: Problem, *, is_raw: bool = False) -> str:
    """Write the formula over the variables or, where that is shorter, over names of the program, too.

    `LONG` stands for one that would be too long. It is simplified unless `is_raw` is asked for, or the answer is not
    finite at the point of the question.
    """
    from gradcli.explanation.formulas.checking import checked
    from gradcli.language.simplify.trees import length

    graph = copy(problem.graph)
    graph.vertices = [
        replace(v, operands=tuple(lifted(list(v.operands)))) if v.op == "div" else v for v in graph.vertices
    ]  # the rules of 3/x divide a number by formulas
    found = over(problem, graph, set(graph.named) - ({problem.by} if problem.kind == "value" else set()))
    if is_raw or not is_finite(found.value):
        return unparse(found.tree) if found.size <= LONGEST else LONG
    values = {v.line.name: v.value for v in graph.vertices}
    forms = [form for form in (over(problem, graph, set()), found) if form.size <= LONGEST]
    short = [guarded("simplification", partial(checked, form.tree, values), form.tree) for form in forms]
    return unparse(min(short, key=length)) if short else LONG


def over(problem: Problem, graph: Graph, named: set[int]) -> Formula:
    """Return the right answer with the names of some vertices, and of all variables."""
    written: list[Any] = []
    for index, vertex in enumerate(graph.vertices):
        line = vertex.line
        if line.is_variable or index in named or vertex.primitive is None:
            is_name = line.is_variable or index in named
            written.append(Formula(Name(line.name) if is_name else line.written, vertex.value))
        else:
            written.append(vertex.primitive(*lifted(at_values(vertex, written)), **vertex.options))
    if problem.kind == "value":
        return written[problem.by]  # type: ignore[no-any-return]
    one = np.ones_like(graph.vertices[problem.of].value)[()]
    seed = Formula(Number(1), one)
    return sweep(graph, problem.of, seed=seed, values=written, stop=problem.stop)[problem.by]  # type: ignore[no-any-return]


def lifted(operands: list[Any]) -> list[Any]:
    return [x if isinstance(x, Formula) else as_formula(x) for x in operands]
