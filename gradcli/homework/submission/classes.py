"""Tables: the answers of a class in one CSV file, a row each, or those of one student."""

from __future__ import annotations

import codecs
import csv
import os
import re
import stat
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import field
from io import StringIO

from gradcli.dialects import SEPARATED, delimiter_of
from gradcli.facts import dataclass
from gradcli.homework.submission.files import File
from gradcli.homework.submission.names import identity
from gradcli.homework.submission.submissions import Given, Submission, named, shortened
from gradcli.homework.wording import listed
from gradcli.source import visible

FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)  # a pipe is not waited for
FOLDER = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0)
NO_LINK = getattr(os, "O_NOFOLLOW", 0)
SAMPLE = 400  # bytes
BINARY = re.compile(r"[\x00-\x06\x0e-\x1a]")  # what no text has
DAMAGED = re.compile(r"[\x00-\x06\x0e-\x1a\udc80-\udcff]")  # the same, and bytes of another encoding
ALONE = re.compile(r"\r(?!\n)")
PICTURE = "it is a picture, not text: type the answers into a text file"
DOCUMENT = "it is a document, not text: save it as plain text, or export it as CSV"
OTHERS = {  # the files that students hand in for a text, by the bytes that they begin with
    b"%PDF": "it is a PDF, not text: write the answers into a text file",
    b"PK\x03\x04": "it is a zip archive, or a document of an office: unpack it, or save it as plain text or CSV",
    b"\x1f\x8b": "it is an archive, not text: unpack it",
    b"7z\xbc\xaf": "it is an archive, not text: unpack it",
    b"Rar!": "it is an archive, not text: unpack it",
    b"\xd0\xcf\x11\xe0": DOCUMENT,
    b"{\\rtf": DOCUMENT,
    b"\x89PNG": PICTURE,
    b"\xff\xd8\xff": PICTURE,
}
KINDS = {
    stat.S_IFLNK: "it is a link, and links in a folder are not followed: the file itself must be there",
    stat.S_IFDIR: "it is a folder, not a file",
    stat.S_IFIFO: "it is a pipe, not a file",
    stat.S_IFSOCK: "it is a socket, not a file",
    stat.S_IFCHR: "it is a device, not a file",
    stat.S_IFBLK: "it is a device, not a file",
}


class UnreadError(Exception):
    """A file that is not read; the message says why."""


def read_file(file: File, largest: int, *, is_table: bool = False) -> tuple[str, str]:
    """Return the text of a file and "", or "" and the reason why it cannot be read; `largest` is in bytes.

    The text of a table may have what no text has, `DAMAGED`: that is the fault of the rows it stands in.
    """
    try:
        data = bytes_of(file, largest)
    except UnreadError as error:
        return "", str(error)
    except (OSError, ValueError) as error:
        return "", f"it cannot be read: {getattr(error, 'strerror', None) or 'not the name of a file'}"
    return decoded(data, is_table=is_table)


def decoded(data: bytes, *, is_table: bool = False) -> tuple[str, str]:
    """Return a text and "", or "" and the reason why it is none; of a table as `read_file` does."""
    for start, why in OTHERS.items():
        if data.startswith(start):
            return "", why
    if is_table:
        text = mended(data)
        head = text.partition("\n")[0]
        if re.search("[,;\t]", head) and not DAMAGED.search(head):
            return text, ""
    for encoding in encodings_of(data):
        try:
            text = data.decode(encoding)
        except UnicodeDecodeError:
            continue
        return ("", "it is binary data, not text") if BINARY.search(text) else (text, "")
    return "", "it is not UTF-8 text: save it as a text file, UTF-8"


def mended(data: bytes) -> str:
    """Return the text of a table, with bytes that are no text as surrogates.

    With some letters in UTF-8 it is UTF-8 with faults, and cp1252 with none. Where lines end otherwise, a carriage
    return alone ends none, and is written so that it is a fault of its row.
    """
    encoding, *others = encodings_of(data)
    text = data.decode(encoding, "surrogateescape" if others else "replace")
    if others and not data.startswith(codecs.BOM_UTF8) and not re.search("[^\x00-\x7f\udc80-\udcff]", text):
        text = data.decode("cp1252", "surrogateescape")
    return ALONE.sub("\x0e", text) if re.match("[^\r\n]*\r?\n", text) else text


def encodings_of(data: bytes) -> tuple[str, ...]:
    """Return the encodings that a file may have, likely ones first; without its mark UTF-16 is known by its zeros."""
    if data[:2] in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE):
        return ("utf-16",)
    start = data[:SAMPLE]
    if len(start) > 1 and len(data) % 2 == 0 and start.count(0) > len(start) / 4:
        return ("utf-16-le",) if start[1::2].count(0) > start[::2].count(0) else ("utf-16-be",)
    return ("utf-8-sig", "cp1252")


