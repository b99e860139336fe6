"""Assignments: read from TOML, and refused with a place where something in them cannot be used."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import field, replace
from datetime import datetime
from pathlib import PurePath
from typing import Any, Literal
from unicodedata import normalize

import numpy as np

from gradcli.errors import GradcliError, UsageError
from gradcli.facts import dataclass
from gradcli.homework.assignment import code, words
from gradcli.homework.assignment.choices import Choice, Draws
from gradcli.homework.assignment.mistakes import OwnMistake, read_mistakes
from gradcli.homework.assignment.numbers import filled
from gradcli.homework.assignment.places import Path, Places, Table, read_table
from gradcli.homework.assignment.quantities import Quantity, output_name, read_expression, read_quantity
from gradcli.homework.assignment.values import point, settings
from gradcli.homework.assignment.words import NO_WORDS, Words
from gradcli.homework.code.cases import ASKS, USUAL, Code
from gradcli.homework.model import added
from gradcli.homework.submission.numerals import Tolerance
from gradcli.source import Source, Span
from gradcli.workers.notes import part

TOP = ("title", "mistake", "grading", "input", "question")
QUESTION = ("id", "text", "program", "script", "at", "ask", "constant", "given", *code.KEYS)
ASK = ("quantity", "form", "points", "decimals", "rtol", "label", *words.KEYS)
ASSIGNED = re.compile(r"([^\W\d]\w*)\s*=(?!=)")
DECIMALS = re.compile(r"\d\.(\d+)")
ANSWERS = "question "  # begins the name of a part in which the answers of one are computed


@dataclass(frozen=True, slots=True)
class Ask:
    """One quantity asked for, with its points. The answer has the `form` of a number or of an expression.

    `tolerance` are the settings that it has of its own, `label` what else it is called in answers.
    """

    quantity: Quantity
    form: Literal["number", "expression"]
    points: float
    written: str
    span: Span
    words: Words = NO_WORDS
    tolerance: Mapping[str, Any] = field(default_factory=dict, compare=False)
    label: str = ""


@dataclass(frozen=True, slots=True)
class Question:
    """A program at a point, or a snippet, with the quantities asked for.

    `source` is the program, `output` the name of its output ("" for a snippet), `file` the assignment, in which `span`
    is the question's header and `path` leads to the program. What `varies` from sheet to sheet has an example in `at`,
    or in the snippet. Where students write `code`, the script is what they see of it. A variable that is `constant`
    keeps its value in formulas, and others have the properties that are `given`.
    """

    id: str
    text: str
    source: Source
    is_script: bool
    output: str
    at: Mapping[str, Any]
    asks: tuple[Ask, ...]
    span: Span
    path: Path
    file: Source = field(repr=False)
    places: Places = field(repr=False, compare=False)
    varies: Mapping[str, Choice] = field(default_factory=dict, compare=False)
    code: Code | None = None
    constant: frozenset[str] = frozenset()
    given: Mapping[str, str] = field(default_factory=dict, compare=False)

    def moved(self, at: Mapping[str, Any]) -> Question:
        """Return the question with other values: a program at another point, or a snippet with other numbers in it."""
        if self.is_script:
            return replace(self, source=Source(filled(self.source.text, at), self.source.name))
        return replace(self, at={**self.at, **at})

    @property
    def quantities(self) -> tuple[str, ...]:
        """The quantities asked for, as the assignment writes them."""
        return tuple(ask.written for ask in self.asks)

    @property
    def names(self) -> frozenset[str]:
        """The names that the program or snippet has."""
        return frozenset(ASSIGNED.findall(self.source.text)) | frozenset(self.at)

    @property
    def max_score(self) -> float:
        return added(ask.points for ask in self.asks)

    @property
    def decimals(self) -> int | None:
        """The most decimals that a value of a program has; None for a snippet."""
        if self.is_script:
            return None
        values = [repr(np.asarray(value).tolist()) for value in self.at.values()]
        return max(
            (len(text) for text in DECIMALS.findall(" ".join([self.source.text, *values])) if text != "0"), default=0
        )

    def printing(self, ask: Ask) -> str:
        """Return the line of the snippet whose output is asked for, "" for any other quantity."""
        number = int(ask.quantity.of or 0) if ask.quantity.kind == "printed" else 0
        return "".join(self.source.text.splitlines()[max(number - 1, 0) : number]).strip()

    def computing(self) -> None:
        """Note that its answers are computed from now on, which has the time of an item."""
        part(f"{ANSWERS}{self.id}")

    def refused(self, span: Span, message: str, help: str) -> UsageError:
        """Return an error at a place in the assignment."""
        return UsageError("E022", f"question {self.id}: {message}", span=span, help=help, source=self.file)

    def placed(self, error: GradcliError, help: str) -> UsageError:
        """Return an error of the program or snippet at its place in the assignment."""
        placed = self.refused(self.span, error.message, help)
        is_as_written = not (self.is_script and self.varies)
        is_own = error.source is not None and error.source.name == self.source.name
        if error.span is not None and is_own and is_as_written:
            placed.span = self.places.within(self.path, error.span)
        return placed

    def value_place(self, name: str) -> Span:
        """Return the place of a variable's value in `at`."""
        return self.places.key(*self.path[:-1], "at", name)


