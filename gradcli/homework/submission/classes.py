"""Tables: the answers of a class in one CSV file, a row each, or those of one student."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import field
from io import StringIO

from gradcli.dialects import SEPARATED, delimiter_of
from gradcli.facts import dataclass
from gradcli.homework.submission.names import identity
from gradcli.homework.submission.reading import DAMAGED
from gradcli.homework.submission.submissions import Given, Submission, named, shortened
from gradcli.homework.wording import listed
from gradcli.source import visible

NUMBER = re.compile(r"\s*[-+\[(]*[\d.]")
LARGEST = 2**27  # bytes of a class in one file
NOBODY = "(no name)"
COLUMNS = ("student", "question", "quantity", "answer")
WHO = ("student", "name", "id", "email", "e-mail", "student id", "username", "user")  # headings of the first column
IN_A_FOLDER = "its column student says whose answers it has, and it lies in a folder: name the file of a class itself"


@dataclass(slots=True)
class Rows:
    """The rows of one student: the line on which each spelling of the name is found first, and the answers."""

    spellings: dict[str, int] = field(default_factory=dict)
    given: list[Given] = field(default_factory=list)

    def submission(self, name: str) -> Submission:
        first, *others = self.spellings
        if others:
            places = {who: f" on line {line}" if line else "" for who, line in self.spellings.items()}
            found = listed([f"{shortened(who) or NOBODY}{place}" for who, place in places.items()])
            return Submission(name, first or NOBODY, unreadable=f"this student is found twice: {found}")
        remarks = () if first else ("the column student is empty",)
        return Submission(name, first or NOBODY, tuple(self.given), remarks=remarks)


def of_class(name: str, student: str, text: str) -> Iterator[Submission]:
    """Yield every student of a CSV file, in order of appearance; without the column `student` all rows are of one."""
    header, rows = table_of(text)
    missing = [column for column in COLUMNS[1:] if column not in header]
    if missing:
        are = "is" if len(missing) == 1 else "are"
        why = f"its first line is to be {','.join(COLUMNS)}, and {listed(missing)} {are} not there"
        yield Submission(name, student, unreadable=why)
        return
    everyone = "student" not in header
    found = by_student(name, ((line, [student, *cells] if everyone else cells) for line, cells in rows))
    first = next(found, None)
    if first is None:
        first = Submission(name, student, unreadable="" if everyone else "it has no rows below the first line")
    yield first
    yield from found


def by_student(name: str, rows: Iterable[tuple[int, Sequence[str]]]) -> Iterator[Submission]:
    """Yield every student of rows, the cells of `COLUMNS` with their lines or 0, in order of appearance."""
    students: dict[str, Rows] = {}
    spelt: dict[str, Rows] = {}
    seen: dict[str, str] = {}  # equal texts of rows are kept once
    for line, (own, question, quantity, answer) in rows:
        if own not in spelt:
            spelt[own] = students.setdefault(identity(own or NOBODY), Rows())
            spelt[own].spellings[own] = line
        question, quantity = seen.setdefault(question, named(question)), seen.setdefault(quantity, quantity)
        problem = damage(line, (own, question, quantity, answer))
        spelt[own].given.append(Given(question, quantity, answer or None, problem, line=line))
    spelt.clear()
    while students:
        yield students.pop(next(iter(students))).submission(name)


def damage(line: int, cells: Iterable[str]) -> str:
    """Return why cells are no text, "" where they are."""
    found = DAMAGED.search("".join(cells))
    return f"{f'line {line}' if line else 'its row'} holds {visible(found[0])}, which is no text" if found else ""


def of_student(name: str, student: str, text: str) -> Submission:
    """Read a CSV file that holds the answers of one student; one of a class, which was not asked for, is unreadable."""
    if "student" in table_of(text)[0]:
        return Submission(name, student, unreadable=IN_A_FOLDER)
    return next(of_class(name, student, text))


def students_in(text: str, student: str) -> set[str]:
    """Return the identities of the students of a CSV file."""
    header, rows = table_of(text)
    names = {cells[0] or NOBODY for _, cells in rows} if header.issuperset(COLUMNS) else ()
    return set(map(identity, names or {student}))


def table_of(text: str) -> tuple[set[str], Iterator[tuple[int, list[str]]]]:
    """Return the columns of a CSV file, and the cells of its rows in the `COLUMNS` that there are, with their lines."""
    rows = rows_of(text)
    header = [cell.strip().lower() for cell in next(rows, (0, []))[1]]
    if "student" not in header and header and header[0] in WHO:
        header[0] = "student"
    places = [header.index(column) for column in COLUMNS if column in header]
    cells = (
        (line, [row[place].strip() if place < len(row) else "" for place in places])
        for line, row in joined(rows, header, delimiter_of(text))
    )
    return set(header), ((line, own) for line, own in cells if any(own))


def joined(rows: Iterator[tuple[int, list[str]]], header: list[str], separator: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the rows; cells beyond the last column, `answer`, belong to it: `0,32` without quotes."""
    last = len(header) - 1
    for line, row in rows:
        if len(row) > len(header) and header[-1:] == ["answer"]:
            spare = [*row[last:]]
            while len(spare) > 1 and not spare[-1].strip():
                spare.pop()
            row[last:] = [separator.join(spare)]
        yield line, row


def has_broken_quotes(text: str, separator: str) -> bool:
    """Return whether quotes are not in order, or two that are not closed make one cell of the rows between them.

    A line in a cell is a row where it has as many cells as the first line, and words that stand there in others.
    """
    width, words = 0, set[tuple[int, str]]()
    try:
        for row in csv.reader(StringIO(text, newline=""), delimiter=separator, strict=True):
            width = width or len(row)
            lines = [line for cell in row if "\n" in cell for line in cell.splitlines()[1:]]
            inner = [cells for cells in csv.reader(lines, delimiter=separator) if len(cells) == width]
            words.update(word for cells in inner for word in enumerate(cells) if word[1] and not NUMBER.match(word[1]))
    except csv.Error:
        return True
    rows = csv.reader(StringIO(text, newline=""), delimiter=separator, strict=True) if words else ()
    return any(word in words for row in rows for word in enumerate(row))


def rows_of(text: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the rows of a CSV file, as spreadsheets of any country write them, each with the line on which it begins.

    Where quotes are not in order, each line is read alone, so that a fault in one costs no other.
    """
    told = SEPARATED.match(text)
    if told:
        yield from ((line + 1, row) for line, row in rows_of(text[told.end() :]))
        return
    csv.field_size_limit(LARGEST)  # a long answer is refused as an answer; it does not end the class
    separator = delimiter_of(text)
    if has_broken_quotes(text, separator):
        for number, line in enumerate(StringIO(text, newline=None), 1):  # no line has a line's end inside
            yield from ((number, row) for row in csv.reader([line], delimiter=separator))
        return
    reader = csv.reader(StringIO(text, newline=""), delimiter=separator, strict=True)
    start = 1
    for row in reader:
        yield start, row
        start = reader.line_num + 1
