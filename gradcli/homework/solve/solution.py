"""The right answers of a question on a program, and the problems behind them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import replace
from functools import partial
from typing import Any, TypeVar

import numpy as np

from gradcli.engine.symbolic.formula import Formula, as_formula
from gradcli.errors import GradcliError, UsageError
from gradcli.explanation.build import build, explain
from gradcli.explanation.causes.infinities import is_finite
from gradcli.explanation.evaluate import evaluate
from gradcli.explanation.formulas.derivation import LONGEST
from gradcli.explanation.model import Explanation
from gradcli.explanation.values import Variables, check_bindings
from gradcli.guard import guarded
from gradcli.homework.assignment.assignments import Ask, Question
from gradcli.homework.assignment.quantities import WHOLE, Quantity, read_quantity
from gradcli.homework.model import Value
from gradcli.homework.solve.graph import Graph
from gradcli.homework.solve.problem import Problem, sweep
from gradcli.homework.solve.properties import PROPERTIES, has
from gradcli.homework.solve.vertices import at_values
from gradcli.language.parser import parse_program
from gradcli.language.tree import Name, Number
from gradcli.language.unparser import unparse
from gradcli.source import Span, did_you_mean

T = TypeVar("T")
LONG = "a long formula"
HELP = "gradcli grad --order 2 explains it"


def right_formula(problem: Problem, *, is_raw: bool = False) -> str:
    """Write the formula over the variables or, where that is shorter, over names of the program, too.

    `LONG` stands for one that would be too long. It is simplified unless `is_raw` is asked for, or the answer is not
    finite at the point of the question.
    """
    from gradcli.explanation.formulas.checking import simplify_checked
    from gradcli.language.simplify.trees import length

    graph = copy(problem.graph)
    graph.vertices = [
        replace(v, operands=tuple(lifted(list(v.operands)))) if v.op == "div" else v for v in graph.vertices
    ]  # the rules of 3/x divide a number by formulas
    named_formula = over(problem, graph, set(graph.named) - ({problem.by} if problem.kind == "value" else set()))
    if is_raw or not is_finite(named_formula.value):
        return unparse(named_formula.tree) if named_formula.size <= LONGEST else LONG
    values = {v.line.name: v.value for v in graph.vertices}
    forms = [form for form in (over(problem, graph, set()), named_formula) if form.size <= LONGEST]
    short = [guarded("simplification", partial(simplify_checked, form.tree, values), form.tree) for form in forms]
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
    unit = np.ones_like(graph.vertices[problem.of].value)[()]
    seed = Formula(Number(1), unit)
    return sweep(graph, problem.of, seed=seed, values=written, stop=problem.stop)[problem.by]  # type: ignore[no-any-return]


def lifted(operands: list[Any]) -> list[Any]:
    return [x if isinstance(x, Formula) else as_formula(x) for x in operands]


def assembled(quantity: Quantity, parts: Mapping[tuple[str, ...], Any], names: Sequence[str]) -> Any:
    """Return what is asked for of the derivatives by their variables: one, a vector, or a symmetric matrix of them."""
    if quantity.kind == "higher":
        wanted = sorted(quantity.by.split(","))
        return next(value for by, value in parts.items() if sorted(by) == wanted)
    if len(names) == 1:
        return next(iter(parts.values()))
    if quantity.kind == "hessian":
        rows = [[parts[(a, b) if (a, b) in parts else (b, a)] for b in names] for a in names]
        return rows if isinstance(rows[0][0], str) else np.array(rows)
    row = [parts[name,] for name in names]
    return row if isinstance(row[0], str) else np.stack(row, axis=-1)


def listed_text(text: str | list[Any]) -> str:
    return text if isinstance(text, str) else f"[{', '.join(map(listed_text, text))}]"


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
        self.check_names()
        self.graph = Graph(self.evaluation, question.source.text)
        self.cache: dict[tuple[int, bool], dict[Any, Any]] = {}

    def check_names(self) -> None:
        """Refuse constants that are no variables, and properties that are not known or that the values do not have."""
        question, known = self.question, self.variables.places
        for key, name in (
            *(("constant", name) for name in question.constant),
            *(("given", name) for name in question.given),
        ):
            place = question.places.value(*question.path[:-1], key)
            if name not in known:
                raise question.refused(place, f"the program has no variable {name}", f"it has {', '.join(known)}")
            if key == "given" and question.given[name] not in PROPERTIES:
                message = f"no property is called {question.given[name]!r:.40}"
                raise question.refused(place, message, f"there are {', '.join(PROPERTIES)}")
            if key == "given" and not has(question.given[name], self.evaluation.scope[name].value):
                message = f"{name} is not {question.given[name].replace('_', ' ')} in the values of the question"
                raise question.refused(place, message, f"give {name} such a value")

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

    def parts(self, ask: Ask) -> list[Problem]:
        """Return the problems of the rows of a Jacobian, or of the entries of a gradient; none for other quantities."""
        if ask.quantity.kind not in ("jacobian", "gradients"):
            return []
        of, by = self.vertex(ask.quantity.of, ask.span), [self.graph.names[name] for name in self.by(ask)]
        shape = np.shape(self.graph.vertices[of].value)
        if not shape and len(by) > 1:
            problems = [Problem(self.graph, "gradient", of, variable) for variable in by]
        else:
            seeds = np.eye(*shape) if len(shape) == len(by) == 1 else ()
            problems = [Problem(self.graph, "gradient", of, by[0], seed=seed) for seed in seeds]
        return problems if all(problem.truth is not None for problem in problems) else []

    def truth(self, ask: Ask) -> Value:
        """Return the right value, also where a formula is asked for."""
        return self.whole(ask) if ask.quantity.kind in WHOLE else self.problem(ask).truth

    def whole(self, ask: Ask) -> Value:
        """Return a derivative of higher order, a Jacobian, a Hessian or a gradient over several numbers."""
        from gradcli.explanation.derivatives.total import derivatives

        if ask.quantity.kind == "entry":
            return self.entry(ask)
        try:
            parts = self.derived(derivatives, ask)
        except GradcliError as error:
            raise self.question.refused(ask.span, error.message, error.help or HELP) from None
        return assembled(ask.quantity, {part.by: part.value for part in parts}, self.by(ask))

    def derived(self, derive: Callable[..., tuple[T, ...]], ask: Ask) -> tuple[T, ...]:
        """Return what there is of each derivative by one of the variables, or by several."""
        names, of = self.by(ask), ask.quantity.of if ask.quantity.of in self.graph.names else None
        order = {"higher": len(ask.quantity.by.split(",")), "hessian": 2}.get(ask.quantity.kind, 1)
        return derive(self.evaluation.program, self.at, order, mixed=len(names) > 1, wrt=names, of=of)

    def entry(self, ask: Ask) -> Value:
        """Return one entry of a value or of a gradient."""
        quantity = read_quantity(ask.quantity.of, self.question.output)
        assert quantity is not None
        whole = np.asarray(self.problem(replace(ask, quantity=quantity)).truth)
        index = tuple(map(int, ask.quantity.by.split(",")))
        if len(index) != whole.ndim or any(place >= size for place, size in zip(index, whole.shape, strict=True)):
            message = f"{ask.quantity.of} has the shape {whole.shape}, and no entry [{ask.quantity.by}]"
            raise self.question.refused(ask.span, message, "entries are counted from 0")
        return whole[index]

    def by(self, ask: Ask) -> list[str]:
        """Return the variables of such a derivative, in the order of the program."""
        quantity = ask.quantity
        self.vertex(quantity.of, ask.span)
        known = {
            name: np.shape(self.evaluation.scope[name].value)
            for name in dict.fromkeys((*self.question.at, *self.variables.places))
        }
        free = {name: shape for name, shape in known.items() if name not in self.question.constant}
        for name in filter(None, quantity.by.split(",")):
            if name not in free:
                message = f"the program has no variable {name}" if name not in known else f"{name} is constant"
                raise self.question.refused(ask.span, message, f"it has {', '.join(free)}")
        names = [name for name in free if name in quantity.by.split(",") or not quantity.by]
        if len(names) > 1 and any(free[name] for name in names):
            message = f"{', '.join(names)} are not all single numbers"
            raise self.question.refused(ask.span, message, f"name one: {quantity.kind} {quantity.of} {names[0]}")
        return names

    def whole_formula(self, ask: Ask) -> str:
        """Write such a derivative as a formula, a list where it has several; `LONG` for one that would be too long."""
        from gradcli.explanation.derivatives.total import formulas

        if ask.quantity.kind == "entry":
            help = f"ask for {ask.quantity.of}, or for the number"
            raise self.question.refused(ask.span, "an entry is no formula", help)
        parts = self.derived(formulas, ask)
        trees = {part.by: unparse(part.formula) for part in parts if part.formula is not None and not part.upstreams}
        if len(trees) < len(parts):
            return LONG
        return listed_text(assembled(ask.quantity, trees, self.by(ask)))

    def moved(self, at: Mapping[str, Value]) -> Graph:
        """Return the graph with other values."""
        return self.graph.moved({self.graph.names[name]: value for name, value in at.items()})

    @property
    def point(self) -> Mapping[str, Value]:
        """The values of the variables, those that the assignment gives or else those of the program."""
        return self.question.at or {name: self.evaluation.scope[name].value for name in self.variables.places}

    def answer(self, ask: Ask) -> Value:
        """Return the right answer, the text of a formula where one is asked for."""
        for name in {ask.quantity.by, ask.quantity.of} & self.question.constant:
            if ask.quantity.kind == "gradient":
                raise self.question.refused(ask.span, f"{name} is constant", f"take {name} out of constant")
        if ask.quantity.kind in WHOLE:
            is_formula = ask.form == "expression"
            if is_formula and ask.quantity.kind != "entry":
                return guarded("formula", partial(self.whole_formula, ask), LONG)
            return self.whole_formula(ask) if is_formula else self.whole(ask)
        problem = self.problem(ask)
        with np.errstate(all="ignore"):
            if ask.form != "expression":
                return problem.truth
            return guarded("formula", partial(right_formula, problem, is_raw=self.is_raw), LONG)

    def check(self, problem: Problem, quantity: Quantity, span: Span) -> None:
        """Refuse derivatives that are not one number or one tensor."""
        value, (_, of, by) = problem.graph.vertices[problem.of].value, quantity
        is_local, refused = quantity.kind == "local", partial(self.question.refused, span)
        if np.ndim(value) and not is_local:
            raise refused(f"{of} has shape {np.shape(value)}", f"sum it first, or ask for jacobian {of} {by}")
        if problem.truth is None:
            message = f"{of} does not depend on {by}{' directly' * is_local}"
            raise refused(message, "ask for one that it depends on")
        is_structured = any(problem.graph.vertices[edge.vertex].structured for edge in problem.edges)
        if is_local and (is_structured or np.shape(problem.truth) != np.shape(value)):
            message = f"{quantity} is no array of numbers, as {of} is not elementwise in {by}"
            raise refused(message, f"ask for a total derivative, such as d{self.question.output}/d{by}")

    def vertex(self, name: str, span: Span) -> int:
        if name == "output" and name not in self.graph.names:
            return self.graph.output
        if name not in self.graph.names:
            close = did_you_mean(name, self.graph.names)
            help = f"did you mean {close}?" if close else f"it has {', '.join(self.graph.names)}"
            raise self.question.refused(span, f"the program has no {name}", help)
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
        explanations = [build(self.evaluation, upstream)]
        explanations.extend(explain(self.evaluation.program, self.at, of=name) for name in sorted(outputs))
        if not self.is_raw:  # for a worked solution alone, which few runs show
            from gradcli.explanation.formulas.simplified import simplified

            explanations = list(map(simplified, explanations))
        yield from explanations
