"""The handout of an assignment in LaTeX: apart from the pages of programs, which load nothing of homework."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from gradcli.explanation.folding import folded
from gradcli.homework.answer_file import filled_in
from gradcli.homework.grading import Grader
from gradcli.homework.solve.snippets import SnippetSolution
from gradcli.render.check.worked import worked_sections
from gradcli.render.latex.formulas import escaped
from gradcli.render.latex.pages import lesson, listing, whole
from gradcli.render.text.layout import lay_out
from gradcli.render.text.looks import Asked, Looks

COLUMNS = 86  # of a page of text


def handout(grader: Grader, answers: str, looks: Looks) -> str:
    """The handout as a fragment."""
    return "\n\n".join([*_solutions(grader, looks), r"\section*{Answers}", listing(answers.split("\n"))])


def _solutions(grader: Grader, looks: Looks) -> Iterator[str]:
    for id, key in grader.keys.items():
        yield f"\\section*{{{escaped(id)}}}"
        yield escaped(" ".join(key.question.text.split()))
        with np.errstate(all="ignore"):
            if isinstance(key.solution, SnippetSolution):
                plain = Asked(width=COLUMNS, precision=looks.precision, all=True)
                yield listing(lay_out(worked_sections(key.solution, plain), plain).split("\n"))
            else:
                yield from (lesson(shown, looks.precision) for shown in map(folded, key.solution.explanations()))


def key_page(grader: Grader, asked: Asked) -> str:
    """Write the worked solution of every question, and the answers."""
    return whole(handout(grader, "\n".join(filled_in(grader)).rstrip(), asked), asked)
