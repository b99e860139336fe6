"""The work of a class, student by student; each is read when it is graded."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from gradcli.facts import dataclass
from gradcli.homework.submission.classes import LARGEST as LARGEST_CLASS
from gradcli.homework.submission.classes import of_class, of_student, read_file
from gradcli.homework.submission.files import PROGRAMS, File
from gradcli.homework.submission.labels import Labels
from gradcli.homework.submission.lines import read_lines, text_of
from gradcli.homework.submission.names import identity
from gradcli.homework.submission.submissions import Given, Submission, read_json, read_text
from gradcli.homework.wording import listed

NO_CODE = "it is a program, and no question asks for one: type the answers into a text file"


def read_program(name: str, student: str, text: str, labels: Labels | None) -> Submission:
    """Read a file of Python: the answer to each question that asks for code."""
    if labels is None or not labels.codes:
        return Submission(name, student, unreadable=NO_CODE)
    given = [Given(id, ask.written, text, line=1) for id in labels.codes for ask in labels.asked[id]]
    return Submission(name, student, tuple(given if text.strip() else ()))


def read_notebook(name: str, student: str, text: str, labels: Labels | None) -> Submission:
    """Read a notebook: its code as `read_program` does, what is typed between and printed below as answers."""
    try:
        cells = [(str(cell["cell_type"]), joined(cell["source"]), cell) for cell in json.loads(text)["cells"]]
        printed = [joined(out.get("text", "")) for kind, _, cell in cells if kind == "code" for out in cell["outputs"]]
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return Submission(name, student, unreadable="it is no notebook that can be read: save it again, or export it")
    if labels is None:
        return Submission(name, student, unreadable="a notebook is not read by strict rules: hand in a text file")
    code = "\n\n".join(magicless(source) for kind, source, _ in cells if kind == "code")
    typed = "\n\n".join([*(source for kind, source, _ in cells if kind != "code"), *printed])
    answers = read_lines(name, student, typed, labels)
    given = tuple(answer for answer in answers.given if labels.question(answer.question) not in labels.codes)
    programs = read_program(name, student, code, labels).given if labels.codes else ()
    return replace(answers, given=(*given, *programs), remarks=() if labels.codes else answers.remarks)


PART = re.compile(r"(?:\s*;\s*|^\s*)part \d+: ")  # a gap of a cloze question in the exports of Moodle
SEVERAL = "its cell holds several answers: write one a line, with the quantity before it"


def of_cell(answer: Given, labels: Labels) -> Iterator[Given]:
    """Yield the answers of a cell to a question of which it is to name the quantities, if there are several."""
    asks = labels.asked.get(answer.question, ())
    if answer.quantity or not answer.text or not asks:
        yield answer
        return
    text = text_of(answer.text).strip()
    parts = PART.split(text)[1:]
    if len(parts) == len(asks) > 1:
        yield from (replace(answer, quantity=ask.written, text=part) for ask, part in zip(asks, parts, strict=True))
        return
    typed = () if answer.question in labels.codes else read_lines("", "", f"[{answer.question}]\n{text}", labels).given
    if any(labels.ask(answer.question, typed_answer.quantity) for typed_answer in typed):
        yield from (replace(typed_answer, line=answer.line) for typed_answer in typed)
        return
    problem = "" if len(asks) == 1 or answer.question in labels.codes else SEVERAL
    yield from (replace(answer, quantity=ask.written, text=text, problem=problem or answer.problem) for ask in asks)


def joined(source: object) -> str:
    return "".join(map(str, source)) if isinstance(source, list) else str(source)


def magicless(code: str) -> str:
    """Return the code of a cell without the commands of the notebook, `%matplotlib inline` and `!pip install`."""
    return "\n".join("" if line.lstrip().startswith(("%", "!")) else line for line in code.splitlines())


LARGEST = 2**20  # bytes of one student's file
SHOWN = 100  # characters of a path in a message
CLASS = ".csv"
Who = tuple[str, int | None]  # the identity of a student, and the attempt
READERS: Mapping[str, Callable[[str, str, str], Submission]] = {".json": read_json, CLASS: of_student}


@dataclass(frozen=True, slots=True)
class HandIn:
    """The work of one student: a file that is not read yet, or a submission out of the file of a class.

    `attempt` is its number where that is recorded, `remark` is added to those on the submission. One that `is_again` is
    a later attempt, though none is counted. `place` is its line in a sheet, and `submitted` the time that stands there.
    `text` is what `read_file` gives for a file that was read already, and a roster may know the student by the `clues`.
    """

    file: File
    student: str
    submission: Submission | None = None
    attempt: int | None = None
    remark: str = ""
    is_again: bool = False
    text: tuple[str, str] | None = None
    place: str = ""
    submitted: datetime | None = None
    clues: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The name of the file, which results have too; empty where nothing was handed in."""
        return self.submission.file if self.submission else str(self.file.path)

    def loaded(self) -> HandIn:
        """Return it with the text of its file, for a process that opens no files."""
        return self if self.submission or self.text else replace(self, text=read_file(self.file, LARGEST))

    def read(self, labels: Labels | None = None) -> Submission:
        """Return the submission, in the plain notation unless the labels of its assignment are known.

        One that cannot be read says why.
        """
        work = self.submission or self.read_file(labels)
        if self.place and labels is not None:
            work = replace(work, given=tuple(part for answer in work.given for part in of_cell(answer, labels)))
        return replace(work, remarks=(*work.remarks, self.remark)) if self.remark else work

    def read_file(self, labels: Labels | None) -> Submission:
        text, problem = self.text or read_file(self.file, LARGEST)
        name = str(self.file.path)
        if problem:
            return Submission(name, self.student, unreadable=problem)
        text = text_of(text) if self.file.kind == ".html" else text
        if self.file.kind in PROGRAMS:
            return (read_program if self.file.kind == ".py" else read_notebook)(name, self.student, text, labels)
        if self.file.kind in READERS:
            return READERS[self.file.kind](name, self.student, text)
        if labels is None or labels.is_strict:
            return read_text(name, self.student, text)
        return read_lines(name, self.student, text, labels)

    def ended(self, reason: str) -> Submission:
        """Return the submission as one that was ended as a whole; it is not read."""
        return Submission(str(self.file.path), self.student).ended(reason)

    @property
    def is_blank(self) -> bool:
        """Whether the file can be read and holds no text."""
        text, problem = self.text or read_file(self.file, LARGEST)
        return not problem and not (text_of(text) if self.file.kind == ".html" else text).strip()

    @property
    def is_class(self) -> bool:
        """Whether the file may hold the answers of a class: then it is named itself, and does not lie in a folder."""
        return self.file.kind == CLASS and self.file.folder is None and self.submission is None


