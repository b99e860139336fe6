"""The totals of a class, added up from results one by one: only a small row a student is kept."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import field
from typing import NamedTuple

from gradcli.facts import dataclass
from gradcli.homework.assignment.assignments import Assignment
from gradcli.homework.code.repairs import TITLES as PROGRAM_TITLES
from gradcli.homework.mistakes.catalogue import TITLES
from gradcli.homework.model import CREDITED, ENDINGS, Diagnosis, Result

SHEETS = 3  # of other students, on which wrong answers are right
LONGEST = 200  # characters of a student's name, or of another text, that a row keeps


@dataclass(frozen=True, slots=True)
class Student:
    """One student, `called` so in a roster. `wrong` counts the readable answers without full credit.

    `remarks` are those on the file; `mistake` is the code that explains most answers, empty where none is known.
    """

    name: str
    score: float
    max_score: float
    wrong: int
    unreadable: int
    missing: int
    remarks: int
    is_right: bool
    mistake: str
    called: str = ""
    is_counted: bool = True  # in means: something was handed in, by one on the roster


class Occurrences(NamedTuple):
    """A question with the number of answers that show a mistake."""

    question: str
    answers: int


@dataclass(frozen=True, slots=True)
class Mistake:
    """One mistake in the class: how many students and answers made it, and its questions, the most frequent first."""

    code: str
    title: str
    students: int
    answers: int
    questions: tuple[Occurrences, ...]


class Sheet(NamedTuple):
    """A student with the number of answers of another one that are right on this one's sheet."""

    student: str
    answers: int


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """A student with wrong answers that are right on the sheets of others, those of most answers first."""

    student: str
    answers: int
    sheets: tuple[Sheet, ...]


@dataclass(slots=True)
class Share:
    """One question in the class: its answers, how many of them have full credit, and the points."""

    question: str
    answers: int = 0
    right: int = 0
    points: float = 0.0
    max_points: float = 0.0


@dataclass(frozen=True, slots=True)
class Ungraded:
    """An item that was not graded: a submission, or an answer in it that was ended from outside.

    `question` and `quantity` are None for a whole submission, `reason` is one of `ENDINGS`, or None where it could not
    be read.
    """

    student: str
    file: str
    question: str | None
    quantity: str | None
    reason: str | None
    message: str


@dataclass(slots=True)
class _Tally:
    students: int = 0
    questions: Counter[str] = field(default_factory=Counter)


class ClassTotals:
    """Students, mistakes and questions of a class, items that were not graded, and answers right on other sheets.

    Answers that were not asked for count for their student alone.
    """

    def __init__(self, assignment: Assignment) -> None:
        self.assignment = assignment
        self.students: list[Student] = []
        self.shares = {question.id: Share(question.id) for question in assignment.questions}
        self.ungraded: list[Ungraded] = []
        self.elsewhere: list[Elsewhere] = []
        self.is_right = True
        self._asked = {(question.id, quantity) for question in assignment.questions for quantity in question.quantities}
        self._titles = (
            PROGRAM_TITLES
            | TITLES
            | {mistake.code: mistake.say.removeprefix("you ") for mistake in assignment.mistakes}
        )
        self._mistakes: dict[str, _Tally] = {}

    def add(self, result: Result) -> None:
        """Count one submission."""
        verdicts = Counter(answer.verdict for answer in result.answers)
        counts: Counter[str] = Counter()
        for answer in result.answers:
            if (answer.question, answer.quantity) not in self._asked:
                continue
            if not result.is_counted:
                continue
            share = self.shares[answer.question]
            share.answers += 1
            share.right += answer.verdict in CREDITED
            share.points += answer.points
            share.max_points += answer.max_points
            for code in codes(answer.diagnoses):
                counts[code] += 1
                self._mistakes.setdefault(code, _Tally()).questions[answer.question] += 1
        for code in counts:
            self._mistakes[code].students += 1
        self.is_right &= result.is_right
        self.ungraded.extend(ungraded(result))
        self.elsewhere.extend(elsewhere(result))
        wrong = verdicts.total() - sum(verdicts[v] for v in (*CREDITED, "unreadable", "missing"))
        self.students.append(
            Student(
                result.student[:LONGEST],
                result.score,
                result.max_score,
                wrong,
                verdicts["unreadable"],
                verdicts["missing"],
                len(result.remarks),
                result.is_right,
                max(counts, key=lambda code: counts[code], default=""),
                result.name[:LONGEST],
                is_counted=result.is_counted,
            )
        )

    @property
    def mistakes(self) -> list[Mistake]:
        """The mistakes, the most frequent first."""
        mistakes = [
            Mistake(
                code,
                self._titles.get(code, code),
                tally.students,
                tally.questions.total(),
                tuple(map(Occurrences._make, tally.questions.most_common())),
            )
            for code, tally in self._mistakes.items()
        ]
        return sorted(mistakes, key=lambda mistake: (-mistake.students, -mistake.answers, mistake.code))


def elsewhere(result: Result) -> Iterator[Elsewhere]:
    """Yield what there is to say about a student with answers that are right on the sheets of others."""
    owner_lists = [answer.elsewhere for answer in result.answers if answer.elsewhere]
    if owner_lists:
        counts = Counter(owner[:LONGEST] for owners in owner_lists for owner in owners)
        yield Elsewhere(result.student[:LONGEST], len(owner_lists), tuple(map(Sheet._make, counts.most_common(SHEETS))))


def ungraded(result: Result) -> Iterator[Ungraded]:
    """Yield the items of a submission that were not graded."""
    student, file = result.student[:LONGEST], result.file[:LONGEST]
    if result.unreadable:
        yield Ungraded(student, file, None, None, result.reason, result.unreadable[:LONGEST])
    for answer in result.answers:
        if answer.reason is not None:
            place = (answer.question[:LONGEST], answer.quantity[:LONGEST])
            yield Ungraded(student, file, *place, answer.reason, ENDINGS[answer.reason])


def codes(diagnoses: tuple[Diagnosis, ...]) -> list[str]:
    """Return the codes that an answer counts for: its most likely mistake, both of a pair, none where unknown."""
    code = diagnoses[0].code if diagnoses else ""
    return [part for part in dict.fromkeys(code.split(" + ")) if part]
