"""The right answers of a question on a program, and the problems behind them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

import numpy as np

from gradcli.errors import GradcliError, UsageError
from gradcli.explanation.build import build, explain
from gradcli.explanation.evaluate import evaluate
from gradcli.explanation.model import Explanation
from gradcli.explanation.variables import Variables, check_bindings
from gradcli.guard import guarded
from gradcli.homework.assignment.assignments import Ask, Question
from gradcli.homework.assignment.quantities import Quantity
from gradcli.homework.model import Value
from gradcli.homework.solve.formulas import LONG, right_formula
from gradcli.homework.solve.graph import Graph
from gradcli.homework.solve.problem import Problem
from gradcli.language.parser import parse_program
from gradcli.source import Span, did_you_mean


class Solution:
    """A program at a point. Raises UsageError, in the assignment's file, for a quantity that has no answer.

    Formulas are simplified unless `is_raw`.
    """

    def __init__(self, question: Question, at: Mapping[str, Any] | None = None, *, is_raw: bool = False) -> None:
        self.question = question
        self.is_raw = is_raw
        self.at = question.at if at is None else at
        try:
            program = parse_program(question.source)
            variables = Variables.of(program)
            idle = check_bindings(variables, self.at)
            self.evaluation = evaluate(program, self.at, dtype=np.dtype(np.float64), variables=variables)
        except GradcliError as error:
            raise self.placed(error) from None
        if idle:
            raise question.refused(
                question.value_place(idle[0]), f"the program does not use {', '.join(idle)}", "remove it from at"
            )
        self.variables = variables
        self.graph = Graph(self.evaluation, question.source.text)
        self.cache: dict[tuple[int, bool], dict[Any, Any]] = {}

    def problem(self, ask: Ask) -> Problem:
        """Return the problem of a quantity, checked to have an answer."""
        quantity, graph = ask.quantity, self.graph
        if quantity.kind == "value":
            vertex = self.vertex(quantity.of, ask.span)
            return Problem(graph, "value", vertex, vertex)
        of, by = self.vertex(quantity.of, ask.span), self.vertex(quantity.by, ask.span)
        local = quantity.kind == "local"
        stop = graph.named - {of} if local else frozenset()
        problem = Problem(graph, "gradient", of, by, stop, cache=self.cache.setdefault((of, local), {}))
        with np.errstate(all="ignore"):
            self.check(problem, quantity, ask.span)
        return problem

    def moved(self, at: Mapping[str, Value]) -> Graph:
        """Return the graph with other values."""
        return self.graph.moved({self.graph.names[name]: value for name, value in at.items()})

    @property
    def point(self) -> Mapping[str, Value]:
        """The values of the variables, those that the assignment gives or else those of the program."""
        return self.question.at or {name: self.evaluation.scope[name].value for name in self.variables.places}

    def answer(self, ask: Ask) -> Value:
        """Return the right answer, the text of a formula where one is asked for."""
        problem = self.problem(ask)
        with np.errstate(all="ignore"):
            if ask.form != "expression":
                return problem.truth
            return guarded("formula", partial(right_formula, problem, is_raw=self.is_raw), LONG)

    def check(self, problem: Problem, quantity: Quantity, span: Span) -> None:
        """Refuse derivatives that are not one number or one tensor."""
        value = problem.graph.vertices[problem.of].value
        if np.ndim(value) and quantity.kind == "gradient":
            raise self.question.refused(
                span, f"{quantity.of} has shape {np.shape(value)}", "ask for the derivative of a scalar: sum it first"
            )
        if problem.truth is None:
            direct = " directly" if quantity.kind == "local" else ""
            raise self.question.refused(
                span, f"{quantity.of} does not depend on {quantity.by}{direct}", "ask for one that it depends on"
            )
        if quantity.kind == "local":
            inside = {edge.vertex for edge in problem.edges}
            if any(problem.graph.vertices[v].structured for v in inside) or np.shape(problem.truth) != np.shape(value):
                raise self.question.refused(
                    span,
                    f"{quantity} is no array of numbers, as {quantity.of} is not elementwise in {quantity.by}",
                    f"ask for a total derivative, such as d{self.question.output}/d{quantity.by}",
                )

    def vertex(self, name: str, span: Span) -> int:
        if name == "output" and name not in self.graph.names:
            return self.graph.output
        if name not in self.graph.names:
            close = did_you_mean(name, self.graph.names)
            known = ", ".join(self.graph.names)
            raise self.question.refused(
                span, f"the program has no {name}", f"did you mean {close}?" if close else f"it has {known}"
            )
        return self.graph.names[name]

    def placed(self, error: GradcliError) -> UsageError:
        """Return an error of the program at its place in the assignment."""
        help = error.help or "mend the program; gradcli eval explains it"
        if error.code == "E201":  # the help of commands that take values as arguments
            help = f"write at = {{ {error.message.rpartition(' ')[2]} = 2 }}, with all other values"
        placed = self.question.placed(error, help)
        placed.label = error.label
        return placed

    def explanations(self) -> Iterator[Explanation]:
        """Yield the explanations of the program's output, and of the other values that are differentiated."""
        outputs = {ask.quantity.of for ask in self.question.asks if ask.quantity.kind == "gradient"}
        outputs = {name for name in outputs if self.graph.names.get(name, self.graph.output) != self.graph.output}
        whole = self.graph.vertices[self.graph.output].value
        upstream = np.ones_like(whole) if np.ndim(whole) else None
        found = [build(self.evaluation, upstream)]
        found.extend(explain(self.evaluation.program, self.at, of=name) for name in sorted(outputs))
        if not self.is_raw:  # for a worked solution alone, which few runs show
            from gradcli.explanation.formulas.simplified import simplified

            found = list(map(simplified, found))
        yield from found