def told_apart(works: Sequence[HandIn], known: Callable[[str], str] = str) -> Iterator[HandIn]:
    """Yield the work of every student, in order; `known` gives the name under which one of a class is known.

    A student who is found in several files has one item, in place of the first: it is unreadable, and names the files.
    """
    works = without_blank(works)
    again = {identity(work.student) for work in works if work.is_again}
    groups: dict[Who, list[tuple[HandIn, HandIn]]] = {}  # each item with the file that it is from
    for work in works:
        for item in own_hand_ins(work, known):
            groups.setdefault((identity(known(item.student)), work.attempt), []).append((work, item))
    for (who, _), pairs in groups.items():
        item = pairs[0][1]
        if len(pairs) > 1:
            files = listed([ending(", ".join(filter(None, (str(work.file.path), work.place)))) for work, _ in pairs])
            why = f"this student is found {len(pairs)} times: in {files}; leave one"
            why += ", or count attempts: --attempts last" if who in again else ""
            item = replace(item, submission=Submission(str(item.file.path), item.student, unreadable=why))
        yield item


def without_blank(works: Sequence[HandIn]) -> list[HandIn]:
    """Return work without the files that hold no text and lie beside another of the student that does.

    Moodle exports such a file for the field that nobody typed into.
    """
    owners = [(identity(work.student), work.attempt) for work in works]
    times = Counter(owners)
    blank = [times[who] > 1 and work.is_blank for work, who in zip(works, owners, strict=True)]
    filled = {who for who, is_blank in zip(owners, blank, strict=True) if not is_blank}
    return [work for work, who, is_blank in zip(works, owners, blank, strict=True) if not is_blank or who not in filled]


def own_hand_ins(work: HandIn, known: Callable[[str], str]) -> Iterator[HandIn]:
    if not work.is_class:
        yield work
        return
    text, problem = read_file(work.file, LARGEST_CLASS, is_table=True)
    name = str(work.file.path)
    students = [Submission(name, work.student, unreadable=problem)] if problem else of_class(name, work.student, text)
    for submission in students:
        student = known(submission.student)
        yield HandIn(work.file, student, replace(submission, student=student))


def ending(path: str) -> str:
    """Return the end of a long path, which tells it from others."""
    return path if len(path) <= SHOWN else f"...{path[-SHOWN:]}"
