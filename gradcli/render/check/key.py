"""The key of an assignment: the explanation of every question, then an answer file that gets full marks."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from gradcli.explanation.folding import folded
from gradcli.homework.answer_file import answers
from gradcli.homework.grading import Grader
from gradcli.homework.solve.snippets import SnippetSolution
from gradcli.render.check.worked import worked_document, worked_sections
from gradcli.render.display_options import asked
from gradcli.render.documents.explanation import Document, explanation_document
from gradcli.render.lesson.page import page
from gradcli.render.text.layout import Row, Section, lay_out
from gradcli.render.text.looks import Looks
from gradcli.source import visible


def key_page(grader: Grader, answers: str, looks: Looks, *, all: bool = False) -> str:
    """Everything as text; the answers are marked off, so that they can be cut out."""
    return "\n\n".join([*worked(grader, looks, all=all), heading("Answers", looks), answers]).rstrip()


def worked(grader: Grader, looks: Looks, *, all: bool) -> Iterator[str]:
    for id, key in grader.keys.items():
        text = visible(" ".join(key.question.text.split()))
        yield heading(f"{id}: {text}" if text else id, looks)
        with np.errstate(all="ignore"):
            if isinstance(key.solution, SnippetSolution):
                yield lay_out(worked_sections(key.solution, asked(looks, all=all, why=False)), looks)
            else:
                yield from (page(one, looks, all=all) for one in map(folded, key.solution.explanations()))


def heading(text: str, looks: Looks) -> str:
    return lay_out([Section("", [Row((f"# {text}",), "title")])], looks)


def key_document(grader: Grader) -> Document:
    """Return the key as a document, schema `gradcli.key/1`; its answers are a submission in JSON."""
    return {
        "schema": "gradcli.key/1",
        "ok": True,
        "answers": {id: answers(key) for id, key in grader.keys.items()},
        "solutions": {id: list(solutions(grader, id)) for id in grader.keys},
    }


def solutions(grader: Grader, id: str) -> Iterator[Document]:
    solution = grader.keys[id].solution
    with np.errstate(all="ignore"):
        if isinstance(solution, SnippetSolution):
            yield worked_document(id, solution)
        else:
            yield from (explanation_document(one) for one in solution.explanations())
