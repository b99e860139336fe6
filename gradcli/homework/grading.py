"""Grading: each answer of a submission goes to its question, and the submissions of a class to several processes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path

from gradcli.homework.assignment.assignments import Assignment
from gradcli.homework.assignment.quantities import Quantity
from gradcli.homework.disclosure import WITHHELD
from gradcli.homework.model import Marked, Result
from gradcli.homework.solve.key import Key, on_one_line
from gradcli.homework.submission.files import students_of
from gradcli.homework.submission.submissions import Given, Submission, submissions

BATCH = 16  # submissions that a process grades at a time


class Grader:
    """Grades submissions for one assignment. A pickled grader is its assignment, and makes the keys again."""

    def __init__(self, assignment: Assignment) -> None:
        self.assignment = assignment
        self.keys = {question.id: Key(question, assignment) for question in assignment.questions}

    def __reduce__(self) -> tuple[type[Grader], tuple[Assignment]]:
        return Grader, (self.assignment,)

    def grade(self, submission: Submission) -> Result:
        """Return the verdicts on a submission, question by question, and then on answers that were not asked for."""
        given: dict[str, dict[Quantity, list[Given]]] = {id: {} for id in self.keys}
        unknown: list[Marked] = []
        for one in submission.given:
            key = self.keys.get(one.question)
            quantity = key.quantity(one.quantity) if key else None
            if key and quantity is not None and quantity in key.expected:
                given[one.question].setdefault(quantity, []).append(one)
            elif one.text is not None:
                why = "this was not asked" if key else self.no_question(one.question)
                text = on_one_line(one.text)
                unknown.append(Marked(one.question, one.quantity, text, WITHHELD, "unreadable", 0.0, 0.0, why))
        answers = [answer for id, key in self.keys.items() for answer in key.mark(given[id], submission.unreadable)]
        remarks = (submission.unreadable, *submission.remarks) if submission.unreadable else submission.remarks
        told = (remarks, submission.unreadable, submission.reason)
        return preferred(Result(submission.file, submission.student, (*answers, *unknown), *told))

    def grade_all(self, batch: Sequence[Submission]) -> list[Result]:
        return [self.grade(submission) for submission in batch]

    def no_question(self, name: str) -> str:
        close = [id for id in self.keys if id.casefold() == name.casefold()]
        if close:
            return f"there is no such question; did you mean [{close[0]}]?"
        return "there is no such question" if name else "no [question] stands above it"


def graded(grader: Grader, files: Sequence[Path], jobs: int = 1) -> Iterator[Result]:
    """Yield the results of all submissions in the files, in order, graded in `jobs` processes.

    A file that cannot be read gives an unreadable result. Raises EvaluationError where a process dies.
    """
    handed_in = (s for file, student in zip(files, students_of(files), strict=True) for s in submissions(file, student))
    if jobs == 1:
        yield from map(grader.grade, handed_in)
        return
    from gradcli.workers import mapped  # here: multiprocessing takes 3 % of a check in one process

    batches = iter(lambda: list(islice(handed_in, BATCH)), [])
    for results in mapped(grader.grade_all, batches, jobs):
        yield from results


def preferred(result: Result) -> Result:
    """Sort the diagnoses: a mistake that explains several answers to a question comes first."""
    counts = Counter(
        (answer.question, code) for answer in result.answers for code in {d.code for d in answer.diagnoses}
    )
    if not counts or max(counts.values()) == 1:
        return result

    def in_order(answer: Marked) -> Marked:
        found = sorted(answer.diagnoses, key=lambda one: (" + " in one.code, -counts[answer.question, one.code]))
        return replace(answer, diagnoses=tuple(found))

    return replace(result, answers=tuple(map(in_order, result.answers)))
