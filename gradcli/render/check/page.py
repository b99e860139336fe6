"""The page of `gradcli check` for one student: every answer, with diagnoses below a wrong one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gradcli.homework.assignment.assignments import Assignment
from gradcli.homework.model import VERDICTS, Marked, Result
from gradcli.render.check.marking import (
    NAME,
    SENTENCE,
    below,
    clipped,
    difference,
    expected,
    given,
    mark,
    percent,
    points,
)
from gradcli.render.text.layout import Row, Section, lay_out
from gradcli.render.text.looks import Looks

MOST = 200  # answers of a page, unless all are asked for: a file may hold any number that nobody asked for
REMARKS = 10
ANSWERS = ("quantity", "points", "answer", "verdict", "right answer", "difference")
KINDS = {"correct": "right", "carried": "right", "precision": "partly", "missing": "aside"}


def check_page(result: Result, looks: Looks, *, assignment: Assignment | None = None, all: bool = False) -> str:
    """The whole page as text; `assignment` gives the texts of the questions."""
    head = Section("", [Row((title(result, looks),), "title")])
    return lay_out([head, *check_sections(result, looks, assignment=assignment, all=all)], looks)


def check_sections(result: Result, looks: Looks, *, assignment: Assignment | None, all: bool) -> list[Section]:
    """Return the sections below the title: the questions, then remarks on the file."""
    texts = {question.id: question.text for question in assignment.questions} if assignment else {}
    answers = result.answers if all else result.answers[:MOST]
    sections = []
    for question, marked in by_question(answers).items():
        sections.append(Section(heading(marked, texts.get(question, ""), looks), list(rows(marked, looks)), ANSWERS))
    hidden = len(result.answers) - len(answers)
    if hidden:
        rest = f"{looks.ellipsis} {hidden:,} more answers: --all shows each"
        sections.append(Section("", [Row((rest,), "aside")]))
    if remarks := of_file(result, looks):
        sections.append(Section("The file", remarks))
    return sections


def of_file(result: Result, looks: Looks) -> list[Row]:
    """Return the notes and the remarks on a file, as many as are shown."""
    rows = [Row((clipped(note, SENTENCE, looks),), "aside") for note in result.notes]
    rows += [Row((clipped(remark, SENTENCE, looks),), "note") for remark in result.remarks[:REMARKS]]
    more = len(result.remarks) - REMARKS
    return [*rows, Row((f"and {more:,} more",), "aside")] if more > 0 else rows


def by_question(answers: Sequence[Marked]) -> dict[str, list[Marked]]:
    """Return the answers by question, in the order in which the questions come first."""
    groups: dict[str, list[Marked]] = {}
    for answer in answers:
        groups.setdefault(answer.question, []).append(answer)
    return groups


def title(result: Result, looks: Looks) -> str:
    """The student and the score."""
    return f"{whose(result, looks)}   {scored(result)}"


def scored(result: Result) -> str:
    score, share = points(result.score, result.max_score), percent(result.score, result.max_score)
    return f"{score} points{f' ({share})' if share else ''}" if score else "no answers"


def whose(result: Result, looks: Looks) -> str:
    """The student, with the name that a roster has: `Ada Lovelace (ada)`."""
    student = clipped(result.student, NAME, looks)
    return f"{clipped(result.name, NAME, looks)} ({student})" if result.name else student


def heading(answers: Sequence[Marked], text: str, looks: Looks) -> str:
    """A question: its name, the points, and the first line of its text."""
    scored = points(sum(a.points for a in answers), sum(a.max_points for a in answers))
    first = text.strip().partition("\n")[0]
    about = f": {clipped(first, 2 * NAME, looks)}" if first else ""
    return f"{clipped(answers[0].question, NAME, looks)}{f' ({scored})' if scored else ''}{about}"


def rows(answers: Sequence[Marked], looks: Looks) -> Iterator[Row]:
    """Yield the answers to a question in columns, with remarks and diagnoses below each."""
    for answer in answers:
        yield Row(_cells(answer, looks), KINDS.get(answer.verdict, "wrong"))
        text = "\n".join(below(answer, looks)).replace("; or ", ";\nor ")  # of several mistakes, a line each
        yield from (Row(("   ", line), "below") for line in text.split("\n") if line)


def _cells(answer: Marked, looks: Looks) -> tuple[str, ...]:
    right = expected(answer, looks)
    return (
        f"{mark(answer.verdict, looks)} {clipped(answer.quantity, NAME, looks)}",
        points(answer.points, answer.max_points),
        given(answer, looks),
        VERDICTS[answer.verdict],
        f"right is {right}" if right else "",
        difference(answer, looks),
    )
