"""Submissions: text and JSON. They are data: nothing in them is run."""

from __future__ import annotations

import json
from dataclasses import field, replace
from functools import cache, partial
from typing import Any
from unicodedata import normalize

from gradcli.facts import dataclass
from gradcli.homework.model import ENDINGS

REMARKS = 20  # on a file


@dataclass(frozen=True, slots=True)
class Given:
    """One line of a submission: the answer as text, None where it is left blank; `problem` says why it is no answer.

    `reason` is one of `ENDINGS` where grading it was ended from outside, `line` its line in the file, or 0.
    """

    question: str
    quantity: str
    text: str | None
    problem: str = ""
    reason: str | None = None
    line: int = field(default=0, compare=False)

    def ended(self, reason: str) -> Given:
        """Return the answer as one whose grading was ended: graded anew, it is unreadable and takes no time."""
        return replace(self, problem=ENDINGS[reason], reason=reason)


@dataclass(frozen=True, slots=True)
class Submission:
    """The answers of one student; `remarks` name unread parts.

    `unreadable` says why nothing could be read, and `reason` is one of `ENDINGS` where that was ended from outside.
    """

    file: str
    student: str
    given: tuple[Given, ...] = ()
    unreadable: str = ""
    remarks: tuple[str, ...] = field(default=())
    reason: str | None = None

    def ended(self, reason: str) -> Submission:
        """Return the submission as one that was ended as a whole: none of its answers is graded."""
        return replace(self, given=(), unreadable=ENDINGS[reason], reason=reason)


@cache
def answers_parser() -> Any:
    from lark import Lark

    from gradcli.language.grammar import grammar_text

    return Lark(grammar_text("answers.lark"), start="answers", parser="lalr", lexer="basic")


def read_text(name: str, student: str, text: str) -> Submission:
    """Read a submission in the notation of `answers.lark`."""
    given: list[Given] = []
    remarks: list[str] = []
    question = ""
    for token in answers_parser().parse(text).children:
        stray = token.value
        if token.type == "HEADING":
            heading, _, stray = token.value[1:].partition("]")
            question = named(heading)
        elif token.type == "GIVEN":
            quantity, _, answer = token.value.partition("=")
            given.append(Given(question, quantity.strip(), answer.strip() or None, line=token.line))
            continue
        if stray.strip():
            remarks.append(f"line {token.line} is no [question], and no quantity = answer: {shortened(stray)}")
    return Submission(name, student, tuple(given), remarks=limited(remarks))


def named(question: str) -> str:
    """Return the id of a question, the same in every spelling of its letters."""
    return normalize("NFC", question.strip())


def limited(remarks: list[str]) -> tuple[str, ...]:
    """Return the first remarks, and the number of the others."""
    if len(remarks) > REMARKS:
        remarks[REMARKS:] = [f"and {len(remarks) - REMARKS} more"]
    return tuple(remarks)


def shortened(text: str) -> str:
    text = text.strip()
    return text if len(text) <= 40 else f"{text[:37]}..."


class Numeral(str):
    """A number of a JSON file, with the digits that stand there."""

    __slots__ = ()


class _Pairs(list[tuple[str, Any]]):
    """An object of a JSON file, in which a key may stand twice."""


def read_json(name: str, student: str, text: str) -> Submission:
    """Read a submission in JSON: `{"question": {"quantity": answer}}`."""
    unread = partial(Submission, name, student)
    try:
        table = json.loads(
            text, parse_float=Numeral, parse_int=Numeral, parse_constant=Numeral, object_pairs_hook=_Pairs
        )
    except json.JSONDecodeError as error:
        return unread(unreadable=f"it is not JSON: line {error.lineno}: {error.msg[:1].lower()}{error.msg[1:]}")
    except RecursionError:
        return unread(unreadable="it is nested too deeply")
    if not isinstance(table, _Pairs):
        return unread(unreadable='it is no object such as {"question": {"q": 8}}')
    given: list[Given] = []
    remarks: list[str] = []
    for question, answers in table:
        if not isinstance(answers, _Pairs):
            remarks.append(f"{shortened(question)} holds no answers by quantity")
            continue
        given.extend(_of_json(named(question), quantity.strip(), answer) for quantity, answer in answers)
    return Submission(name, student, tuple(given), remarks=limited(remarks))


def _of_json(question: str, quantity: str, answer: Any) -> Given:
    if answer is None:
        return Given(question, quantity, "None")
    try:
        text = written(answer).strip()
    except (TypeError, RecursionError):
        return Given(question, quantity, "", "neither a number, a text nor a list of numbers")
    return Given(question, quantity, text or None)


def written(value: Any) -> str:
    """Write a JSON value as a student types it. Raises TypeError for null and objects."""
    if isinstance(value, list) and not isinstance(value, _Pairs):
        return f"[{', '.join(map(written, value))}]"
    if isinstance(value, bool | str):
        return str(value)
    raise TypeError(value)
