"""The formats of `gradcli check --report`: to add one, write its file beside this one and a line in `REPORTS`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from gradcli.homework.assignment.assignments import Assignment
from gradcli.homework.foreseen import Foreseen
from gradcli.homework.model import Result
from gradcli.render.check.reports import (
    canvas,
    check50,
    classes,
    gift,
    gradebook,
    gradescope,
    junit,
    moodle,
    prairielearn,
)
from gradcli.render.documents.explanation import Document
from gradcli.stream.values import dump

Writer = Callable[[Assignment, Iterable[Result]], Iterator[str]]


@dataclass(frozen=True, slots=True)
class Report:
    """One format. `write` yields the text in parts, as results come in: whole lines, of which those that are there say
    enough if `in_lines`; else it is a document, which is there whole or not at all.

    `reveal` is the level shown unless another is asked for. A report `per_student` holds one submission, and `write`
    raises ValueError for none or several.
    """

    write: Writer
    suffix: str
    reveal: str = "value"
    per_student: bool = False
    in_lines: bool = False


def for_student(document: Callable[[Assignment, Result], Document]) -> Report:
    """A report that students read: the document of one submission, as JSON."""

    def write(assignment: Assignment, results: Iterable[Result]) -> Iterator[str]:
        (result,) = results
        yield dump(document(assignment, result), indent=2, ascii=True) + "\n"

    return Report(write, ".json", "rule", per_student=True)


REPORTS = {
    "gradescope": for_student(gradescope.document),
    "check50": for_student(check50.document),
    "prairielearn": for_student(prairielearn.document),
    "junit": Report(junit.write, ".xml"),
    "csv": Report(gradebook.write, ".csv", in_lines=True),
    "canvas": Report(canvas.write, ".csv", in_lines=True),
    "mistakes": Report(gradebook.write_mistakes, ".csv", in_lines=True),
    "items": Report(classes.write_items, ".csv", in_lines=True),
    "similar": Report(classes.write_similar, ".csv", in_lines=True),
}

# Questions for other tools, made from an assignment alone; no submission is graded for them.
QUESTIONS: dict[str, Callable[[Assignment, Iterable[Foreseen]], Iterator[str]]] = {
    "moodle": moodle.write,
    "gift": gift.write,
}
