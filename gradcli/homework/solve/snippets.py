"""The right answers of a question on a PyTorch snippet: a process of its own runs it, and then its values are read."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

from gradcli.errors import GradcliError, UsageError
from gradcli.homework.assignment.assignments import Ask, Question
from gradcli.homework.assignment.quantities import Quantity
from gradcli.homework.solve.problem import Problem
from gradcli.homework.solve.runs.passes import Ways
from gradcli.homework.solve.runs.scripts import Others, Outcomes, Ran, Refusal, Script, answered
from gradcli.homework.solve.words import NO_ERROR
from gradcli.script.timeline.reasons import of
from gradcli.workers.asking import asked

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
            ran: Ran = asked(answered, self.script)
        except GradcliError as error:
            raise self.placed(error) from None
        self.printed, self.lists, self.empty = ran.printed, ran.lists, ran.empty
        self.ways = Ways(question.source.text, ran)
        self.truths = {a.quantity: self.read(a, value) for a, value in zip(self.asks, ran.values, strict=True)}
        self.raised = ran.raised or NO_ERROR[0]
        self.truths |= {a.quantity: self.told(a) for a in question.asks if a.quantity.kind in ("printed", "raises")}

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
        (found,) = self.all_outcomes([text], given)
        return found

    def all_outcomes(
        self, texts: Sequence[str], given: Mapping[str, Any] = MappingProxyType({}), *, small: bool = True
    ) -> list[dict[Quantity, Any]]:
        """Return the answers if the snippet were each of these texts.

        They are empty where it cannot run, within few steps if `small`.
        """
        found: Outcomes = asked(answered, Others(self.script, tuple(texts), dict(given), small)) if texts else ()
        quantities = [ask.quantity for ask in self.asks]
        return [
            {one: value for one, value in zip(quantities, values, strict=False) if not isinstance(value, Refusal)}
            for values in found
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
