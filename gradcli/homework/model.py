"""The results of grading: facts without looks. An expected formula is a text."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from enum import Enum
from typing import Annotated, Any

from gradcli.facts import dataclass


class Withheld(Enum):
    """The value that stands where one is not shown; None is an answer."""

    WITHHELD = "withheld"


def is_value(value: Any) -> bool:
    """Return whether a value is a numpy array or scalar, a number, None, a text, or what stands in its place."""
    return value is None or type(value).__module__ == "numpy" or isinstance(value, bool | int | float | str | Withheld)


Value = Annotated[Any, Withheld, is_value]

VERDICTS = {
    "correct": "right",
    "carried": "follows from your earlier number",
    "precision": "right, but too few digits",
    "wrong": "not right",
    "shape": "not the right shape",
    "missing": "no answer",
    "unreadable": "cannot be read",
}
ENDINGS = {  # the reasons for which grading is ended from outside
    "time": "grading it took too long",
    "memory": "grading it took too much memory",
    "crash": "grading it crashed",
}
STRANGER = "this student is not on the roster"
SEVERAL = "several students of the roster have this name: it needs an id, or an email"
CREDITED = frozenset(("correct", "carried"))


@dataclass(frozen=True)
class Diagnosis:
    """One mistake that leads to the number that was given.

    `code` is a code of the catalogue (two joined by ` + ` for a pair), `rule` the wrong rule used at `node`, `message`
    a sentence without numbers, `detail` one with them, `value` the number that the mistake gives. It is not `certain`
    where numbers such as 0, 1 or 7 come about in too many ways. `says` is the right rule in plain words, if it is one.
    In the graph of the quantity the node is a `vertex`, and `edges` (vertex and position) have the changed rules.
    `kind` is the way in which the mistake was made, finer than its code; a lower `rank` is likelier.
    """

    code: str
    node: str
    rule: str
    message: str
    detail: str
    value: Value
    certain: bool
    says: str = ""
    vertex: int | None = None
    edges: tuple[tuple[int, int], ...] = ()
    kind: str = ""
    rank: int = 0


@dataclass(frozen=True)
class Branch:
    """One path of the chain rule in the ledger of an answer: its contribution, and whether the answer has it."""

    path: tuple[str, ...]
    value: Value
    present: bool


@dataclass(frozen=True)
class Marked:
    """One answer with its verdict; `remark` adds a counterexample, the worst entry, or why it cannot be read.

    `reason` is one of `ENDINGS` where grading the answer was ended from outside: it is then unreadable. `read_as` is
    the plain text of an answer that was typed in another notation, else empty. A wrong answer is right `elsewhere`: on
    the sheets of these other students, which is for teachers alone. `note` is what a teacher says who set the points by
    hand.
    """

    question: str
    quantity: str
    given: str | None
    expected: Value
    verdict: Annotated[str, frozenset(VERDICTS)]
    points: float
    max_points: float
    remark: str = ""
    diagnoses: tuple[Diagnosis, ...] = ()
    ledger: tuple[Branch, ...] = ()
    reason: Annotated[str, frozenset(ENDINGS)] | None = None
    read_as: str = ""
    elsewhere: tuple[str, ...] = ()
    note: str | None = None


@dataclass(frozen=True)
class Result:
    """One submission. `student` is the file's stem or the CSV column, `remarks` are about the file as a whole.

    `unreadable` says why nothing of it could be graded, `reason` is one of `ENDINGS` where it was ended from outside.
    Of a student of a roster `name` and `email` are known. `notes` say what is no fault: which attempt counts.
    """

    file: str
    student: str
    answers: tuple[Marked, ...]
    remarks: tuple[str, ...] = ()
    unreadable: str = ""
    reason: Annotated[str, frozenset(ENDINGS)] | None = None
    name: str = ""
    email: str = ""
    notes: tuple[str, ...] = ()

    @property
    def score(self) -> float:
        return added(answer.points for answer in self.answers)

    @property
    def max_score(self) -> float:
        return added(answer.max_points for answer in self.answers)

    @property
    def is_absent(self) -> bool:
        """Whether the student of a roster handed in nothing, which says nothing about questions."""
        return not self.file and not self.unreadable and all(answer.verdict == "missing" for answer in self.answers)

    @property
    def is_counted(self) -> bool:
        """Whether it enters means: it is the work of a student of the course."""
        return not self.is_absent and not {STRANGER, SEVERAL} & {*self.remarks}

    @property
    def is_right(self) -> bool:
        """Whether nothing is wrong: neither an answer nor the file."""
        return not self.remarks and all(answer.verdict in CREDITED for answer in self.answers)


def lowered(result: Result, share: float) -> Result:
    """Return a result with a share of its points."""
    if share == 1:
        return result
    answers = (replace(answer, points=added((answer.points * share,))) for answer in result.answers)
    return replace(result, answers=tuple(answers))


def added(points: Iterable[float]) -> float:
    """Return the sum as in decimals: three times 0.1 is 0.3."""
    return round(sum(points), 9)
