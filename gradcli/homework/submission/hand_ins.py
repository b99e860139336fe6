"""The work of a class, student by student; each is read when it is graded."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from gradcli.homework.submission.classes import LARGEST as LARGEST_CLASS
from gradcli.homework.submission.classes import of_class, of_student, students_in
from gradcli.homework.submission.files import File, students_of
from gradcli.homework.submission.labels import Labels
from gradcli.homework.submission.lines import read_lines
from gradcli.homework.submission.names import identity
from gradcli.homework.submission.reading import read_file
from gradcli.homework.submission.submissions import Submission, read_json, read_text
from gradcli.homework.wording import listed

LARGEST = 2**20  # bytes of one student's file
SHOWN = 100  # characters of a path in a message
CLASS = ".csv"
READERS: Mapping[str, Callable[[str, str, str], Submission]] = {".json": read_json, CLASS: of_student}


@dataclass(frozen=True, slots=True)
class HandIn:
    """The work of one student: a file that is not read yet, or a submission out of the file of a class."""

    file: File
    student: str
    submission: Submission | None = None

    def read(self, labels: Labels | None = None) -> Submission:
        """Return the submission, in the plain notation unless the labels of its assignment are known.

        One that cannot be read says why.
        """
        if self.submission is not None:
            return self.submission
        text, problem = read_file(self.file, LARGEST)
        name = str(self.file.path)
        if problem:
            return Submission(name, self.student, unreadable=problem)
        if self.file.kind in READERS:
            return READERS[self.file.kind](name, self.student, text)
        if labels is None or labels.is_strict:
            return read_text(name, self.student, text)
        return read_lines(name, self.student, text, labels)

    def ended(self, reason: str) -> Submission:
        """Return the submission as one that was ended as a whole; it is not read."""
        return Submission(str(self.file.path), self.student).ended(reason)


def is_class(file: File) -> bool:
    """Return whether a file may hold the answers of a class: then it is named itself, and does not lie in a folder."""
    return file.kind == CLASS and file.folder is None


def hand_ins(files: Sequence[File]) -> Iterator[HandIn]:
    """Yield the work of every student, in order.

    A student who is found in several files has one item, in place of the first: it is unreadable, and names the files.
    """
    handed_in = list(zip(files, students_of(files), strict=True))
    places = places_of(handed_in)
    told: set[str] = set()
    for file, student in handed_in:
        for item in own_hand_ins(file, student):
            who = identity(item.student)
            found = places.get(who, [])
            if len(found) < 2:
                yield item
            elif who not in told:
                told.add(who)
                why = f"this student is found {len(found)} times: in {listed([ending(place) for place in found])}"
                yield HandIn(file, item.student, Submission(str(file.path), item.student, unreadable=why))


def own_hand_ins(file: File, student: str) -> Iterator[HandIn]:
    if not is_class(file):
        yield HandIn(file, student)
        return
    text, problem = read_file(file, LARGEST_CLASS)
    name = str(file.path)
    found = [Submission(name, student, unreadable=problem)] if problem else of_class(name, student, text)
    for submission in found:
        yield HandIn(file, submission.student, submission)


def places_of(handed_in: Sequence[tuple[File, str]]) -> dict[str, list[str]]:
    """Return the files in which each student is found, by identity; the file of a class is read for that."""
    found: dict[str, list[str]] = {}
    for file, student in handed_in if len(handed_in) > 1 else ():
        text, problem = read_file(file, LARGEST_CLASS) if is_class(file) else ("", "it holds one student")
        for who in {identity(student)} if problem else students_in(text, student):
            found.setdefault(who, []).append(str(file.path))
    return found


def ending(path: str) -> str:
    """Return the end of a long path, which tells it from others."""
    return path if len(path) <= SHOWN else f"...{path[-SHOWN:]}"