@dataclass(frozen=True, slots=True)
class Assignment:
    """The questions with the rules of grading; `source` is the file.

    `attempt_penalty` is the share of the points that each attempt after the first takes off, `late_penalty`
    that of each day that has begun since the `deadline`.
    """

    title: str
    tolerance: Tolerance
    carry_forward: bool
    questions: tuple[Question, ...]
    source: Source = field(repr=False)
    strict: bool = False
    carry_share: float = 1.0
    entries: str = "all"
    mistakes: tuple[OwnMistake, ...] = ()
    attempt_penalty: float = 0.0
    precision_share: float = 0.0
    deadline: datetime | None = None
    late_penalty: float = 0.0

    @property
    def file(self) -> str:
        return self.source.name

    @property
    def max_score(self) -> float:
        return added(question.max_score for question in self.questions)

    @property
    def varies(self) -> bool:
        """Whether students have different sheets."""
        return any(question.varies for question in self.questions)

    def is_called(self, title: str, file: str) -> bool:
        """Return whether a record about an assignment of this title, in this file, may be about this one."""
        return PurePath(file).name == PurePath(self.file).name or (title != "" and title == self.title)


def read_assignment(source: Source) -> Assignment:
    """Read an assignment from TOML. Raises UsageError, at the place of the fault, with the text to write there."""
    table = Table(read_table(source), source, Places(source.text))
    table.known(TOP, "an assignment")
    questions = table.get("question")
    if not isinstance(questions, list) or not questions:
        help = 'start one with [[question]], and write id = "..." below it'
        raise table.refuse_key("there is no question", help, "question")
    read: dict[str, Question] = {}
    for number, values in enumerate(questions):
        if not isinstance(values, dict):
            raise table.refuse_key("a question is a table", "start it with [[question]]", "question", number)
        question = read_question(table.inner(values, "question", number), read)
        read[question.id] = question
    options = settings(table)
    options["mistakes"] = tuple(read_mistakes(table, {id: question.quantities for id, question in read.items()}))
    return Assignment(table.typed("title", str, ""), questions=tuple(read.values()), source=source, **options)


def read_question(table: Table, before: Collection[str]) -> Question:
    table.known(QUESTION, "a question")
    id = read_id(table, before)
    asked_code, text = code.read_code(table), table.typed("text", str, "").strip()
    section = table.places.key(*table.path)
    if asked_code is not None:
        key = "engine" if asked_code.is_engine else "layer" if asked_code.is_layer else "function"
        asks = read_code_asks(table, id, asked_code)
        source = Source(code.stub(asked_code), f"question {id}")
        place = (section, (*table.path, key), table.source, table.places)
        return Question(id, text, source, True, "", {}, asks, *place, code=asked_code)
    kinds = [kind for kind in ("program", "script") if kind in table]
    if not kinds and words.are_choices(table.get("ask")):
        kinds, table = ["script"], replace(table, values={**table.values, "script": ""})  # nothing is computed
    if len(kinds) != 1:
        what = "has both a program and a script" if kinds else "has neither a program nor a script"
        help = "remove one of them" if kinds else 'write program = "q = x**2" below its id'
        raise table.refuse_key(f"question {id} {what}", help, *kinds[1:])
    (kind,) = kinds
    source, is_script = Source(table.typed(kind, str, ""), f"question {id}"), kind == "script"
    output = "" if is_script else output_name(source)
    at = point(table, source if is_script else None)
    varies = {name: choice for name, choice in at.items() if isinstance(choice, Choice)}
    example = {**at, **{name: choice.drawn(Draws(b"", id, name)) for name, choice in varies.items()}}
    read = Question(
        id,
        text,
        source,
        is_script,
        output,
        {} if is_script else example,
        read_asks(table, id, output, is_script=is_script),
        section,
        (*table.path, kind),
        table.source,
        table.places,
        varies,
        constant=frozenset(table.texts("constant", '["y", "lam"]')),
        given=table.typed("given", dict, {}),
    )
    return read.moved(example) if is_script and example else read


