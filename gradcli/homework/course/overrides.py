"""Points that a teacher sets by hand: `overrides.toml`."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from math import isfinite
from typing import Any, NamedTuple

from gradcli.errors import UsageError
from gradcli.facts import dataclass
from gradcli.homework.assignment.assignments import Assignment
from gradcli.homework.assignment.places import Places, Table, read_table
from gradcli.homework.model import Result, added
from gradcli.homework.submission.names import identity
from gradcli.homework.wording import listed
from gradcli.source import Source, did_you_mean, visible

KEYS = ("student", "question", "quantity", "points", "note")
EXAMPLE = 'write student = "ada", question = "chain", quantity = "dq/dx", points = 2, note = "..."'


@dataclass(frozen=True, slots=True)
class Override:
    """The points of one answer, which may be its share of those of a question."""

    points: float
    note: str


Overrides = Mapping[str, Mapping[tuple[str, str], Override]]  # by the identity of a student, question and quantity


def overridden(results: Iterable[Result], overrides: Overrides) -> Iterator[Result]:
    """Yield the results with the points that were set by hand."""
    for result in results:
        student_overrides = overrides.get(identity(result.student), {})
        answers = []
        for answer in result.answers:
            override = student_overrides.get((answer.question, answer.quantity))
            answers.append(replace(answer, points=override.points, note=override.note) if override else answer)
        yield replace(result, answers=tuple(answers)) if student_overrides else result


def read_overrides(
    source: Source, assignment: Assignment, student_of: Callable[[str], str | None], students: Collection[str] = ()
) -> Overrides:
    """Read the overrides of an assignment; `student_of` returns the name of one of the `students` as results have it.

    Raises UsageError, at the place, for what is nobody's, was not asked, or is set twice.
    """
    file = Table(read_table(source), source, Places(source.text), code="E026")
    tables, others = file.get("override", []), [key for key in file.values if key != "override"]
    if others or not isinstance(tables, list):
        help = f"start each with [[override]], and {EXAMPLE} below it"
        raise file.refuse_key("this file has no [[override]] alone", help, *others[:1])
    overrides: dict[str, dict[tuple[str, str], Override]] = {}
    for number, values in enumerate(tables):
        if not isinstance(values, dict):
            raise file.refuse("an override is a table", EXAMPLE, "override", number)
        table = file.inner(values, "override", number)
        who = read_student(table, student_of, students)
        student_overrides = overrides.setdefault(identity(who), {})
        for place, override in read_points(table, assignment).items():
            if place in student_overrides:
                message = f"the points of {who} for {place[1]} are set twice"
                raise table.refuse(message, "remove one of the two", "quantity")
            student_overrides[place] = override
    return overrides


def read_student(table: Table, student_of: Callable[[str], str | None], students: Collection[str]) -> str:
    table.known(KEYS, "an override")
    written = text(table, "student")
    who = student_of(written)
    if who is None:
        close = did_you_mean(written, students)
        help = f"did you mean {close}?" if close else "name one who handed in work"
        raise table.refuse(f"there is no student {written}", help, "student")
    return who


def read_points(table: Table, assignment: Assignment) -> dict[tuple[str, str], Override]:
    """Return the points by question and quantity; without a quantity those of all in shares."""
    questions = {question.id: question for question in assignment.questions}
    id, quantity = text(table, "question"), text(table, "quantity") if "quantity" in table else None
    if id not in questions:
        raise table.refuse(f"there is no question {id}", near(id, questions), "question")
    question = questions[id]
    asks = [ask for ask in question.asks if quantity is None or squeezed(ask.written) == squeezed(quantity)]
    if quantity is not None and not asks:
        help = near(quantity, question.quantities)
        raise table.refuse(f"{id} does not ask for {quantity}", help, "quantity")
    points, most = table.get("points"), added(ask.points for ask in asks)
    if type(points) not in (int, float) or not 0 <= points <= most:
        message = f"points are {points!r:.40}, and {id if quantity is None else asks[0].written} has {most:g}"
        raise table.refuse(message, f"write a number from 0 to {most:g}", "points")
    note, share = text(table, "note", ""), points / most if most else 0.0
    return {(id, ask.written): Override(added((share * ask.points,)), note) for ask in asks}


def text(table: Table, key: str, usual: str | None = None) -> str:
    value = table.get(key, usual)
    if not isinstance(value, str):
        raise table.refuse(f"{key} is {value!r:.40}" if key in table else f"there is no {key}", EXAMPLE, key)
    return value.strip()


def squeezed(quantity: str) -> str:
    return quantity.replace(" ", "")


def near(name: str, known: Iterable[str]) -> str:
    known = list(known)
    close = did_you_mean(name, known)
    return f"did you mean {close}?" if close else f"there are {', '.join(known)}"


SCHEMA = "gradcli.check/1"
SLACK = 1e-9  # points
HELP = "give what gradcli check --json wrote about the same assignment"


class Answered(NamedTuple):
    """The verdict on an answer, and its points."""

    verdict: str
    points: float


class Graded(NamedTuple):
    """A student then or now."""

    student: str
    score: float
    answers: Mapping[tuple[str, str], Answered]


class Changed(NamedTuple):
    """One answer that changes; None where there was none, or is none any more."""

    question: str
    quantity: str
    before: Answered | None
    after: Answered | None


class Difference(NamedTuple):
    """One student whose grade changes."""

    student: str
    before: float | None
    after: float | None
    changes: tuple[Changed, ...]

    @property
    def is_lower(self) -> bool:
        return (self.after or 0.0) < (self.before or 0.0) - SLACK


def differences(old: Mapping[str, Graded], results: Iterable[Result]) -> list[Difference]:
    """Return the students who change, in the order of now, and then those who are gone."""
    left = dict(old)
    changes = [difference(left.pop(identity(result.student), None), of_result(result)) for result in results]
    changes += [difference(graded, None) for graded in left.values()]
    return [change for change in changes if change is not None]


def difference(before: Graded | None, after: Graded | None) -> Difference | None:
    """Return the changes of one student; None where there are none."""
    was, now = before.answers if before else {}, after.answers if after else {}
    places = dict.fromkeys((*now, *was))
    changes = tuple(
        Changed(*place, was.get(place), now.get(place)) for place in places if was.get(place) != now.get(place)
    )
    graded = after or before
    if graded is None or (before and after and not changes and abs(before.score - after.score) <= SLACK):
        return None
    return Difference(graded.student, before.score if before else None, after.score if after else None, changes)


def of_result(result: Result) -> Graded:
    answers = {(answer.question, answer.quantity): Answered(answer.verdict, answer.points) for answer in result.answers}
    return Graded(result.student, result.score, answers)


def refuse_lower(changes: Iterable[Difference]) -> None:
    """Raise UsageError where a score gets lower."""
    lower = [change for change in changes if change.is_lower]
    if lower:
        names = listed([f"{visible(change.student)} ({change.before:g} to {change.after or 0:g})" for change in lower])
        raise UsageError(
            "E027", f"grading again lowers the score of {names}", help="add --allow-lower if that is meant"
        )


def read_graded(source: Source, assignment: Assignment) -> dict[str, Graded]:
    """Read the document of an earlier run. Raises UsageError for any other text, and for one of another assignment."""
    try:
        table = json.loads(source.text)
        if table["schema"] != SCHEMA:
            raise unread(source, "it is another document")
        check(table["assignment"], assignment, source)
        return {identity(graded.student): graded for graded in map(of_document, table["submissions"])}
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise unread(source, "it is no document of gradcli check --json") from None


def of_document(table: Mapping[str, Any]) -> Graded:
    answers = {
        (str(answer["question"]), str(answer["quantity"])): Answered(str(answer["verdict"]), points(answer["points"]))
        for answer in table["answers"]
    }
    return Graded(str(table["student"]), points(table["score"]), answers)


def points(value: Any) -> float:
    """Read points. Raises ValueError for those that are not finite, than which none are lower."""
    if not isfinite(number := float(value)):
        raise ValueError(value)
    return number


def check(old: Mapping[str, Any], assignment: Assignment, source: Source) -> None:
    """Refuse the document of another assignment: one of another name and title, or without a common question."""
    common = {question["id"] for question in old["questions"]} & {question.id for question in assignment.questions}
    if not common or not assignment.is_called(old["title"], old["file"]):
        title = visible(str(old["title"] or old["file"]))[:60]
        raise unread(source, f"it is about another assignment, {title}")


def unread(source: Source, why: str) -> UsageError:
    return UsageError("E027", f"cannot compare with {visible(source.name)}: {why}", help=HELP)
