"""The right answers of a question on a PyTorch snippet: the interpreter runs it, and then its values are read."""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from types import MappingProxyType
from typing import Any

import numpy as np

from gradcli.engine.graph import Node
from gradcli.engine.tensor import Tensor
from gradcli.errors import GradcliError, UsageError
from gradcli.homework.assignment.assignments import Ask, Question
from gradcli.homework.assignment.quantities import Quantity
from gradcli.homework.solve.graph import Graph
from gradcli.homework.solve.problem import Problem
from gradcli.homework.solve.runs.passes import Passes, Ways
from gradcli.homework.solve.words import NO_ERROR
from gradcli.script.failure import failure
from gradcli.script.interpreter import run
from gradcli.script.limits import Limits
from gradcli.script.machine import Machine
from gradcli.script.python.text.formatting import represent
from gradcli.script.timeline.model import Asked, Timeline
from gradcli.script.timeline.passes import with_short_formulas
from gradcli.script.timeline.reasons import of
from gradcli.source import Source

SMALL = Limits(steps=100_000, elements=2**16, seconds=1)
SHOWN = 5  # lines that print, in a message
LIMITS = Limits(steps=2_000_000, elements=2**20, seconds=10)


class SnippetSolution:
    """A snippet that has run. Raises UsageError, in the assignment's file, for a quantity that has no answer.

    Formulas are simplified unless `is_raw`.
    """

    def __init__(self, question: Question, *, is_raw: bool = False) -> None:
        self.question = question
        self.is_raw = is_raw
        machine = Machine(LIMITS, self.wrote)
        machine.timeline = recorder = Passes(machine)
        self.printed: list[tuple[int, str]] = []  # line, and what it printed
        self.machine, kinds = machine, {ask.quantity.kind for ask in question.asks}
        raised: list[Exception] | None = [] if "raises" in kinds else None
        try:
            values = run([question.source], machine, asked=expressions(question), raised=raised)
        except Exception as error:
            raise self.placed(failure(error, [*machine.globals, *machine.builtins])) from None
        made = [one for one in values if isinstance(one, Tensor) and isinstance(one.node, Node)]
        beside = [recorder.kept([one], [None]) for one in made]
        whole = recorder.finished()
        self.asked = [event for event in whole.events if isinstance(event, Asked)]
        own = tuple(event for event in whole.events if event.source is question.source)
        self.timeline: Timeline = replace(whole, events=own)  # without the evaluation of the quantities
        graphs, returned, others = (
            [(None if graph is None else Graph(graph, "", hooks), seed) for graph, seed, hooks in kept]
            for kept in (recorder.graphs, recorder.returned, beside)
        )
        self.graphs = graphs
        self.ways = Ways(question.source.text, self.timeline, graphs, returned, others)
        asks = [ask for ask in question.asks if ask.quantity.kind == "snippet"]
        self.truths = {a.quantity: self.answerable(a, value, machine) for a, value in zip(asks, values, strict=True)}
        self.raised = failure(raised[0]).message if raised else NO_ERROR[0]
        self.truths |= {a.quantity: self.told(a) for a in question.asks if a.quantity.kind in ("printed", "raises")}

    def wrote(self, text: str) -> None:
        if self.machine.source is self.question.source:
            self.printed.append((self.machine.line, text))

    def told(self, ask: Ask) -> str:
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
        """Return the problem behind a quantity, or None."""
        truth = self.truths[ask.quantity]
        return self.ways.problem(ask.quantity.of, truth) if ask.quantity.kind == "snippet" else None

    def outcomes(self, text: str, given: Mapping[str, object] = MappingProxyType({})) -> dict[Quantity, Any]:
        """Return the answers if the snippet were another text, which may read what is `given` by its names.

        They are empty where it cannot run within `SMALL` limits.
        """
        machine = Machine(SMALL, lambda text: None)
        machine.globals.update(given)
        asked = [ask for ask in self.question.asks if ask.quantity.kind == "snippet"]
        with suppress(Exception):  # a changed snippet may do anything
            values = run([Source(text, self.question.source.name)], machine, asked=expressions(self.question))
            kept = zip(asked, values, strict=True)
            return {ask.quantity: self.answerable(ask, value, machine) for ask, value in kept if not is_error(value)}
        return {}

    def reason(self, ask: Ask) -> str:
        """Return the reason for which a `.grad` is None."""
        name = ask.quantity.of.removesuffix(".grad")
        return next((of(name, event.message) for event in self.asked if event.name == name), "")

    def placed(self, error: GradcliError) -> UsageError:
        """Return an error of the snippet at its place in the assignment."""
        # not the options of another command
        help = re.sub(r" --\w+.*", "", error.help) or "mend the script; gradcli run shows what it does"
        return self.question.placed(error, help)


def expressions(question: Question) -> list[Source]:
    """Return the expressions that a question asks for."""
    return [Source(ask.quantity.of, "quantity") for ask in question.asks if ask.quantity.kind == "snippet"]


def is_error(value: object) -> bool:
    return isinstance(value, Exception)
