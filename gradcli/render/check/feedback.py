"""Feedback for one student in each form: what a folder of a class gets a file of."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

from gradcli.homework.grading import Grading
from gradcli.homework.model import Marked, Result
from gradcli.homework.totals import ClassTotals
from gradcli.render.asked import Asked
from gradcli.render.check.document import check_document
from gradcli.render.check.graphs import TOO_LARGE, sketches, told
from gradcli.render.check.marking import NAME, clipped
from gradcli.render.check.page import MOST, by_question, check_page, check_sections, title
from gradcli.render.graph.mermaid import flowchart
from gradcli.render.markdown.layout import laid_out, plain


def feedback_text(grading: Grading, result: Result, asked: Asked) -> str:
    """Write the page of the terminal."""
    return check_page(result, asked, assignment=grading.assignment, all=asked.all) + "\n"


def feedback_document(grading: Grading, result: Result, asked: Asked) -> str:
    """Write the document of a class of one, schema `gradcli.check/1`."""
    return "".join(check_document(grading.assignment, [result], ClassTotals(grading.assignment), ascii=asked.ascii))


def feedback_page(grading: Grading, result: Result, asked: Asked) -> str:
    """Write the page in Markdown: below the answers to each question its graph, with the mistakes marked."""
    blocks = [f"# {plain(title(result, asked))}"]
    questions = iter(by_question(result.answers if asked.all else result.answers[:MOST]).items())
    for section in check_sections(result, asked, assignment=grading.assignment, all=asked.all):
        blocks += laid_out([section])
        for id, answers in islice(questions, 1):  # the sections of questions come first
            blocks += graphs(grading, id, answers, asked)
    return "\n\n".join(blocks) + "\n"


def graphs(grading: Grading, id: str, answers: Sequence[Marked], asked: Asked) -> Iterator[str]:
    """Yield the graphs of a question as blocks that GitHub draws, and what the marks in them are about."""
    key = grading.grader.keys.get(id)
    if key is None:
        return
    marks = told(answers)
    found = list(sketches(key, answers, marks, asked))
    yield from (f"```mermaid\n{flowchart(one, asked)}\n```" if one else TOO_LARGE for one in found)
    if any(found) and marks:
        yield plain(", ".join(f"{one.mark}: {clipped(one.answer.quantity, NAME, asked)}" for one in marks))
