"""Submissions: text, JSON and CSV, from files and folders. They are data: nothing in them is run."""

from __future__ import annotations

import csv
import json
import os
import stat
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from io import StringIO
from pathlib import Path
from typing import Any

from gradcli.errors import UsageError
from gradcli.source import visible

LARGEST = 2**20  # bytes of one student's file
LARGEST_CLASS = 2**27  # bytes of a class in one CSV file
COLUMNS = ("student", "question", "quantity", "answer")


@dataclass(frozen=True, slots=True)
class Given:
    """One line of a submission: the answer as text, None where it is left blank; `problem` says why it is no answer."""

    question: str
    quantity: str
    text: str | None
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Submission:
    """What one student handed in; `unreadable` says why nothing could be read, `remarks` what could not."""

    file: str
    student: str
    given: tuple[Given, ...] = ()
    unreadable: str = ""
    remarks: tuple[str, ...] = field(default=())


def files_of(paths: Iterable[str]) -> Iterator[Path]:
    """The files that are named, and those in folders that look like submissions, in alphabetical order."""
    for name in paths:
        path = Path(name)
        if not os.path.lexists(path):
            raise UsageError(
                "E003", f"cannot read {visible(name)}: no such file", help="check the path of the submission"
            )
        if not path.is_dir():
            yield path
            continue
        for folder, inner, names in os.walk(path):
            inner[:] = sorted(part for part in inner if not part.startswith("."))
            for file in sorted(names):
                if not file.startswith(".") and Path(file).suffix.lower() in {*READERS, CLASS}:
                    yield Path(folder, file)


def submissions(path: Path) -> Iterator[Submission]:
    """The submissions in one file: a CSV file holds a class."""
    name, student = str(path), path.stem
    kind = path.suffix.lower()
    text, problem = read_file(path, LARGEST_CLASS if kind == CLASS else LARGEST)
    if problem:
        yield Submission(name, student, unreadable=problem)
    elif kind == CLASS:
        yield from of_class(name, text)
    else:
        yield READERS.get(kind, read_text)(name, student, text)


def read_file(path: Path, largest: int) -> tuple[str, str]:
    """The text of a file, or why there is none."""
    try:
        facts = path.stat()
        if not stat.S_ISREG(facts.st_mode):
            return "", "not a file"
        if facts.st_size > largest:
            return "", f"{facts.st_size / 2**20:.0f} MB, and a submission may have {largest // 2**20}"
        data = path.read_bytes()
    except (OSError, ValueError) as error:
        return "", getattr(error, "strerror", None) or "the file cannot be read"
    for encoding in ("utf-16",) if data[:2] in (b"\xff\xfe", b"\xfe\xff") else ("utf-8-sig",):
        try:
            text = data.decode(encoding)
        except UnicodeDecodeError:
            break
        return (text, "") if "\x00" not in text else ("", "binary data, not text")
    return "", "not UTF-8 text"


@cache
def answers_parser() -> Any:
    from lark import Lark

    from gradcli.language.grammar import grammar_text

    # each token depends on its place in the line
    return Lark(
        grammar_text("answers.lark"), start="answers", parser="lalr", lexer="contextual", maybe_placeholders=False
    )


def read_text(name: str, student: str, text: str) -> Submission:
    """A submission in the notation of `answers.lark`."""
    given: list[Given] = []
    remarks: list[str] = []
    question = ""
    for token in answers_parser().parse(text).children:
        if token.type == "HEADING":
            question = token.value[1:-1].strip()
        elif token.type == "QUANTITY":
            given.append(Given(question, token.value.strip(), None))
        elif token.type == "ANSWER":
            given[-1] = replace(given[-1], text=token.value.strip())
        else:
            remarks.append(f"line {token.line} is neither a [question] nor an answer: {shortened(token.value)}")
    return Submission(name, student, tuple(given), remarks=tuple(remarks[:20]))


def shortened(text: str) -> str:
    text = text.strip()
    return text if len(text) <= 40 else f"{text[:37]}..."


class Numeral(str):
    """A number of a JSON file, with the digits that stand there."""

    __slots__ = ()


class _Pairs(list[tuple[str, Any]]):
    """An object of a JSON file, in which a key may stand twice."""


def read_json(name: str, student: str, text: str) -> Submission:
    """`{"question": {"quantity": answer}}`."""
    try:
        table = json.loads(
            text, parse_float=Numeral, parse_int=Numeral, parse_constant=Numeral, object_pairs_hook=_Pairs
        )
    except json.JSONDecodeError as error:
        return Submission(
            name, student, unreadable=f"not JSON: line {error.lineno}: {error.msg[:1].lower()}{error.msg[1:]}"
        )
    except RecursionError:
        return Submission(name, student, unreadable="nested too deeply")
    if not isinstance(table, _Pairs):
        return Submission(name, student, unreadable='not an object such as {"question": {"q": 8}}')
    given: list[Given] = []
    remarks: list[str] = []
    for question, answers in table:
        if not isinstance(answers, _Pairs):
            remarks.append(f"{shortened(question)} holds no answers by quantity")
            continue
        given.extend(_of_json(question, quantity, answer) for quantity, answer in answers)
    return Submission(name, student, tuple(given), remarks=tuple(remarks[:20]))


def _of_json(question: str, quantity: str, answer: Any) -> Given:
    if answer is None:
        return Given(question, quantity, "None")
    try:
        text = written(answer).strip()
    except (TypeError, RecursionError):
        return Given(question, quantity, "", "neither a number, a text nor a list of numbers")
    return Given(question, quantity, text or None)


def written(value: Any) -> str:
    """A JSON value as answers are written."""
    if isinstance(value, list) and not isinstance(value, _Pairs):
        return f"[{', '.join(map(written, value))}]"
    if isinstance(value, bool | str):
        return str(value)
    raise TypeError(value)


def of_class(name: str, text: str) -> Iterator[Submission]:
    """Every student of a CSV file, in the order in which they appear."""
    csv.field_size_limit(LARGEST_CLASS)  # a long answer is refused as an answer; it does not end the class
    rows = csv.reader(StringIO(text, newline=""))
    try:
        header = [cell.strip().lower() for cell in next(rows, [])]
        missing = [column for column in COLUMNS if column not in header]
        if missing:
            yield Submission(name, Path(name).stem, unreadable=f"the first line has no column {', '.join(missing)}")
            return
        places = [header.index(column) for column in COLUMNS]
        students: dict[str, list[Given]] = {}
        for row in rows:
            student, question, quantity, answer = (row[p].strip() if p < len(row) else "" for p in places)
            if any(row):
                students.setdefault(student, []).append(Given(question, quantity, answer or None))
    except csv.Error as error:
        yield Submission(name, Path(name).stem, unreadable=f"not CSV: line {rows.line_num}: {error}")
        return
    while students:
        student = next(iter(students))
        yield Submission(name, student, tuple(students.pop(student)))


Reader = Callable[[str, str, str], Submission]
READERS: Mapping[str, Reader] = {
    ".txt": read_text, ".answers": read_text, ".md": read_text, ".json": read_json
}  # fmt: skip
CLASS = ".csv"
