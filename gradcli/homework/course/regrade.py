"""Changes by grading again: today's results against an earlier document of `gradcli check --json`."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from math import isfinite
from typing import Any

from gradcli.errors import UsageError
from gradcli.facts import dataclass
from gradcli.homework.assignment.assignments import Assignment
from gradcli.homework.model import Result
from gradcli.homework.submission.names import identity
from gradcli.homework.wording import listed
from gradcli.source import Source, visible

SCHEMA = "gradcli.check/1"
SLACK = 1e-9  # points
HELP = "give what gradcli check --json wrote about the same assignment"


@dataclass(frozen=True, slots=True)
class Answered:
    """The verdict on an answer, and its points."""

    verdict: str
    points: float


@dataclass(frozen=True, slots=True)
class Graded:
    """A student then or now."""

    student: str
    score: float
    answers: Mapping[tuple[str, str], Answered]


@dataclass(frozen=True, slots=True)
class Changed:
    """One answer that changes; None where there was none, or is none any more."""

    question: str
    quantity: str
    before: Answered | None
    after: Answered | None


@dataclass(frozen=True, slots=True)
class Difference:
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
    found = [difference(left.pop(identity(result.student), None), of_result(result)) for result in results]
    found += [difference(one, None) for one in left.values()]
    return [one for one in found if one is not None]


def difference(before: Graded | None, after: Graded | None) -> Difference | None:
    """Return the changes of one student; None where there are none."""
    was, now = before.answers if before else {}, after.answers if after else {}
    places = dict.fromkeys((*now, *was))
    changes = tuple(
        Changed(*place, was.get(place), now.get(place)) for place in places if was.get(place) != now.get(place)
    )
    one = after or before
    if one is None or (before and after and not changes and abs(before.score - after.score) <= SLACK):
        return None
    return Difference(one.student, before.score if before else None, after.score if after else None, changes)


def of_result(result: Result) -> Graded:
    answers = {(one.question, one.quantity): Answered(one.verdict, one.points) for one in result.answers}
    return Graded(result.student, result.score, answers)


def refuse_lower(found: Iterable[Difference]) -> None:
    """Raise UsageError where a score gets lower."""
    lower = [one for one in found if one.is_lower]
    if lower:
        names = listed([f"{visible(one.student)} ({one.before:g} to {one.after or 0:g})" for one in lower])
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
        return {identity(one.student): one for one in map(of_document, table["submissions"])}
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise unread(source, "it is no document of gradcli check --json") from None


def of_document(table: Mapping[str, Any]) -> Graded:
    answers = {
        (str(one["question"]), str(one["quantity"])): Answered(str(one["verdict"]), points(one["points"]))
        for one in table["answers"]
    }
    return Graded(str(table["student"]), points(table["score"]), answers)


def points(value: Any) -> float:
    """Read points. Raises ValueError for those that are not finite, than which none are lower."""
    if not isfinite(found := float(value)):
        raise ValueError(value)
    return found


def check(old: Mapping[str, Any], assignment: Assignment, source: Source) -> None:
    """Refuse the document of another assignment: one of another name and title, or without a common question."""
    common = {one["id"] for one in old["questions"]} & {one.id for one in assignment.questions}
    if not common or not assignment.is_called(old["title"], old["file"]):
        title = visible(str(old["title"] or old["file"]))[:60]
        raise unread(source, f"it is about another assignment, {title}")


def unread(source: Source, why: str) -> UsageError:
    return UsageError("E027", f"cannot compare with {visible(source.name)}: {why}", help=HELP)
