"""Tables for spreadsheets: the points of a class, and the summary of its mistakes."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Iterator

from gradcli.homework.assignment.assignments import Assignment
from gradcli.homework.model import Result, added
from gradcli.homework.totals import ClassTotals
from gradcli.render.check.marking import SENTENCE, clipped, exact

# A spreadsheet runs a cell that begins so; where the semicolon separates cells, one begins inside ours.
FORMULA = re.compile(r'(^|;)(?=[\s"]*[=+\-@＝＋－＠])')


def write(assignment: Assignment, results: Iterable[Result]) -> Iterator[str]:
    """Yield one row a student: the points of every question, their total, and the maximum."""
    ids = [question.id for question in assignment.questions]
    yield _line(["student", "file", *ids, "total", "max"])
    for result in results:
        points = dict.fromkeys(ids, 0.0)
        for answer in result.answers:
            if answer.question in points:
                points[answer.question] = added((points[answer.question], answer.points))
        numbers = [*points.values(), result.score, result.max_score]
        yield _line([result.student, result.file], map(exact, numbers))


def write_mistakes(assignment: Assignment, results: Iterable[Result]) -> Iterator[str]:
    """Yield one row a mistake: the numbers of students and answers, and the questions, the most frequent first."""
    totals = ClassTotals(assignment)
    for result in results:
        totals.add(result)
    yield _line(["mistake", "title", "students", "answers", "questions"])
    for one in totals.mistakes:
        questions = ", ".join(f"{question} ({count})" for question, count in one.questions)
        yield _line([one.code, one.title, str(one.students), str(one.answers), questions])


def _line(texts: Iterable[str], numbers: Iterable[str] = ()) -> str:
    """Write one row of CSV."""
    stream = io.StringIO()
    csv.writer(stream, lineterminator="\n").writerow([*map(harmless, texts), *numbers])
    return stream.getvalue()


def harmless(text: str) -> str:
    """Write a text so that no spreadsheet takes it or a part of it for a formula: with an apostrophe before it."""
    return FORMULA.sub(r"\1'", clipped(text, SENTENCE))
