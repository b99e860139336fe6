"""A sheet as text: the answer file itself, in which the questions are comments."""

from __future__ import annotations

from collections.abc import Iterator

from gradcli.homework.assignment.assignments import Assignment, Question
from gradcli.render.display_options import Asked
from gradcli.render.sheet.pages import about, one_line, point, program
from gradcli.render.text.wrapping import lines_of

WIDTH = 88  # columns of a text
ABOUT = "Write each answer behind its equals sign. Lines that begin with # are not read."


def sheet(assignment: Assignment, whose: str, asked: Asked) -> str:
    """Write the sheet of a student, or of anybody where `whose` is empty."""
    head = [assignment.title, f"for {whose}" if whose else "", ABOUT]
    lines = [comment(one_line(line)) for line in head if line]
    for question in assignment.questions:
        lines += ["", f"[{question.id}]", *commented(question), *blanks(question)]
    return "\n".join(lines) + "\n"


def commented(question: Question) -> Iterator[str]:
    """Yield the question as comments."""
    if text := one_line(question.text):
        yield from (comment(line) for line in (*lines_of(text, WIDTH, 0), ""))
    yield from (comment(f"    {line}") for line in program(question))
    yield comment("")
    yield from (comment(f"at {line}" if not place else f"   {line}") for place, line in enumerate(point(question)))


def blanks(question: Question) -> Iterator[str]:
    """Yield a line for each answer, below a comment that says what it is worth."""
    for ask in question.asks:
        yield comment(about(question, ask))
        yield f"{one_line(ask.written)} ="


def comment(text: str) -> str:
    return f"# {text}".rstrip()
