"""Assignments: read from TOML, and refused with a place where something in them cannot be used."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from gradcli.errors import GradcliError, UsageError
from gradcli.homework.numerals import Tolerance
from gradcli.homework.places import Places
from gradcli.homework.quantities import Quantity, read_expression, read_quantity
from gradcli.source import Source, Span, did_you_mean

TOP = ("title", "grading", "question")
GRADING = ("rtol", "atol", "precision", "carry_forward")
QUESTION = ("id", "text", "program", "script", "at", "ask")
ASK = ("quantity", "form", "points")


@dataclass(frozen=True, slots=True)
class Ask:
    """One thing asked for. `form` says whether a number or a formula is the answer; `span` where it is asked."""

    quantity: Quantity
    form: Literal["number", "expression"]
    points: float
    written: str
    span: Span


@dataclass(frozen=True, slots=True)
class Question:
    """A program at a point, or a snippet, with what is asked about it; `offset` is where its text starts in the file,
    None where the file has it with escapes.
    """

    id: str
    text: str
    source: Source
    is_script: bool
    at: Mapping[str, Any]
    asks: tuple[Ask, ...]
    offset: int | None
    span: Span


@dataclass(frozen=True, slots=True)
class Assignment:
    """What is to be graded, and how; `source` is the file."""

    title: str
    tolerance: Tolerance
    carry_forward: bool
    questions: tuple[Question, ...]
    source: Source = field(repr=False)

    @property
    def max_score(self) -> float:
        return sum(ask.points for question in self.questions for ask in question.asks)


def read_assignment(source: Source) -> Assignment:
    """The assignment that a TOML text describes; UsageError says where it is not one, and what to write."""
    try:
        table = tomllib.loads(source.text)
    except tomllib.TOMLDecodeError as error:
        raise _no_toml(source, str(error)) from None
    return _Reader(source).assignment(table)


def _no_toml(source: Source, message: str) -> UsageError:
    what, _, place = message.partition(" (at ")
    found = re.match(r"line (\d+), column (\d+)", place)
    start = source.offset(int(found[1])) + int(found[2]) - 1 if found else len(source.text)
    return UsageError(
        "E020",
        f"this is not TOML: {what[:1].lower()}{what[1:]}",
        span=Span(start, start + 1),
        help="texts stand in quotes, a program of several lines in triple quotes, a question under [[question]]",
        source=source,
    )


class _Reader:
    def __init__(self, source: Source) -> None:
        self.source = source
        self.places = Places(source)

    def refuse(self, span: Span, message: str, help: str, code: str = "E021") -> UsageError:
        return UsageError(code, message, span=span, help=help, source=self.source)

    def assignment(self, table: dict[str, Any]) -> Assignment:
        top = self.places.section(None)
        self.known(table, TOP, top, "an assignment")
        questions = table.get("question")
        if not isinstance(questions, list) or not questions:
            raise self.refuse(top, "there is no question", 'start one with [[question]], id = "..." below it')
        seen: set[str] = set()
        read = tuple(self.question(number, one, seen) for number, one in enumerate(questions))
        tolerance, carry = self.grading(table.get("grading", {}))
        title = self.typed(table, "title", str, top, "")
        return Assignment(title, tolerance, carry, read, self.source)

    def grading(self, table: Any) -> tuple[Tolerance, bool]:
        section = self.places.section(None, "grading")
        if not isinstance(table, dict):
            raise self.refuse(section, "grading is a table", "write [grading], and rtol = 1e-5 below it")
        self.known(table, GRADING, section, "[grading]")
        for name in ("rtol", "atol"):
            value = self.typed(table, name, (int, float), section, 0.0)
            if not 0 <= value < 1:
                raise self.refuse(self.places.key(section, name), f"{name} is {value}", f"{name} = 1e-5, from 0 to 1")
        precision = table.get("precision", "auto")
        if precision != "auto" and not (type(precision) is int and 1 <= precision <= 15):
            raise self.refuse(
                self.places.key(section, "precision"), "precision is none", 'precision = "auto", or digits from 1 to 15'
            )
        carry = self.typed(table, "carry_forward", bool, section, True)
        limits = {name: float(table[name]) for name in ("rtol", "atol") if name in table}
        return Tolerance(**limits, precision=None if precision == "auto" else precision), carry

    def question(self, number: int, table: Any, seen: set[str]) -> Question:
        section = self.places.section(number)
        if not isinstance(table, dict):
            raise self.refuse(section, "a question is a table", "start it with [[question]]")
        self.known(table, QUESTION, section, "a question")
        id = self.typed(table, "id", str, section, str(number + 1)).strip()
        if not id or any(c in id for c in "[]\n#"):
            raise self.refuse(self.places.key(section, "id"), f"{id!r} cannot be an id", 'a word, such as id = "chain"')
        if id in seen:
            raise self.refuse(self.places.key(section, "id"), f"two questions have the id {id}", "give it another id")
        seen.add(id)
        kinds = [kind for kind in ("program", "script") if kind in table]
        if len(kinds) != 1:
            what = "has neither a program nor a script" if not kinds else "has both a program and a script"
            raise self.refuse(
                self.places.key(section, "script" if kinds else "id"), f"question {id} {what}", 'program = "q = x**2"'
            )
        (kind,) = kinds
        text = self.typed(table, kind, str, section, "")
        at = self.point(table, section, is_script=kind == "script")
        place = self.places.text(section, text, kind)
        source = Source(text, f"question {id}")
        return Question(
            id,
            self.typed(table, "text", str, section, "").strip(),
            source,
            kind == "script",
            at,
            self.asks(table, section, id, kind == "script", source),
            None if place is None else place.start,
            section,
        )

    def point(self, table: Mapping[str, Any], section: Span, *, is_script: bool) -> dict[str, Any]:
        """The values of the variables: numbers, nested lists, or texts with a constant expression."""
        at = self.typed(table, "at", dict, section, {})
        if is_script and at:
            raise self.refuse(self.places.key(section, "at"), "a script has its values in itself", "remove at = ...")
        return {name: self.value(name, value, section) for name, value in at.items()}

    def value(self, name: str, value: Any, section: Span) -> Any:
        from gradcli.explanation.refusals import numbers
        from gradcli.explanation.values import constant
        from gradcli.language.parser import parse_expression

        span = self.places.key(section, name)
        try:
            if isinstance(value, str):
                text = Source(value, f"value of {name}")
                value = constant(parse_expression(text), text)
            return numbers(value, f"the value of {name}")
        except GradcliError as error:
            raise self.refuse(span, error.message, "at = { x = 2, w = [0.5, 1], c = '1/3' }") from None

    def asks(
        self, table: Mapping[str, Any], section: Span, id: str, is_script: bool, source: Source
    ) -> tuple[Ask, ...]:
        asked = table.get("ask")
        if not isinstance(asked, list) or not asked:
            span = self.places.key(section, "ask")
            raise self.refuse(span, f"question {id} asks for nothing", 'ask = ["q", "dq/dx"]')
        from gradcli.homework.solution import output_name

        output = "" if is_script else output_name(source)
        found = [self.ask(one, section, is_script, output) for one in asked]
        for place, ask in enumerate(found):
            if ask.quantity in [other.quantity for other in found[:place]]:
                raise self.refuse(ask.span, f"{ask.quantity} is asked for twice", "remove one of the two")
        return tuple(found)

    def ask(self, one: Any, section: Span, is_script: bool, output: str) -> Ask:
        table = one if isinstance(one, dict) else {"quantity": one}
        written = table.get("quantity")
        if not isinstance(written, str) or not written.strip():
            span = self.places.key(section, "ask")
            raise self.refuse(span, f"{one!r} asks for nothing", '"dq/dx", or { quantity = "dq/dx", points = 2 }')
        span = self.places.text(section, written, "ask") or self.places.key(section, "ask")
        self.known(table, ASK, section, "an ask", span)
        quantity = read_expression(written) if is_script else read_quantity(written, output)
        if quantity is None:
            forms = "a.grad, c.grad_fn, w" if is_script else "s, dq/ds, s.grad or local ds/dx"
            raise self.refuse(span, f"{written} is no quantity", f"write one such as {forms}")
        form, points = table.get("form", "number"), table.get("points", 1)
        if form not in ("number", "expression") or (is_script and form == "expression"):
            known = "number" if is_script else "number or expression"
            raise self.refuse(span, f"the form of {written} is {form!r}", f"a form is {known}")
        if type(points) not in (int, float) or not 0 <= points < 1e6:
            raise self.refuse(span, f"the points of {written} are {points!r}", "points = 1")
        return Ask(quantity, form, float(points), written, span)

    def known(
        self, table: Mapping[str, Any], known: Sequence[str], section: Span, whose: str, span: Span | None = None
    ) -> None:
        for key in table:
            if key not in known:
                close = did_you_mean(key, known)
                raise self.refuse(
                    span or self.places.key(section, key),
                    f"{whose} has no {key}",
                    f"did you mean {close}?" if close else f"it has {', '.join(known)}",
                )

    def typed(self, table: Mapping[str, Any], key: str, kind: Any, section: Span, default: Any) -> Any:
        value = table.get(key, default)
        kinds = {str: "a text in quotes", dict: "a table, such as { x = 2 }", bool: "true or false"}
        if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
            what = kinds.get(kind, "a number")
            raise self.refuse(self.places.key(section, key), f"{key} is {value!r:.40}", f"{key} is {what}")
        return value
