"""A sheet to read: in Markdown, and as a page to print."""

from __future__ import annotations

from collections.abc import Iterator

from gradcli.homework.answer_file import answer
from gradcli.homework.assignment.assignments import Ask, Assignment, Question
from gradcli.render.check.marking import exact
from gradcli.render.markdown.pages import code, fenced, plain
from gradcli.render.page.document import Html, element, still
from gradcli.render.text.looks import Asked
from gradcli.render.text.wrapping import lines_of
from gradcli.source import visible


def point(question: Question) -> list[str]:
    """Return the values of a question, `x = 1.3`, as they are typed, and what formulas may take from them."""
    held = {**question.given, **dict.fromkeys(question.constant, "constant")}
    words = {name: f" ({word.replace('_', ' ')})" for name, word in held.items()}
    return [f"{visible(name)} = {answer(value)}{words.get(name, '')}" for name, value in question.at.items()]


def about(question: Question, ask: Ask) -> str:
    """Return the points of an answer, and what else says how it is to be.

    `2 points, a formula`, `1 point, (1) yes or (2) no`, `1 point, by print(w)`.
    """
    worth = f"{exact(ask.points)} point{'' if ask.points == 1 else 's'}"
    if ask.words.choices:
        *others, last = (f"({number}) {one_line(text)}" for number, text in enumerate(ask.words.choices, 1))
        several = "all that hold: " * (len(ask.words.answers) > 1)
        return f"{worth}, {several}{', '.join(others)} or {last}"
    if printing := question.printing(ask):
        return f"{worth}, by {visible(printing)}"
    called = f", also called {one_line(ask.label)}" if ask.label else ""
    return f"{worth}, a formula{called}" if ask.form == "expression" else f"{worth}{called}"


def one_line(text: str) -> str:
    return visible(" ".join(text.split()))


def program(question: Question) -> list[str]:
    """Return the lines of the program or the snippet."""
    return [visible(line.rstrip()) for line in question.source.text.strip("\n").split("\n")]


def markdown_sheet(assignment: Assignment, whose: str, asked: Asked) -> str:
    """Write a sheet in Markdown."""
    blocks = [f"# {plain(assignment.title or 'Homework')}"]
    blocks += [f"For {plain(one_line(whose))}"] if whose else []
    for question in assignment.questions:
        blocks += markdown_question(question)
    return "\n\n".join(blocks) + "\n"


def markdown_question(question: Question) -> Iterator[str]:
    yield f"## {plain(question.id)} ({exact(question.max_score)} points)"
    if text := one_line(question.text):
        yield plain(text)
    yield fenced("\n".join(program(question)), "python" if question.is_script else "")
    if values := point(question):
        yield "At " + ", ".join(map(code, values))
    rows = [
        f"| {code(ask.written).replace('|', chr(92) + '|')} | | {plain(about(question, ask))} |"
        for ask in question.asks
    ]
    yield "\n".join(["| quantity | your answer | |", "| --- | --- | --- |", *rows])


def html_sheet(assignment: Assignment, whose: str, asked: Asked) -> str:
    """Write a sheet as a page."""
    title = assignment.title or "Homework"
    head = element(
        "header",
        element("h1", one_line(title)),
        element("p", one_line(whose), class_="quiet") if whose else None,
        element("p", f"{exact(assignment.max_score)} points", class_="score"),
    )
    main = element("main", head, *map(html_question, assignment.questions), data_gradcli="sheet")
    return still(f"{one_line(whose)}: {title}" if whose else title, main)


def html_question(question: Question) -> Html:
    rows = (
        element(
            "tr",
            element("th", one_line(ask.written), scope="row"),
            element("td", class_="blank"),
            element("td", about(question, ask), class_="quiet"),
        )
        for ask in question.asks
    )
    heads = element("tr", *(element("th", name, scope="col") for name in ("quantity", "your answer", "worth")))
    values = (element("li", element("code", line)) for line in point(question))
    return element(
        "section",
        element("h2", f"{one_line(question.id)} ({exact(question.max_score)} points)"),
        element("p", one_line(question.text)) if question.text else None,
        element("pre", element("code", "\n".join(program(question))), class_="program", tabindex=0),
        element("ul", *values, class_="point") if question.at else None,
        element("table", element("thead", heads), element("tbody", *rows)),
    )


# A sheet as text: the answer file itself, in which the questions are comments.


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
