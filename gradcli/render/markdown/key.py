"""The key of an assignment in Markdown: apart from the pages of programs, which load nothing of homework."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from gradcli.explanation.folding import folded
from gradcli.homework.answer_file import filled_in
from gradcli.homework.grading import Grader
from gradcli.homework.solve.snippets import SnippetSolution
from gradcli.render.check.worked import worked_sections
from gradcli.render.lesson.page import sections
from gradcli.render.markdown.pages import fenced, joined, laid_out, plain
from gradcli.render.text.looks import Asked


def key_page(grader: Grader, asked: Asked) -> str:
    """Write the worked solution of every question, and the answers as a submission."""
    return joined("# Key", *key_blocks(grader, asked), "## Answers", fenced("\n".join(filled_in(grader)).rstrip()))


def key_blocks(grader: Grader, asked: Asked) -> Iterator[str]:
    for id, key in grader.keys.items():
        yield f"## {plain(id)}"
        if text := " ".join(key.question.text.split()):
            yield plain(text)
        with np.errstate(all="ignore"):
            if isinstance(key.solution, SnippetSolution):
                pages = [worked_sections(key.solution, asked)]
            else:
                lessons = map(folded, key.solution.explanations())
                pages = [sections(lesson, asked, all=asked.all, why=asked.why) for lesson in lessons]
        for page in pages:
            yield from laid_out(page, 3)
