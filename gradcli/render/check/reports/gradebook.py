"""Tables for spreadsheets: the points of a class, and the summary of its mistakes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain, islice

from gradcli.homework.assignment.assignments import Assignment
from gradcli.homework.model import Result, added
from gradcli.homework.totals import ClassTotals
from gradcli.render.check.marking import exact
from gradcli.render.check.reports.cells import line


def write(assignment: Assignment, results: Iterable[Result]) -> Iterator[str]:
    """Yield one row a student: the points of every question, their total, and the maximum.

    With a roster, which the first result tells, name and email stand beside the student.
    """
    ids = [question.id for question in assignment.questions]
    rest = iter(results)
    first = list(islice(rest, 1))
    has_names = any(result.name or result.email for result in first)
    yield line(["student", *(["name", "email"] if has_names else []), "file", *ids, "total", "max"])
    for result in chain(first, rest):
        points = dict.fromkeys(ids, 0.0)
        for answer in result.answers:
            if answer.question in points:
                points[answer.question] = added((points[answer.question], answer.points))
        numbers = [*points.values(), result.score, result.max_score]
        who = [result.student, result.name, result.email] if has_names else [result.student]
        yield line([*who, result.file], map(exact, numbers))


def write_mistakes(assignment: Assignment, results: Iterable[Result]) -> Iterator[str]:
    """Yield one row a mistake: the numbers of students and answers, and the questions, the most frequent first."""
    totals = ClassTotals(assignment)
    for result in results:
        totals.add(result)
    yield line(["mistake", "title", "students", "answers", "questions"])
    for one in totals.mistakes:
        questions = ", ".join(f"{question} ({count})" for question, count in one.questions)
        yield line([one.code, one.title, str(one.students), str(one.answers), questions])
