"""A sheet in LaTeX: the statements and the values as mathematics, and a rule for each answer."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from gradcli.homework.assignment.assignments import Ask, Assignment, Question
from gradcli.homework.solve.solution import Solution
from gradcli.render.check.marking import exact
from gradcli.render.latex.formulas import escaped
from gradcli.render.latex.pages import document, listing, statement
from gradcli.render.latex.pieces import aligned
from gradcli.render.latex.terms import Terms
from gradcli.render.sheet.pages import about, one_line, program
from gradcli.render.text.looks import Asked

DIGITS = 12  # of the values, which are given
RULE = r"\hrulefill\quad"


def latex_sheet(assignment: Assignment, whose: str, asked: Asked) -> str:
    """Write a sheet, a whole document where one is asked for."""
    lines = [rf"\section*{{{escaped(one_line(assignment.title or 'Homework'))}}}"]
    lines += [rf"\noindent {escaped(one_line(whose))}" if whose else r"\noindent Name: \hrulefill"]
    for question in assignment.questions:
        lines += latex_question(question)
    fragment = "\n".join(lines)
    return document(fragment) if asked.standalone else fragment


def latex_question(question: Question) -> Iterator[str]:
    """Yield the lines of a question."""
    yield rf"\subsection*{{{escaped(one_line(question.id))} ({exact(question.max_score)} points)}}"
    yield escaped(one_line(question.text))
    terms = None if question.is_script else terms_of(question)
    yield listing(program(question)) if terms is None else aligned(statement(terms.explanation, terms))
    yield from blanks(question, terms)


def terms_of(question: Question) -> Terms:
    """Return the words of the program's graph at the point of the sheet."""
    with np.errstate(all="ignore"):
        return Terms(next(Solution(question, is_raw=True).explanations()), DIGITS)


def blanks(question: Question, terms: Terms | None) -> Iterator[str]:
    """Yield a line for each answer."""
    for ask in question.asks:
        yield rf"\par\medskip\noindent {asked_for(ask, terms)} {RULE}{escaped(about(question, ask))}"
    yield r"\par"


def asked_for(ask: Ask, terms: Terms | None) -> str:
    """Return a quantity as mathematics where its names are those of the program."""
    quantity = ask.quantity
    names = [name for name in (quantity.of, quantity.by) if name]
    if terms is None or any(name not in terms.nodes for name in names):
        return rf"\texttt{{{escaped(one_line(ask.written))}}} $=$"
    symbol = terms.derivative(*names) if quantity.by else terms.name(quantity.of)
    return f"{'local ' * (quantity.kind == 'local')}$\\displaystyle {symbol.text} =$"
