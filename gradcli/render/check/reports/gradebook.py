"""Tables for spreadsheets: the points of a class, and the summary of its mistakes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import chain, islice
from pathlib import PurePath
from typing import TypeVar

from gradcli.homework.assignment.assignments import Assignment
from gradcli.homework.model import Result, added
from gradcli.homework.statistics.items import COMMONEST, Items, Shared, Similar
from gradcli.homework.statistics.mistake_counts import MistakeCounts
from gradcli.homework.totals import ClassTotals
from gradcli.render.check.marking import NAME, PLAIN, clipped, exact, said
from gradcli.render.check.reports.cells import harmless, line, typed
from gradcli.render.text.numbers import number


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


Counting = TypeVar("Counting", ClassTotals, Items, Similar)


def counted(counting: Counting, results: Iterable[Result]) -> Counting:
    for result in results:
        counting.add(result)
    return counting


def write_mistakes(assignment: Assignment, results: Iterable[Result]) -> Iterator[str]:
    """Yield one row a mistake: the numbers of students and answers, and the questions, the most frequent first."""
    totals = counted(ClassTotals(assignment), results)
    yield line(["mistake", "title", "students", "answers", "questions"])
    for mistake in totals.mistakes:
        questions = ", ".join(f"{question} ({count})" for question, count in mistake.questions)
        yield line([mistake.code, mistake.title, str(mistake.students), str(mistake.answers), questions])


def mistake_counts(counts: MistakeCounts) -> Iterator[str]:
    """Yield one row a mistake and kind of quantity, of which nothing is a name."""
    yield line(["mistake", "quantity", "form", "shape", "count", "certain", "answers"])
    for row in counts.rows:
        yield line([row.code, *row.kind], map(str, (row.times, row.certain, row.answers)))


# The table that Canvas imports into its gradebook: a row with the points possible, then one row a student.
#
# Canvas finds a student by the id of the university, else by the login, else by the name, and an assignment by its
# title, or by a number in brackets that ends the title, `Week 1 (4711)`. A submission that could not be read has an
# empty cell: no grade, which is not 0.
STUDENT = ("Student", "ID", "SIS User ID", "SIS Login ID", "Section")
POSSIBLE = "Points Possible"
# Canvas leaves out columns whose title has one of these in it, and reads a row that has this name as no student.
RESERVED = re.compile(rf"(Current|Final) (Score|Points|Grade)|Override (Score|Grade|Status)|{POSSIBLE}")


def write_canvas(assignment: Assignment, results: Iterable[Result]) -> Iterator[str]:
    """Yield the head, the points possible, and the points of each student."""
    yield line([*STUDENT, unreserved(assignment.title or PurePath(assignment.file).stem)])
    yield line([f"    {POSSIBLE}", "", "", "", ""], [exact(assignment.max_score)])
    for result in results:
        name, id = unreserved(result.name or result.student), unreserved(result.student)
        yield line([name, "", id, id, ""], ["" if result.unreadable else exact(result.score)])


def unreserved(text: str) -> str:
    """Write a text in which Canvas sees nothing of its own; a column it looks for by the first that has its title."""
    if text in STUDENT:
        return text.lower()
    return RESERVED.sub(lambda match: match[0].lower(), text)


DIGITS = 3  # of a statistic


def write_items(assignment: Assignment, results: Iterable[Result]) -> Iterator[str]:
    """Yield one row a quantity: how hard it is, whether it tells students apart, and its commonest wrong values."""
    items = counted(Items(assignment), results)
    wrong = [f"{name} {place}" for place in range(1, COMMONEST + 1) for name in ("wrong", "count", "explained by")]
    yield line(["question", "quantity", "n", "missing", "p", "discrimination", *wrong])
    for item in items.items:
        cells = ["" if item.discrimination is None else number(item.discrimination, DIGITS)]
        for value in item.wrong:
            explained = "" if value.diagnosis is None else harmless(said(value.diagnosis, PLAIN))
            cells += [typed(clipped(value.text, NAME)), str(value.count), explained]
        cells += [""] * (3 * COMMONEST + 1 - len(cells))
        yield line([item.question, item.quantity], [str(item.n), str(item.missing), number(item.p, DIGITS), *cells])


def write_similar(assignment: Assignment, results: Iterable[Result]) -> Iterator[str]:
    """Yield one row a pair of students who share wrong values that nothing explains, the rarest values first."""
    similar = counted(Similar(), results)
    yield line(["student", "student", "bits", "shared", "values"])
    for pair in similar.pairs:
        values = harmless("; ".join(map(_shared, pair.shared)))
        yield line([pair.first, pair.second], [number(pair.weight, DIGITS), str(len(pair.shared)), values])


def _shared(shared: Shared) -> str:
    owner = f", right on the sheet of {clipped(shared.owner, NAME)}" if shared.owner else ""
    return f"{shared.question}: {shared.quantity} is {clipped(shared.text, NAME)} ({shared.students} students{owner})"
