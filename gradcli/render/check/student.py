"""The page of one student in HTML: answers with verdicts, and the graph of each question with the mistakes marked.

It holds what it shows and nothing else; the result comes without what the level of disclosure keeps back.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from gradcli.homework.assignment.assignments import Question
from gradcli.homework.grading import Grading
from gradcli.homework.key import Key
from gradcli.homework.model import VERDICTS, Marked, Result
from gradcli.render.check.graphs import TOO_LARGE, Told, drawn, placed
from gradcli.render.check.marking import NAME, Saying, clipped, difference, expected, given, mark, points, sayings
from gradcli.render.check.page import KINDS, MOST, by_question, heading, of_file, scored, whose
from gradcli.render.graph.sketch.sketch import Sketch
from gradcli.render.page.document import Html, cut, element, still
from gradcli.render.text.looks import Asked
from gradcli.render.text.numbers import short

LONGEST = 6000  # characters of a program
FULL = 2000  # of the text of a question
HEADS = ("quantity", "your answer", "verdict", "points", "right answer", "difference")


def student_page(grading: Grading, result: Result, asked: Asked) -> str:
    """Write the page of a student."""
    answers = result.answers if asked.all else result.answers[:MOST]
    keys = grading.grader.keys_of(result.student)
    sections = [question(keys.get(id), marked, asked) for id, marked in by_question(answers).items()]
    hidden = len(result.answers) - len(answers)
    main = element(
        "main",
        header(grading.assignment.title, result, asked),
        *sections,
        element("p", f"… {hidden:,} more answers", class_="quiet") if hidden else None,
        remarks(result, asked),
        data_gradcli="feedback",
    )
    return still(f"{whose(result, asked)}: {grading.assignment.title}", main)


def header(assignment: str, result: Result, asked: Asked) -> Html:
    """Return the student's name, the assignment and the score."""
    return element(
        "header",
        element("h1", whose(result, asked)),
        element("p", cut(assignment, 2 * NAME), class_="quiet") if assignment else None,
        element("p", scored(result), class_="score"),
    )


def question(key: Key | None, answers: Sequence[Marked], asked: Asked) -> Html:
    """Return a question as it was asked, with its graph, the answers and the mistakes; of one not asked the answers."""
    graphs, marks = placed(key, answers, asked)
    content = [*about(key.question), *(graph(picture, asked) for picture in graphs)] if key is not None else []
    content += [table(answers, asked), *mistakes(answers, marks, asked)]
    return element("section", element("h2", heading(answers, "", asked)), *content)


def about(question: Question) -> Iterator[Html]:
    """Yield the question as it was asked."""
    if question.text:
        yield element("p", cut(" ".join(question.text.split()), FULL))
    yield element("pre", element("code", question.source.text.strip("\n")[:LONGEST]), class_="program", tabindex=0)
    if question.at:
        yield element("p", point(question), class_="point")


def point(question: Question) -> str:
    """Return the point at which the question is asked."""
    given = (f"{cut(name, NAME)} = {short(value, 6, width=NAME)}" for name, value in question.at.items())
    return f"at {', '.join(given)}"


def graph(picture: Sketch | None, asked: Asked) -> Html:
    """Return a graph in its frame."""
    svg = drawn(picture, asked) if picture else ""
    if not picture or not svg:
        return element("p", TOO_LARGE, class_="quiet")
    is_marked = any(vertex.is_marked for vertex in picture.vertices) or any(arc.is_marked for arc in picture.arcs)
    caption = element("figcaption", "The marks refer to the notes below.", class_="quiet") if is_marked else None
    return element("figure", element("div", Html(svg), class_="stage", tabindex=0), caption)


def columns(answers: Sequence[Marked], asked: Asked) -> tuple[list[str], list[list[str]]]:
    """Return the heads and the rows of the answers with their verdicts, without columns that would be empty."""
    rows = [
        (
            clipped(answer.quantity, NAME, asked),
            given(answer, asked, width=2 * NAME),
            f"{mark(answer.verdict, asked)} {VERDICTS[answer.verdict]}",
            points(answer.points, answer.max_points),
            expected(answer, asked),
            difference(answer, asked),
        )
        for answer in answers
    ]
    used = [column for column in range(len(HEADS)) if column < 3 or any(row[column] for row in rows)]
    return [HEADS[column] for column in used], [[row[column] for column in used] for row in rows]


def table(answers: Sequence[Marked], asked: Asked) -> Html:
    """Return the answers with their verdicts."""
    heads, rows = columns(answers, asked)
    kinds = (KINDS.get(answer.verdict, "wrong") for answer in answers)
    body = ((first, [element("td", cell) for cell in others], kind)
            for (first, *others), kind in zip(rows, kinds, strict=True))  # fmt: skip
    return scrolled(f"The answers to {answers[0].question}", heads, body)


def scrolled(label: str, heads: Sequence[str], rows: Iterable[tuple[Html | str, Sequence[Html], str | None]]) -> Html:
    """Return a table in its frame: of each row what heads it, its cells, and its kind."""
    head = element("tr", *(element("th", name, scope="col") for name in heads))
    body = (element("tr", element("th", first, scope="row"), *cells, class_=kind) for first, cells, kind in rows)
    drawn = element("table", element("thead", head), element("tbody", *body))
    return element("div", drawn, class_="scroll", tabindex=0, role="region", aria_label=label)


def mistakes(answers: Sequence[Marked], marks: Sequence[Told], asked: Asked) -> Iterator[Html]:
    """Yield what there is to say about each answer: a remark, the diagnoses, and the paths."""
    for answer in answers:
        if said := list(sayings(answer, asked)):
            signs = (element("span", mark.mark, class_="mark") for mark in marks if mark.answer is answer)
            head = element("h3", *signs, clipped(answer.quantity, NAME, asked))
            yield element("div", head, *map(paragraph, said), class_="mistake")


def paragraph(said: Saying) -> Html:
    rule = element("span", f". {said.rule}", class_="rule") if said.rule else None
    return element("p", said.text, rule, class_="quiet" if said.is_aside else None)


def remarks(result: Result, asked: Asked) -> Html | None:
    """Return the remarks on the file."""
    lines = [element("li", row.cells[0]) for row in of_file(result, asked)]
    return element("section", element("h2", "The file"), element("ul", *lines)) if lines else None
