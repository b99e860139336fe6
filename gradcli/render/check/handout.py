"""The key of an assignment as a page: each question with its graph and its worked solution, then the answers."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from gradcli.explanation.model import Explanation
from gradcli.homework.answer_file import filled_in
from gradcli.homework.grading import Grader
from gradcli.homework.key import Key
from gradcli.homework.solve.snippets import SnippetSolution
from gradcli.render.check.graphs import drawn
from gradcli.render.check.student import about
from gradcli.render.check.worked import worked_sections
from gradcli.render.graph.sketch.sketch import sketch
from gradcli.render.lesson.page import sections
from gradcli.render.output.tables import tables
from gradcli.render.page.document import Html, element, still
from gradcli.render.text.looks import Asked


def key_page(grader: Grader, asked: Asked) -> str:
    """Write the page of the key."""
    questions = (element("section", *question(key, asked)) for key in grader.keys.values())
    answers = element("section", element("h2", "Answers"), block("\n".join(filled_in(grader)).rstrip()))
    title = f"Key: {grader.assignment.title}" if grader.assignment.title else "Key"
    main = element("main", element("header", element("h1", title)), *questions, answers, data_gradcli="key")
    return still(title, main)


def question(key: Key, asked: Asked) -> Iterator[Html]:
    """Yield a question as it was asked, and its solution."""
    yield element("h2", key.question.id)
    yield from about(key.question)
    with np.errstate(all="ignore"):
        if isinstance(key.solution, SnippetSolution):
            yield solution(tables(worked_sections(key.solution, asked)))
        else:
            for explanation in key.solution.explanations():
                yield from graph(explanation, asked)
                _, *worked = sections(explanation, asked, all=asked.all, why=asked.why)  # the program stands above
                yield solution(tables(worked))


def graph(explanation: Explanation, asked: Asked) -> Iterator[Html]:
    """Yield the graph with its numbers, if it is not too large."""
    if picture := drawn(sketch(explanation, asked), asked):
        yield element("figure", element("div", Html(picture), class_="stage", tabindex=0))


def solution(worked: Html) -> Html:
    return element("div", worked, class_="solution", tabindex=0, role="region", aria_label="The worked solution")


def block(text: str) -> Html:
    return element("pre", element("code", text), class_="program", tabindex=0)