def read_code_asks(table: Table, id: str, asked_code: Code) -> tuple[Ask, ...]:
    usual = list(USUAL if asked_code.is_engine else asked_code.returns)
    asks = read_asks(replace(table, values={"ask": usual, **table.values}), id, "", is_script=True)
    known = ASKS if asked_code.is_engine else asked_code.returns
    for ask in asks:
        if ask.written not in known:
            raise table.refuse_at(ask.span, f"{ask.written} is nothing that is tried", f"write {', '.join(known)}")
    return asks


def read_id(table: Table, before: Collection[str]) -> str:
    id = normalize("NFC", table.typed("id", str, str(len(before) + 1))).strip()
    if not id or any(c in id for c in "[]#") or not id.isprintable():
        raise table.refuse(f"{id!r} cannot be an id", 'write a word, such as id = "chain"', "id")
    if id in before:
        raise table.refuse(f"two questions have the id {id}", "give one of them another id", "id")
    return id


def read_asks(table: Table, id: str, output: str, *, is_script: bool) -> tuple[Ask, ...]:
    asked = table.get("ask")
    if not isinstance(asked, list) or not asked:
        what = "asks for nothing" if not asked else "has an ask that is no list"
        raise table.refuse_key(f"question {id} {what}", 'write ask = ["q", "dq/dx"]', "ask")
    asks: dict[Quantity, Ask] = {}
    for place, entry in enumerate(asked):
        values, path = (entry, ("quantity",)) if isinstance(entry, dict) else ({"quantity": entry}, ())
        inner = table.inner(values, "ask", place)
        ask = read_ask(inner, table.places.value(*inner.path, *path), output, is_script=is_script)
        if ask.quantity in asks:
            raise table.refuse_at(ask.span, f"{ask.quantity} is asked for twice", "remove one of the two")
        asks[ask.quantity] = ask
    return tuple(asks.values())


def read_ask(table: Table, span: Span, output: str, *, is_script: bool) -> Ask:
    table.known(ASK, "an ask")
    wording, special = words.read_words(table), words.read_special(table, is_script=is_script)
    if special is not None:
        return Ask(special[0], "number", read_points(table, special[1]), special[1], span, wording)
    written = table.get("quantity")
    if not isinstance(written, str) or not written.strip():
        what = f"{written!r:.40} is no quantity" if "quantity" in table else "there is no quantity"
        raise table.refuse_at(span, what, 'write "dq/dx", or { quantity = "dq/dx", points = 2 }')
    quantity = read_expression(written) if is_script else read_quantity(written, output)
    if quantity is None:
        forms = "a.grad, c.grad_fn, w" if is_script else "s, dq/ds, s.grad or local ds/dx"
        raise table.refuse_at(span, f"{written} is no quantity", f"write one such as {forms}")
    if re.search(r"^\s*\[|[=#\n]", written):
        help = "give it a name in the script, and ask for that"
        raise table.refuse_at(span, f"{written} cannot stand before the = of an answer", help)
    form = table.get("form", "number")
    if form not in ("number", "expression") or (is_script and form == "expression"):
        known = '"number"' if is_script else '"number" or "expression"'
        raise table.refuse(f"the form of {written} is {form!r:.40}", f"write form = {known}", "form")
    limits = table.tolerance("rtol", "decimals")
    return Ask(
        quantity,
        form,
        read_points(table, written),
        written.strip(),
        span,
        wording,
        limits,
        table.typed("label", str, "").strip(),
    )


def read_points(table: Table, written: str) -> float:
    return table.number("points", 1, 1e6, "write points = 1", f"the points of {written} are")
