"""The facts on a sheet in every form: values with all their digits, and the points of an answer."""

from __future__ import annotations

from gradcli.homework.answer_file import answer
from gradcli.homework.assignment.assignments import Ask, Question
from gradcli.render.check.marking import exact
from gradcli.source import visible


def point(question: Question) -> list[str]:
    """Return the values of a question, `x = 1.3`, as they are typed."""
    return [f"{visible(name)} = {answer(value)}" for name, value in question.at.items()]


def about(question: Question, ask: Ask) -> str:
    """Return the points of an answer, and what else says how it is to be.

    `2 points, a formula`, `1 point, (1) yes or (2) no`, `1 point, by print(w)`.
    """
    worth = f"{exact(ask.points)} point{'' if ask.points == 1 else 's'}"
    if ask.words.choices:
        *others, last = (f"({number}) {one_line(text)}" for number, text in enumerate(ask.words.choices, 1))
        return f"{worth}, {', '.join(others)} or {last}"
    if printing := question.printing(ask):
        return f"{worth}, by {visible(printing)}"
    return f"{worth}, a formula" if ask.form == "expression" else worth


def one_line(text: str) -> str:
    return visible(" ".join(text.split()))


def program(question: Question) -> list[str]:
    """Return the lines of the program or the snippet."""
    return [visible(line.rstrip()) for line in question.source.text.strip("\n").split("\n")]
