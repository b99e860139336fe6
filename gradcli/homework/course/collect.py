"""The work of a course in the order in which it is graded: everybody on the roster, with or without work."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from gradcli.homework.course.layouts import Work, works
from gradcli.homework.course.roster import Enrolled, Roster
from gradcli.homework.course.variants import Variants
from gradcli.homework.model import Result
from gradcli.homework.submission.files import ENDINGS, File, warn_of
from gradcli.homework.submission.hand_ins import HandIn, told_apart
from gradcli.homework.submission.names import identity
from gradcli.homework.submission.submissions import Submission

STRANGER = "this student is not on the roster"
SEVERAL = "several students of the roster have this name: it needs an id, or an email"
MISSING = "nothing was handed in"


def collected(
    files: Sequence[File],
    roster: Roster | None = None,
    layout: str | None = None,
    *,
    has_attempts: bool = False,
    variants: Variants | None = None,
) -> Iterator[HandIn]:
    """Yield the work of every student; with a roster in its order, and then that of others.

    Without one, a file is found to be that of a student to whom a sheet was handed out.

    Who is on the roster and handed in nothing has an empty submission. The attempts of a student come one after the
    other.
    """
    students = roster or with_sheets(variants)

    def known(name: str) -> str:
        student = students.find([name])
        return student.id if student else name

    found = [one for work in works(files, layout, has_attempts=has_attempts) for one in placed(work, students)]
    if roster is None:
        items = told_apart(found, known)
        yield from by_student(items) if has_attempts else items
        return
    yield from in_order(told_apart(found, known), roster)


def with_sheets(variants: Variants | None) -> Roster:
    """Return the students to whom a sheet was handed out."""
    return Roster(tuple(Enrolled(sheet.student) for sheet in variants or ()))


def with_others(files: Sequence[File], others: Sequence[File], students: Roster, layout: str | None) -> list[File]:
    """Return files, and of the `others`, which are not read, those that are all that a student handed in.

    Warns of the rest.
    """
    have = {one.student for work in works(files, layout) for one in placed(work, students)} if others else set()
    theirs = [
        work.file
        for work in works(others, layout)
        if any(who.id not in have for who in students.owners((work.student, *work.clues)))
    ]
    warn_of([file for file in others if file not in theirs])
    problem = f"files of this kind are not read: hand in one that ends in {ENDINGS[0]}"
    return [*files, *(replace(file, problem=problem) for file in dict.fromkeys(theirs))]


def placed(work: Work, students: Roster) -> Iterator[HandIn]:
    """Yield work as that of the student whom it says, or of each in the group."""
    found = students.owners((work.student, *work.clues))
    for student in [one.id for one in found] or [work.student]:
        yield HandIn(work.file, student, attempt=work.attempt, is_again=work.is_again)


def by_student(items: Iterable[HandIn]) -> Iterator[HandIn]:
    """Yield items student by student, in the order in which they come first."""
    for own in groups_of(items).values():
        yield from own


def groups_of(items: Iterable[HandIn]) -> dict[str, list[HandIn]]:
    """Return the items of each student, by identity."""
    groups: dict[str, list[HandIn]] = {}
    for item in items:
        groups.setdefault(identity(item.student), []).append(item)
    return groups


def in_order(items: Iterable[HandIn], roster: Roster) -> Iterator[HandIn]:
    """Yield the items of the roster in its order, an empty one for who handed in nothing, and then those of others."""
    groups = groups_of(items)
    for student in roster:
        nothing = HandIn(File(Path(roster.file)), student.id, Submission("", student.id))
        yield from groups.pop(identity(student.id), [nothing])
    for own in groups.values():
        for item in own:
            yield replace(item, remark=SEVERAL if roster.is_ambiguous(item.student) else STRANGER)


def introduced(result: Result, roster: Roster | None) -> Result:
    """Return a result with the name and the email of its student, and a note where nothing was handed in."""
    student = roster.find([result.student]) if roster else None
    notes = (*result.notes, MISSING) if not result.file else result.notes
    return replace(result, notes=notes, name=student.name if student else "", email=student.email if student else "")
