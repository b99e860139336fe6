"""Wrong answers that are the same however they were typed."""

from __future__ import annotations

from collections.abc import Iterator

from gradcli.homework.assignment.assignments import Assignment
from gradcli.homework.model import Marked, Result
from gradcli.homework.submission.numerals import ENOUGH, read_numeral

WRONG = frozenset(("wrong", "shape"))
LONGEST = 80  # characters of an answer that tell it from others

Place = tuple[str, str]  # question and quantity, as the assignment writes them


def asked(assignment: Assignment) -> dict[Place, float]:
    """Return the points of every quantity that is asked for, in the order of the assignment."""
    return {(question.id, ask.written): ask.points for question in assignment.questions for ask in question.asks}


def wrong_answers(result: Result) -> Iterator[tuple[Marked, str]]:
    """Yield the wrong answers of a submission, each with the form that all ways of typing it share."""
    for answer in result.answers:
        if answer.verdict in WRONG and answer.given is not None:
            yield answer, form(answer.read_as or answer.given)


def form(text: str) -> str:
    """Return the form of an answer: a number to three digits, any other text without spaces and in small letters."""
    text = text[: 2 * LONGEST]
    typed = read_numeral(text)
    if typed is None:
        return "".join(text.split()).casefold()[:LONGEST]
    return f"{float(typed.value) + 0.0:.{ENOUGH}g}"
