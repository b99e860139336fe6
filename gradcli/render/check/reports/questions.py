"""Words and plain text that questions for other tools share."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from html import escape as html
from itertools import groupby

from gradcli.homework.answer_file import answer
from gradcli.homework.assignment.assignments import Assignment, Question
from gradcli.homework.expected_answers import Foreseen, Number
from gradcli.homework.model import VERDICTS
from gradcli.render.check.marking import NAME, SENTENCE, clipped, diagnoses
from gradcli.source import visible

OTHER = "not right, and by no mistake that is known"


def name(quantity: Foreseen, suffix: str = "") -> str:
    """Return the name of a question: that of the assignment's, the quantity, and the number of a version."""
    version = f" ({quantity.version})" if quantity.version else ""
    return f"{clipped(quantity.question.id, NAME)}: {clipped(quantity.ask.written, NAME)}{suffix}{version}"


def categories(assignment: Assignment, quantities: Iterable[Foreseen]) -> Iterator[tuple[str, Iterator[Foreseen]]]:
    """Yield quantities by the category of a bank of questions that they go to.

    The versions of one quantity have a category of their own, from which a quiz takes one at random. Categories are
    paths, in which a slash of a name is written twice.
    """
    title = step(clipped(assignment.title or assignment.file, NAME))
    for group, members in groupby(
        quantities, lambda quantity: name(replace(quantity, version=0)) if quantity.version else ""
    ):
        below = f"/{step(group)}" if group else ""
        yield f"$course$/top/{title}{below}", members


def step(name: str) -> str:
    """Write a name as a step of a path, in which tools may read tags."""
    return html(name, quote=False).replace("/", "//")


def setting(question: Question) -> Iterator[tuple[str, str]]:
    """Yield the paragraphs before the quantity, as their kind, `text` or `code`, and their lines."""
    if question.text:
        yield "text", lines(question.text)
    yield "code", lines(question.source.text)
    if question.at:
        yield "text", visible(", ".join(f"{name} = {answer(value)}" for name, value in question.at.items()))


def lines(text: str) -> str:
    """Write a text of several lines so that none of its characters acts on anything."""
    return "\n".join(map(visible, text.strip().splitlines()))


def harmless(text: str) -> str:
    """Write a part of a file, whose line ends are ours, so that none of its characters acts on anything."""
    return "\n".join(map(visible, text.split("\n")))


def prompt(quantity: Foreseen) -> str:
    """Write the quantity as it is asked for."""
    printing = quantity.question.printing(quantity.ask)
    kind = " (a formula)" if quantity.is_formula else f", by {clipped(printing, SENTENCE)}" if printing else ""
    return f"{clipped(quantity.ask.written, SENTENCE)}{kind} = ?"


def feedback(number: Number) -> str:
    """Write the verdict on a number and the mistakes behind it, in one line."""
    causes = diagnoses(number.verdict)
    return f"{VERDICTS[number.verdict.verdict]}: {'; '.join(causes)}" if causes else VERDICTS[number.verdict.verdict]
