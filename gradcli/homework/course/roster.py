"""The roster: who is in the course, and by which names other systems know them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import field
from functools import cached_property
from unicodedata import normalize

from gradcli.errors import UsageError
from gradcli.facts import dataclass
from gradcli.homework.submission.classes import damage, decoded, rows_of
from gradcli.homework.submission.names import identity
from gradcli.source import visible

COLUMNS = "write id,name,email in its first line, and a student on each line below"
SIS, CANVAS_ID = ("sis user id", "sis_id", "sis id"), "canvas id"
WORKSHEET = "identifier"  # of Moodle's grading worksheet: `Participant 657701`, and the folder has the number
NUMBER = re.compile(r"\d+$")
FIRST, LAST = "first name", "last name"
HEADINGS = {  # columns as Canvas (SIS), Moodle and Gradescope (SID) name them, in English and in German
    "id": ("id number", "sid", "student id", "studentid", "student number", "matriculation number",
           "matrikelnummer", "id-nummer", "user id", "userid", "matrikelnr", "matrikelnr.", "matr.-nr.",
           "org defined id", "orgdefinedid",
           "institution id", "uid", "institutional identifier", "numéro d'identification", "número de id", "username",
           "user name", "login", "benutzername", "nutzername", "anmeldename"),
    "email": ("email address", "e-mail", "e-mail address", "e-mail-adresse", "mail", "adresse e-mail",
              "adresse de courriel", "dirección de correo"),
    "name": ("full name", "student name", "student", "your name", "vollständiger name", "nom", "nombre completo"),
    "group": ("group name", "team", "gruppe"),
    FIRST: ("firstname", "given name", "vorname", "prénom", "nombre"),
    LAST: ("lastname", "surname", "family name", "nachname", "nom de famille", "apellido(s)", "apellidos"),
}  # fmt: skip
NOBODY = ("points possible", "student, test")  # begin rows of Canvas that are no student
STAFF = ("instructor", "ta", "reader")  # roles of Gradescope
KNOWN = {"id", "name", "email", "group", FIRST, LAST}
MOST = 100_000  # students
IDEOGRAPHS = re.compile(r"[\u3400-\u9fff\uac00-\ud7af]{2,5}")
LONGEST = 200  # characters of an id or a name


@dataclass(frozen=True, slots=True)
class Enrolled:
    """A student of a course; `others` are the cells of other columns, such as the name on GitHub.

    What a `group` hands in is the work of each of its students.
    """

    id: str
    name: str = ""
    email: str = ""
    others: tuple[str, ...] = ()
    group: str = ""

    @property
    def whose(self) -> str:
        """The student as a sheet names one: `Ada Lovelace (ada)`."""
        return f"{self.name} ({self.id})" if self.name and self.name != self.id else self.id

    def spellings(self) -> Iterator[str]:
        """Yield the keys under which the student is found, the surest in front."""
        yield from (identity(text) for text in (self.id, self.email, *self.others, self.name) if text.strip())
        words = self.name.replace(",", " ").split()
        words = list(self.name) if len(words) == 1 and IDEOGRAPHS.fullmatch(self.name) else words  # 王小明 is 小明 王
        yield from (letters("".join(words[place:] + words[:place])) for place in range(len(words)))


@dataclass(frozen=True)
class Roster:
    """The students in the order of the file."""

    students: tuple[Enrolled, ...]
    file: str = field(default="", compare=False)

    def __iter__(self) -> Iterator[Enrolled]:
        return iter(self.students)

    @cached_property
    def known(self) -> dict[str, tuple[int, ...]]:
        """The places of the students whom a spelling may mean."""
        by_spelling: dict[str, dict[int, None]] = {}
        for place, student in enumerate(self.students):
            for spelling in student.spellings():
                by_spelling.setdefault(spelling, {})[place] = None
        return {spelling: tuple(places) for spelling, places in by_spelling.items()}

    def find(self, clues: Iterable[str]) -> Enrolled | None:
        """Return the student whom the first clue means that means one alone."""
        for clue in clues:
            for key in dict.fromkeys((identity(clue), letters(clue))):
                places = self.known.get(key, ()) if key else ()
                if len(places) == 1:
                    return self.students[places[0]]
        return None

    @cached_property
    def groups(self) -> dict[str, list[Enrolled]]:
        """The students of each group, by the spellings of its name."""
        by_spelling: dict[str, list[Enrolled]] = {}
        for student in self.students:
            for spelling in {identity(student.group), letters(student.group)} - {""}:
                by_spelling.setdefault(spelling, []).append(student)
        return by_spelling

    def owners(self, clues: Iterable[str]) -> list[Enrolled]:
        """Return the students whose work it is: the one whom the clues mean, else all of the group that they name."""
        clues = list(clues)
        if student := self.find(clues):
            return [student]
        named = (key for clue in clues for key in (identity(clue), letters(clue)))
        return next((self.groups[key] for key in named if key in self.groups), [])

    def is_ambiguous(self, name: str) -> bool:
        """Return whether a name is that of several students."""
        return len(self.known.get(identity(name), ())) > 1


def letters(name: str) -> str:
    """Return the letters and digits of a name, without case and accents, as systems make names of files."""
    return "".join(c for c in normalize("NFD", name).casefold() if c.isalnum())


def read_roster(data: str | bytes, file: str) -> Roster:
    """Read `id,name,email`, in any order, with other columns beside. Raises UsageError for a file that has no ids.

    The columns may have the names that Canvas, Moodle and Gradescope give them when they export a roster.
    """
    text, problem = decoded(data, is_table=True) if isinstance(data, bytes) else (data, "")
    if problem:
        raise refused(file, problem, "save the roster as CSV, UTF-8")
    rows = rows_of(text)
    header = columns([cell.strip() for cell in next(rows, (0, []))[1]])
    if "id" not in header and WORKSHEET not in header:
        raise refused(file, f"its first line has no column id: {visible(','.join(header))[:60] or 'it is empty'}")
    twice = next((name for name in ("id", "name", "email") if header.count(name) > 1), None)
    if twice is not None:
        raise refused(file, f"it has two columns {twice}", "leave one of them out")
    students: dict[str, tuple[int, Enrolled]] = {}
    for line, cells in rows:
        if not cells or cells[0].strip().lower() in NOBODY:
            continue
        if problem := damage(line, cells):
            raise refused(file, problem, "save the roster as CSV, UTF-8")
        named = dict(zip(header, (cell.strip()[:LONGEST] for cell in cells), strict=False))
        student = enrolled(named)
        if named.get("role", "").lower() in STAFF or not (student.id or student.name or student.email):
            continue
        who = identity(student.id)
        if not who:
            raise refused(file, f"line {line} has no id", "give every student an id")
        if who in students:
            first, other = students[who]
            message = f"lines {first} and {line} have one id, {visible(other.id)}"
            raise refused(file, message, "give each student an id of their own")
        if len(students) == MOST:
            raise refused(file, f"it has more than {MOST:,} students", "give the roster of one course")
        students[who] = line, student
    if not students:
        raise refused(file, "it has no students")
    return Roster(tuple(student for _, student in students.values()), file)


def enrolled(named: Mapping[str, str]) -> Enrolled:
    """Return a student by the cells of the columns."""
    number = NUMBER.search(named.get(WORKSHEET, ""))
    id = named.get("id") or named.get(CANVAS_ID) or (number[0] if number else "")
    name = named.get("name") or " ".join(filter(None, (named.get(FIRST), named.get(LAST))))
    others = [cell for column, cell in named.items() if column not in KNOWN]
    others += [number[0]] if number else []
    return Enrolled(id, name, named.get("email", ""), tuple(others), named.get("group", ""))


def columns(header: list[str]) -> list[str]:
    """Return the names of columns, in small letters; of the spellings of one in `HEADINGS`, the first that is there."""
    names = [cell.lower() for cell in header]
    if set(SIS) & set(names):  # Canvas's own id is of no use outside
        names = [{"id": CANVAS_ID, **dict.fromkeys(SIS, "id")}.get(cell, cell) for cell in names]
    plain = [cell.replace("_", " ") for cell in names]
    for name, spellings in HEADINGS.items():
        place = next((plain.index(spelling) for spelling in spellings if spelling in plain), None)
        if place is not None and name not in names:
            names[place] = name
    if FIRST in names and LAST not in names and "name" in names:  # `Name;Vorname`
        names[names.index("name")] = LAST
    return names


def refused(file: str, why: str, help: str = COLUMNS) -> UsageError:
    return UsageError("E025", f"cannot use the roster {visible(file)}: {why}", help=help)


def joined(rosters: Iterable[Roster]) -> Roster:
    """Return several rosters as one. Raises UsageError for an id that two of them have."""
    students: dict[str, tuple[str, Enrolled]] = {}
    for roster in rosters:
        for student in roster:
            who = identity(student.id)
            if who in students:
                message = f"{visible(students[who][0])} has the id {visible(student.id)} too"
                raise refused(roster.file, message, "give each student an id of their own")
            students[who] = roster.file, student
    return Roster(tuple(student for _, student in students.values()))
