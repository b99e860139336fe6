"""The rows of sheets with a column a question: whose they are, and which attempt each is."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path

from gradcli.errors import UsageError
from gradcli.homework.course.columns import Row, Sheet, sheet_of
from gradcli.homework.course.lateness import times_of
from gradcli.homework.course.roster import Roster, enrolled
from gradcli.homework.submission.classes import COLUMNS, LARGEST, read_file, rows_of, table_of
from gradcli.homework.submission.files import TYPED, File
from gradcli.homework.submission.hand_ins import HandIn
from gradcli.homework.submission.labels import Labels
from gradcli.homework.submission.names import identity
from gradcli.homework.submission.submissions import Submission
from gradcli.homework.wording import listed

TABLES = (".csv", ".tsv", ".tab", ".xls")  # as Blackboard calls a text with tabs


def rows_by_sheet(labels: Labels, mapping: Mapping[str, str] | None, files: Iterable[File]) -> dict[Path, list[Row]]:
    """Return the rows of the sheets among some files, by path. Raises UsageError for a sheet that is not plain."""
    sheets: dict[Path, list[Row]] = {}
    for file in files:
        if file.folder is None and (file.kind in TABLES or (mapping and file.kind not in TYPED)):
            rows = rows_of_sheet(file, labels, mapping)
            if rows is not None:
                sheets[file.path] = rows
    if mapping and not sheets:
        raise UsageError("E029", "--map is for a sheet, and none is named", help="name the .csv file of the class")
    return sheets


def rows_of_sheet(file: File, labels: Labels, mapping: Mapping[str, str] | None) -> list[Row] | None:
    name = str(file.path)
    text, problem = read_file(file, LARGEST, is_table=True)
    if problem:
        if mapping:
            raise Sheet(name, labels).refuse(problem, "export it as CSV")
        return None
    if not mapping and table_of(text)[0].issuperset(COLUMNS[1:]):
        return None
    pair = sheet_of(name, text, labels, mapping)
    if pair is None:
        return None
    sheet, skipped = pair
    found_rows = of_students(list(sheet.rows(islice(rows_of(text), skipped, None))))
    return together(found_rows) if sheet.questions else list(found_rows)


def of_students(rows: Sequence[Row]) -> list[Row]:
    """Return rows without those of statistics: no answer, and not named by all that names those with answers."""
    filled = [row for row in rows if any(answer.text for answer in row.given)]
    roles = set.intersection(*(set(row.who) for row in filled)) if filled else set()
    return [row for row in rows if row in filled or roles <= set(row.who)]


def together(rows: Iterable[Row]) -> list[Row]:
    """Return the rows of a sheet with an answer a row, one an attempt."""
    attempts: dict[tuple[str, ...], Row] = {}
    for row in rows:
        who = (*person(row.who), row.attempt)
        first = attempts.get(who, row._replace(given=()))
        attempts[who] = first._replace(given=(*first.given, *row.given))
    return list(attempts.values())


def person(who: Mapping[str, str]) -> tuple[str, ...]:
    """Return what a student may be known by, the surest in front."""
    student = enrolled(who)
    return tuple(filter(None, (student.id, student.email, student.name)))


def in_rows(file: File, rows: Sequence[Row], students: Roster, *, has_attempts: bool) -> Iterator[HandIn]:
    """Yield the rows of a sheet, those of a student one after the other, as attempts if these count.

    Of several rows, one in which nothing was typed is left out.
    """
    times = times_of([row.submitted for row in rows])
    groups: dict[str, list[HandIn]] = {}
    clues_of: dict[str, set[tuple[str, ...]]] = {}
    for row, submitted in zip(rows, times, strict=True):
        clues = person(row.who)
        owners = {known_student.id: None for clue in clues if (known_student := students.find([clue]))}
        student = next(iter(owners), clues[0])
        why = f"line {row.line} names two students: {listed(list(owners))}" if len(owners) > 1 else ""
        submission = Submission(str(file.path), student, () if why else row.given, unreadable=why)
        number = int(row.attempt) if re.fullmatch("[1-9][0-9]{0,3}", row.attempt) else None
        item = HandIn(file, student, submission, number, place=f"line {row.line}", submitted=submitted)
        groups.setdefault(identity(student), []).append(item)
        if not owners:
            clues_of.setdefault(identity(student), set()).add(tuple(map(identity, clues)))
    for who, work in groups.items():
        filled = [item for item in work if item.submission and any(answer.text for answer in item.submission.given)]
        work = filled or work[:1]
        if len(work) > 1 and len(clues_of.get(who, ())) > 1:
            why = f"{listed([item.place for item in work])} have one id, and are of several students"
            yield replace(work[0], attempt=None, submission=Submission(str(file.path), work[0].student, unreadable=why))
        elif has_attempts:
            yield from as_attempts(work)
        else:
            yield from (replace(item, attempt=None, is_again=len(work) > 1) for item in work)


def as_attempts(hand_ins: Sequence[HandIn]) -> Iterator[HandIn]:
    """Yield the rows of a student with the numbers that they have, else in the order of their times or lines."""
    if len({item.attempt for item in hand_ins} - {None}) == len(hand_ins):
        yield from hand_ins
        return
    times = [item.submitted.timestamp() for item in hand_ins if item.submitted]
    order = sorted(range(len(hand_ins)), key=times.__getitem__) if len(times) == len(hand_ins) else range(len(hand_ins))
    yield from (replace(hand_ins[place], attempt=number) for number, place in enumerate(order, 1))