def bytes_of(file: File, largest: int) -> bytes:
    """Return what a regular file holds. Raises UnreadError for anything else and for too much, and OSError."""
    if file.problem:
        raise UnreadError(file.problem)
    if file.data is not None:
        data, size = file.data, len(file.data)
    else:
        descriptor = opened(file)
        with os.fdopen(descriptor, "rb") as stream:
            size = os.fstat(descriptor).st_size
            data = stream.read(largest + 1) if size <= largest else b""
        size = max(size, len(data))
    if size > largest:
        raise UnreadError(f"it has {size / 2**20:.1f} MB, and a submission has {largest // 2**20} at most")
    return data


def opened(file: File) -> int:
    """Return the descriptor of a regular file; raises UnreadError for anything else.

    It is looked at before, for opening a device may act on it, and must be the same after. In a folder no link is
    followed, also not in place of a folder in it.
    """
    with folder_of(file) as (folder, name):
        before = os.stat(name, dir_fd=folder, follow_symlinks=file.folder is None)
        if not stat.S_ISREG(before.st_mode):
            raise UnreadError(KINDS.get(stat.S_IFMT(before.st_mode), "it is not a file"))
        descriptor = os.open(name, FLAGS | (NO_LINK if file.folder else 0), dir_fd=folder)
    if not os.path.samestat(before, os.fstat(descriptor)):
        os.close(descriptor)
        raise UnreadError("another file took its place while it was opened")
    return descriptor


@contextmanager
def folder_of(file: File) -> Iterator[tuple[int | None, str]]:
    """Open the folder of a file that was found in a folder, step by step from there; give the name of the file in it.

    A file that is named, or a platform that cannot, has None and the path.
    """
    if file.folder is None or os.open not in os.supports_dir_fd:
        yield None, str(file.path)
        return
    *folders, name = file.path.relative_to(file.folder).parts
    descriptor = os.open(file.folder, FOLDER)
    try:
        for part in folders:
            inner = os.open(part, FOLDER | NO_LINK, dir_fd=descriptor)
            os.close(descriptor)
            descriptor = inner
        yield descriptor, name
    finally:
        os.close(descriptor)


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
            names = listed([f"{shortened(who) or NOBODY}{place}" for who, place in places.items()])
            return Submission(name, first or NOBODY, unreadable=f"this student is found twice: {names}")
        remarks = () if first else ("the column student is empty",)
        return Submission(name, first or NOBODY, tuple(self.given), remarks=remarks)


def of_class(name: str, student: str, text: str) -> Iterator[Submission]:
    """Yield every student of a CSV file, in order of appearance; without the column `student` all rows are of one."""
    header, rows = table_of(text)
    missing = [column for column in COLUMNS[1:] if column not in header]
    if missing:
        are = "is" if len(missing) == 1 else "are"
        why = f"its first line should be {','.join(COLUMNS)}, and {listed(missing)} {are} missing"
        yield Submission(name, student, unreadable=why)
        return
    everyone = "student" not in header
    submissions = by_student(name, ((line, [student, *cells] if everyone else cells) for line, cells in rows))
    first = next(submissions, None)
    if first is None:
        first = Submission(name, student, unreadable="" if everyone else "it has no rows below the first line")
    yield first
    yield from submissions


def by_student(name: str, rows: Iterable[tuple[int, Sequence[str]]]) -> Iterator[Submission]:
    """Yield every student of rows, the cells of `COLUMNS` with their lines or 0, in order of appearance."""
    students: dict[str, Rows] = {}
    spelt: dict[str, Rows] = {}
    seen: dict[str, str] = {}  # equal texts of rows are kept once
    for line, (student, question, quantity, answer) in rows:
        if student not in spelt:
            spelt[student] = students.setdefault(identity(student or NOBODY), Rows())
            spelt[student].spellings[student] = line
        question, quantity = seen.setdefault(question, named(question)), seen.setdefault(quantity, quantity)
        problem = damage(line, (student, question, quantity, answer))
        spelt[student].given.append(Given(question, quantity, answer or None, problem, line=line))
    spelt.clear()
    while students:
        yield students.pop(next(iter(students))).submission(name)


def damage(line: int, cells: Iterable[str]) -> str:
    """Return why cells are no text, "" where they are."""
    match = DAMAGED.search("".join(cells))
    return f"{f'line {line}' if line else 'its row'} holds {visible(match[0])}, which is no text" if match else ""


def of_student(name: str, student: str, text: str) -> Submission:
    """Read a CSV file that holds the answers of one student; one of a class, which was not asked for, is unreadable."""
    if "student" in table_of(text)[0]:
        return Submission(name, student, unreadable=IN_A_FOLDER)
    return next(of_class(name, student, text))


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
    return set(header), ((line, row_cells) for line, row_cells in cells if any(row_cells))


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
    separator_line = SEPARATED.match(text)
    if separator_line:
        yield from ((line + 1, row) for line, row in rows_of(text[separator_line.end() :]))
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
