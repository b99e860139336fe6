"""The right answers of a question on a PyTorch snippet: the interpreter runs it, and then its values are read."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from gradcli.engine.backward import Event as Contributed
from gradcli.engine.graph import Node
from gradcli.engine.tensor import Tensor
from gradcli.errors import GradcliError, UsageError
from gradcli.explanation.lines import Evaluation
from gradcli.homework.assignment.assignments import Ask, Question
from gradcli.homework.solve.graph import Graph
from gradcli.homework.solve.problem import Problem
from gradcli.script.failure import failure
from gradcli.script.interpreter import run
from gradcli.script.limits import Limits
from gradcli.script.machine import Machine
from gradcli.script.python.text.formatting import represent
from gradcli.script.timeline.graphs import snapshot, valued
from gradcli.script.timeline.model import Accumulated, Asked, Backward, Timeline
from gradcli.script.timeline.passes import with_short_formulas
from gradcli.script.timeline.reasons import of
from gradcli.script.timeline.recorder import Recorder
from gradcli.source import Source

LIMITS = Limits(steps=2_000_000, elements=2**20, seconds=10)


class Passes(Recorder):
    """A recorder that also keeps the graph of each backward pass, as it stood when the pass began."""

    def __init__(self, machine: Any) -> None:
        super().__init__(machine, all=True)
        self.graphs: list[tuple[Evaluation | None, Any]] = []

    def backward(
        self, outputs: Sequence[Tensor], given: Sequence[Any], events: Iterator[Contributed]
    ) -> Iterator[Contributed]:
        self.flush()
        whole = len(outputs) == 1 and outputs[0].node is not None
        self.graphs.append((snapshot(self.run, outputs[0]) if whole else None, valued(given[0])))
        return super().backward(outputs, given, events)


class SnippetSolution:
    """A snippet that has run. Raises UsageError, in the assignment's file, for a quantity that has no answer.

    Formulas are simplified unless `is_raw`.
    """

    def __init__(self, question: Question, *, is_raw: bool = False) -> None:
        self.question = question
        self.is_raw = is_raw
        machine = Machine(LIMITS, lambda text: None)
        machine.timeline = recorder = Passes(machine)
        asked = [Source(ask.quantity.of, "quantity") for ask in question.asks]
        try:
            values = run([question.source], machine, asked=asked)
        except Exception as error:
            raise self.placed(failure(error, [*machine.globals, *machine.builtins])) from None
        whole = recorder.finished()
        self.asked = [event for event in whole.events if isinstance(event, Asked)]
        own = tuple(event for event in whole.events if event.source is question.source)
        self.timeline: Timeline = replace(whole, events=own)  # without the evaluation of the quantities
        self.graphs = [(None if graph is None else Graph(graph, ""), seed) for graph, seed in recorder.graphs]
        self.truths = {
            ask.quantity: self.answerable(ask, value, machine) for ask, value in zip(question.asks, values, strict=True)
        }

    @property
    def worked(self) -> Timeline:
        """The run with the formulas that are to be shown."""
        events = self.timeline.events
        return self.timeline if self.is_raw else replace(self.timeline, events=tuple(map(with_short_formulas, events)))

    def answerable(self, ask: Ask, value: object, machine: Machine) -> Any:
        """Return the right answer for a value: a numpy value, None, a boolean, or a text."""
        if isinstance(value, Exception):
            told = failure(value, [*machine.globals, *machine.builtins])
            help = told.help or "ask for a name of the script"
            raise self.question.refused(ask.span, f"{ask.written}: {told.message}", help)
        if isinstance(value, Node):
            return value.short_name
        if isinstance(value, Tensor):
            return value.value
        if value is None or isinstance(value, bool | str):
            return value
        try:
            array = np.asarray(value)
        except (ValueError, TypeError):
            array = np.asarray(None)
        if array.dtype.kind in "fiub":
            return array[()]
        text = represent(value)
        if text.startswith("<") or "\n" in text:
            message = f"{ask.written} is nothing that one can type"
            raise self.question.refused(ask.span, message, "ask for a number or a name")
        return text

    def answer(self, ask: Ask) -> Any:
        """Return the right answer."""
        return self.truths[ask.quantity]

    def problem(self, ask: Ask) -> Problem | None:
        """Return the problem of the last backward pass that left its gradient in the `.grad` asked for, or None.

        A copy of a `.grad` (`g = w.grad.clone()`), and a leaf without a name (`layers[0].weight`), are known by value.
        """
        truth, name = self.truths[ask.quantity], ask.quantity.of.removesuffix(".grad")
        if name == ask.quantity.of and not self.is_copied(name):
            return None
        if truth is None or isinstance(truth, bool | str):
            return None
        passes = [event for event in self.timeline.events if isinstance(event, Backward)]
        has_name = any(arrived.name == name for event in passes for arrived in event.accumulated)
        for number, (graph, seed) in reversed(list(enumerate(self.graphs[: len(passes)]))):
            if graph is None:
                continue
            by = graph.names.get(name) if name != ask.quantity.of else None
            if by is not None and by not in graph.leaves:
                found = Problem(graph, "gradient", graph.output, by, seed=seed)
                return found if is_same(found.truth, truth) else None  # one pass alone has given its `.grad`
            for arrived in passes[number].accumulated:
                if arrived.name == name if has_name else is_same(arrived.after, truth):
                    earlier = [a for event in passes[:number] for a in event.accumulated if a.name == arrived.name]
                    return self.of_pass(graph, seed, arrived, earlier, ask)
        return None

    def is_copied(self, name: str) -> bool:
        """Whether the snippet gives a name to something that it reads from a `.grad`."""
        return re.search(rf"^\s*{re.escape(name)}\s*=.*\.grad\b", self.question.source.text, re.MULTILINE) is not None

    def of_pass(
        self, graph: Graph, seed: Any, arrived: Accumulated, earlier: Sequence[Accumulated], ask: Ask
    ) -> Problem | None:
        by = graph.names.get(arrived.name)
        if by is None:
            return None
        added = (*sums(arrived, [a.after for a in earlier[-1:]]), *sums(arrived, [a.gradient for a in earlier]))
        unreset = tuple(value for value in added if not is_same(value, arrived.after))  # where nobody has reset it
        problem = Problem(graph, "gradient", graph.output, by, seed=seed, before=arrived.before, unreset=unreset)
        own = map(float, re.findall(r"\blr\s*=\s*(\d*\.?\d+(?:e-?\d+)?)", self.question.source.text))
        problem = replace(problem, rates=tuple(dict.fromkeys((*own, *problem.rates))))
        # an optimizer or the snippet itself may have changed `.grad` since: then the pass does not explain it
        return problem if is_same(problem.truth, self.truths[ask.quantity]) else None

    def reason(self, ask: Ask) -> str:
        """Return the reason for which a `.grad` is None."""
        name = ask.quantity.of.removesuffix(".grad")
        return next((of(name, event.message) for event in self.asked if event.name == name), "")

    def placed(self, error: GradcliError) -> UsageError:
        """Return an error of the snippet at its place in the assignment."""
        # not the options of another command
        help = re.sub(r" --\w+.*", "", error.help) or "mend the script; gradcli run shows what it does"
        return self.question.placed(error, help)


def sums(arrived: Accumulated, earlier: Sequence[Any]) -> Iterator[Any]:
    """Yield the gradient of a pass added to earlier ones, where they have its shape."""
    if earlier and all(np.shape(value) == np.shape(arrived.gradient) for value in earlier):
        yield sum(earlier, start=arrived.gradient)


def is_same(value: Any, truth: Any) -> bool:
    """Whether two gradients are one, up to the last digits of float32."""
    if value is None or np.shape(value) != np.shape(truth):
        return False
    return bool(np.allclose(value, truth, rtol=1e-4, atol=1e-6))
