"""Feedback for one student in each form: what a folder of a class gets a file of."""

from __future__ import annotations

from gradcli.homework.grading import Grading
from gradcli.homework.model import Result
from gradcli.homework.totals import ClassTotals
from gradcli.render.asked import Asked
from gradcli.render.check.document import check_document
from gradcli.render.check.page import check_page, check_sections, title
from gradcli.render.markdown.layout import laid_out, plain


def feedback_text(grading: Grading, result: Result, asked: Asked) -> str:
    """Write the page of the terminal."""
    return check_page(result, asked, assignment=grading.assignment, all=asked.all) + "\n"


def feedback_document(grading: Grading, result: Result, asked: Asked) -> str:
    """Write the document of a class of one, schema `gradcli.check/1`."""
    return "".join(check_document(grading.assignment, [result], ClassTotals(grading.assignment), ascii=asked.ascii))


def feedback_page(grading: Grading, result: Result, asked: Asked) -> str:
    """Write the page in Markdown."""
    found = check_sections(result, asked, assignment=grading.assignment, all=asked.all)
    return "\n\n".join([f"# {plain(title(result, asked))}", *laid_out(found)]) + "\n"
