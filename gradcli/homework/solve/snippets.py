"""The right answers of a question on a PyTorch snippet: a process of its own runs it, and then its values are read."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any

import numpy as np

from gradcli.engine.tensor import Tensor
from gradcli.errors import GradcliError, UsageError
from gradcli.explanation.lines import Evaluation, Line
from gradcli.homework.assignment.assignments import Ask, Question
from gradcli.homework.assignment.quantities import Quantity
from gradcli.homework.solve.graph import Graph
from gradcli.homework.solve.problem import Problem
from gradcli.homework.solve.runs.scripts import Others, Outcomes, Ran, Refusal, Script, Tape, answered, graph_of
from gradcli.homework.solve.words import NO_ERROR
from gradcli.language.tree import Name
from gradcli.script.timeline.model import Accumulated
from gradcli.script.timeline.reasons import of
from gradcli.source import Span
from gradcli.workers.asking import ask_process


class Ways:
    """The ways by which the quantities of a snippet came about."""

    def __init__(self, text: str, ran: Ran) -> None:
        self.text, self.passes, self.gradients = text, ran.accumulated, ran.returned
        self.graphs, self.returned, self.beside = map(graphs_of, (ran.graphs, ran.graphs_returned, ran.graphs_beside))
        self.rates = tuple(map(float, re.findall(r"\blr\s*=\s*(\d*\.?\d+(?:e-?\d+)?)", self.text)))

    def problem(self, asked: str, truth: Any) -> Problem | None:
        """Return the problem behind a quantity: a `.grad`, a gradient that was returned, or a value; else None."""
        if truth is None or isinstance(truth, bool | str):
            return None
        name = asked.removesuffix(".grad")
        problem = self.of_grad(name, asked, truth) if name != asked or self.is_copied(name) else None
        problem = problem or self.of_returned(truth) or (self.of_value(asked, truth) if name == asked else None)
        return problem or number_alone(asked, truth)

    def is_copied(self, name: str) -> bool:
        """Whether the snippet gives a name to something that it reads from a `.grad`."""
        names = rf"([\w, ]+,)?\s*{re.escape(name)}\s*(,[\w, ]+)?"
        return re.search(rf"^\s*{names}=.*\.grad\b", self.text, re.MULTILINE) is not None

    def of_grad(self, name: str, asked: str, truth: Any) -> Problem | None:
        """Return the problem of the last backward pass that left its gradient in a `.grad`.

        A copy of a `.grad` (`g = w.grad.clone()`), and a leaf without a name (`layers[0].weight`), are known by value.
        """
        has_name = any(arrived.name == name for backward_pass in self.passes for arrived in backward_pass)
        for number, (graph, seed) in reversed(list(enumerate(self.graphs[: len(self.passes)]))):
            if graph is None:
                continue
            by = graph.names.get(name) if name != asked else None
            if by is not None and by not in graph.leaves:
                problem = self.problem_by(graph, seed, by)
                return problem if is_same(problem.truth, truth) else None  # one pass alone has given its `.grad`
            for arrived in self.passes[number]:
                if arrived.name == name if has_name else is_same(arrived.after, truth):
                    return self.of_pass(number, graph, seed, arrived, truth)
        return None

    def problem_by(self, graph: Graph, seed: Any, by: int) -> Problem:
        rates = tuple(dict.fromkeys((*self.rates, *Problem.rates)))
        return Problem(graph, "gradient", graph.output, by, seed=seed, rates=rates, accumulates=True)

    def of_pass(self, number: int, graph: Graph, seed: Any, arrived: Accumulated, truth: Any) -> Problem | None:
        by = graph.names.get(arrived.name)
        if by is None:
            return None
        earlier = [a for backward_pass in self.passes[:number] for a in backward_pass if a.name == arrived.name]
        added = (*sums(arrived, [a.after for a in earlier[-1:]]), *sums(arrived, [a.gradient for a in earlier]))
        unreset = tuple(value for value in added if not is_same(value, arrived.after))  # where nobody has reset it
        problem = replace(self.problem_by(graph, seed, by), before=arrived.before, unreset=unreset)
        # an optimizer or the snippet itself may have changed `.grad` since: then the pass does not explain it
        if not is_same(problem.truth, truth):
            return None
        return problem if arrived.before is None else replace(problem, earlier=self.before(number, arrived))

    def before(self, number: int, arrived: Accumulated) -> tuple[Problem, ...]:
        """Return the problems of the earlier passes that are in a `.grad`; none where those are not all."""
        problems: list[Problem] = []
        for graph, seed in reversed(self.graphs[:number]):
            by = None if graph is None else graph.names.get(arrived.name)
            if graph is None or by is None:
                return ()
            problems.append(self.problem_by(graph, seed, by))
            if is_same(sum(problem.truth for problem in problems), arrived.before):
                return tuple(problems)
        return ()

    def of_returned(self, truth: Any) -> Problem | None:
        """Return the problem of a gradient that `torch.autograd.grad` gave, known by value."""
        for (graph, seed), gradients in reversed(list(zip(self.returned, self.gradients, strict=False))):
            for name, gradient in gradients:
                by = None if graph is None else graph.names.get(name)
                if graph is not None and by is not None and gradient is not None and is_same(gradient, truth):
                    problem = self.problem_by(graph, seed, by)
                    return problem if is_same(problem.truth, truth) else None
        return None

    def of_value(self, name: str, truth: Any) -> Problem | None:
        """Return the problem of a value that the last graph with its name has, or with that of a version: `a_3`."""
        version = re.compile(rf"{re.escape(name)}(?:_\d+)?")
        for graph, _ in reversed([*self.beside, *self.returned, *self.graphs]):
            for known, by in reversed(graph.names.items()) if graph is not None else ():
                if version.fullmatch(known) and is_same(graph.vertices[by].value, truth):
                    return Problem(graph, "value", by, by)
        return None


def graphs_of(tapes: Sequence[Tape | None]) -> list[tuple[Graph | None, Any]]:
    """Return graphs with the gradients that entered there; None where the graph was not kept."""
    return [(None, None) if tape is None else (graph_of(tape), tape.seed) for tape in tapes]


def number_alone(asked: str, truth: Any) -> Problem:
    """Return the problem of a number whose graph is not known: it came about by steps of an optimizer."""
    tensor = Tensor(np.asarray(truth, np.float64)[()])
    line = Line(asked, tensor, Name(asked), Span(0, 0))
    return Problem(Graph(Evaluation(lines=[line], output=tensor), ""), "value", 0, 0)


def is_alone(problem: Problem) -> bool:
    """Whether nothing is known of a number but itself."""
    return problem.kind == "value" and len(problem.graph.vertices) == 1


def sums(arrived: Accumulated, earlier: Sequence[Any]) -> Iterator[Any]:
    """Yield the gradient of a pass added to earlier ones, where they have its shape."""
    if earlier and all(np.shape(value) == np.shape(arrived.gradient) for value in earlier):
        yield sum(earlier, start=arrived.gradient)


def is_same(value: Any, truth: Any) -> bool:
    """Whether two gradients are one, up to the last digits of float32."""
    if value is None or np.shape(value) != np.shape(truth) or np.asarray(value).dtype.kind not in "fiu":
        return False
    return bool(np.allclose(value, truth, rtol=1e-4, atol=1e-6))


SHOWN = 5  # lines that print, in a message


class SnippetSolution:
    """A snippet that has run. Raises UsageError, in the assignment's file, for a quantity that has no answer.

    Formulas are simplified unless `is_raw`.
    """

    def __init__(self, question: Question, *, is_raw: bool = False) -> None:
        self.question = question
        self.is_raw = is_raw
        kinds = {ask.quantity.kind for ask in question.asks}
        self.asks = [ask for ask in question.asks if ask.quantity.kind == "snippet"]
        expressions = tuple(ask.quantity.of for ask in self.asks)
        self.script = Script(question.source.text, question.source.name, expressions, raises="raises" in kinds)
        try:
            ran: Ran = ask_process(answered, self.script, Ran)
        except GradcliError as error:
            raise self.placed(error) from None
        self.printed, self.lists, self.empty = ran.printed, ran.lists, ran.empty
        self.ways = Ways(question.source.text, ran)
        self.truths = {a.quantity: self.read(a, value) for a, value in zip(self.asks, ran.values, strict=True)}
        self.raised = ran.raised or NO_ERROR[0]
        self.truths |= {a.quantity: self.words(a) for a in question.asks if a.quantity.kind in ("printed", "raises")}

    def words(self, ask: Ask) -> str:
        """Return the text that a line has printed, or the error that was raised."""
        if ask.quantity.kind == "raises":
            return self.raised
        lines = [text for line, text in self.printed if not ask.quantity.of or str(line) == ask.quantity.of]
        if not "".join(lines).strip():
            where = f"line {ask.quantity.of} of the script prints" if ask.quantity.of else "the script prints"
            lines = [str(line) for line in sorted({line for line, text in self.printed if text.strip()})]
            help = f"write line = {' or '.join(lines[:SHOWN])}" if lines else "ask for a line that calls print()"
            raise self.question.refused(ask.span, f"{where} nothing", help)
        return "".join(lines).strip()

    def read(self, ask: Ask, value: Any) -> Any:
        """Return a right answer. Raises UsageError where there is none."""
        if isinstance(value, Refusal):
            raise self.question.refused(ask.span, f"{ask.written}{value.says}", value.help)
        return value

    def answer(self, ask: Ask) -> Any:
        """Return the right answer."""
        return self.truths[ask.quantity]

    def problem(self, ask: Ask) -> Problem | None:
        """Return the problem behind a quantity, or None."""
        truth = self.truths[ask.quantity]
        return self.ways.problem(ask.quantity.of, truth) if ask.quantity.kind == "snippet" else None

    def outcomes(self, text: str, given: Mapping[str, Any] = MappingProxyType({})) -> dict[Quantity, Any]:
        """Return the answers if the snippet were another text, which may read what is `given` by its names."""
        (answers,) = self.all_outcomes([text], given)
        return answers

    def all_outcomes(
        self, texts: Sequence[str], given: Mapping[str, Any] = MappingProxyType({}), *, small: bool = True
    ) -> list[dict[Quantity, Any]]:
        """Return the answers if the snippet were each of these texts.

        They are empty where it cannot run, within few steps if `small`.
        """
        others = Others(self.script, tuple(texts), dict(given), small)
        all_answers: Outcomes = ask_process(answered, others, Outcomes) if texts else ()
        quantities = [ask.quantity for ask in self.asks]
        return [
            {q: value for q, value in zip(quantities, values, strict=False) if not isinstance(value, Refusal)}
            for values in all_answers
        ]

    def reason(self, ask: Ask) -> str:
        """Return the reason for which a `.grad` is None."""
        wanted = ask.quantity.of.removesuffix(".grad")
        return next((of(name, message) for name, message in self.empty if name == wanted), "")

    def placed(self, error: GradcliError) -> UsageError:
        """Return an error of the snippet at its place in the assignment."""
        # not the options of another command
        help = re.sub(r" --\w+.*", "", error.help) or "mend the script; gradcli run shows what it does"
        return self.question.placed(error, help)
