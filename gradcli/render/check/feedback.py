"""Feedback for one student in each form: what a folder of a class gets a file of."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from gradcli.homework.grading import Grading
from gradcli.homework.key import Key
from gradcli.homework.model import Marked, Result
from gradcli.homework.totals import ClassTotals
from gradcli.render.check.document import check_document
from gradcli.render.check.graphs import TOO_LARGE, placed
from gradcli.render.check.marking import NAME, Saying, clipped, sayings
from gradcli.render.check.page import MOST, by_question, check_page, heading, of_file, title
from gradcli.render.check.student import FULL, LONGEST, columns, point
from gradcli.render.graph.mermaid import flowchart
from gradcli.render.markdown.pages import code, fenced, plain, table
from gradcli.render.page.document import cut
from gradcli.render.text.layout import Row
from gradcli.render.text.looks import Asked


def of_student(
    write: Callable[[Grading, Result, Asked], str], grading: Grading, asked: Asked, result: Result
) -> tuple[str, list[str]]:
    """Return the student and the parts of the feedback, which is written as a form has it."""
    return result.student, [write(grading, result, asked)]


def feedback_text(grading: Grading, result: Result, asked: Asked) -> str:
    """Write the page of the terminal."""
    return check_page(result, asked, assignment=grading.assignment, all=asked.all) + "\n"


def feedback_document(grading: Grading, result: Result, asked: Asked) -> str:
    """Write the document of a class of one, schema `gradcli.check/1`."""
    return "".join(check_document(grading.assignment, [result], ClassTotals(grading.assignment), ascii=asked.ascii))


def feedback_page(grading: Grading, result: Result, asked: Asked) -> str:
    """Write the page in Markdown: each question with its answers, its graph, and the mistakes."""
    answers = result.answers if asked.all else result.answers[:MOST]
    keys = grading.grader.keys_of(result.student)
    blocks = [f"# {plain(title(result, asked))}"]
    for id, marked in by_question(answers).items():
        blocks += question(keys.get(id), marked, asked)
    if hidden := len(result.answers) - len(answers):
        blocks.append(plain(f"{asked.ellipsis} {hidden:,} more answers"))
    if remarks := of_file(result, asked):
        blocks += ["## The file", "\n".join(f"- {plain(row.cells[0])}" for row in remarks)]
    return "\n\n".join(blocks) + "\n"


def question(key: Key | None, answers: Sequence[Marked], asked: Asked) -> Iterator[str]:
    """Yield a question as it was asked, its answers, its graph, and the mistakes; of one not asked the answers."""
    yield f"## {plain(heading(answers, '', asked))}"
    if key is not None:
        if text := " ".join(key.question.text.split()):
            yield plain(cut(text, FULL))
        yield fenced(key.question.source.text.strip("\n")[:LONGEST], "python" if key.question.is_script else "")
        if key.question.at:
            yield code(point(key.question))
    heads, rows = columns(answers, asked)
    yield table([Row(tuple(row)) for row in rows], heads)
    graphs, marks = placed(key, answers, asked)
    yield from (f"```mermaid\n{flowchart(graph, asked)}\n```" if graph else TOO_LARGE for graph in graphs)
    for answer in answers:
        said = [sentence(saying) for saying in sayings(answer, asked)]
        if said:
            sign = "".join(f"**{mark.mark}** " for mark in marks if mark.answer is answer)
            yield "\n".join([f"{sign}{code(clipped(answer.quantity, NAME, asked))}", "", *said])


def sentence(said: Saying) -> str:
    """Write what there is to say as a point of a list, the rule in italics."""
    return f"- {plain(said.text)}" + (f". *{plain(said.rule)}*" if said.rule else "")
