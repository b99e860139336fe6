"""The table that Canvas imports into its gradebook: a row with the points possible, then one row a student.

Canvas finds a student by the id of the university, else by the login, else by the name, and an assignment by its title,
or by a number in brackets that ends the title, `Week 1 (4711)`. A submission that could not be read has an empty cell:
no grade, which is not 0.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import PurePath

from gradcli.homework.assignment.assignments import Assignment
from gradcli.homework.model import Result
from gradcli.render.check.marking import exact
from gradcli.render.check.reports.cells import line

STUDENT = ("Student", "ID", "SIS User ID", "SIS Login ID", "Section")
POSSIBLE = "Points Possible"
# Canvas leaves out columns whose title has one of these in it, and reads a row that has this name as no student.
RESERVED = re.compile(rf"(Current|Final) (Score|Points|Grade)|Override (Score|Grade|Status)|{POSSIBLE}")


def write(assignment: Assignment, results: Iterable[Result]) -> Iterator[str]:
    """Yield the head, the points possible, and the points of each student."""
    yield line([*STUDENT, plain(assignment.title or PurePath(assignment.file).stem)])
    yield line([f"    {POSSIBLE}", "", "", "", ""], [exact(assignment.max_score)])
    for result in results:
        name, id = plain(result.name or result.student), plain(result.student)
        yield line([name, "", id, id, ""], ["" if result.unreadable else exact(result.score)])


def plain(text: str) -> str:
    """Write a text in which Canvas sees nothing of its own; a column it looks for by the first that has its title."""
    if text in STUDENT:
        return text.lower()
    return RESERVED.sub(lambda found: found[0].lower(), text)
