"""The answers to expect to an assignment: the right ones, and those of known mistakes with their verdicts.

Other tools compare a number with a list of numbers, each with a tolerance. Here that is half a unit in the third
digit, as grading asks for three, but never so much that two numbers of the list meet in the middle. A question whose
values differ from sheet to sheet comes in several versions, and the other tool gives each student one of them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import floor, log10
from typing import Any

import numpy as np

from gradcli.facts import dataclass
from gradcli.homework.answer_file import answer, answers
from gradcli.homework.assignment.assignments import Ask, Assignment, Question
from gradcli.homework.assignment.choices import Draws
from gradcli.homework.course.sheets import QuestionSheets
from gradcli.homework.diagnose.detection import SINGLE, Suspects
from gradcli.homework.disclosure import revealed
from gradcli.homework.grading import Grader
from gradcli.homework.key import Key
from gradcli.homework.model import Marked, Result, Value
from gradcli.homework.solve.words import NO_ERROR
from gradcli.homework.submission.numerals import ENOUGH, Tolerance
from gradcli.homework.submission.submissions import Given, Submission

MOST = 40  # wrong numbers of one quantity
ALIKE = 3  # of them by the same mistake, such as steps of several lengths
LARGEST = 24  # entries of a tensor that anybody types into boxes
VERSIONS = 8  # of a question whose values vary
APART = 0.49  # of the distance to the next number


@dataclass(frozen=True, slots=True)
class Number:
    """One number to expect, and how far from it an answer may be; `verdict` is about the whole answer it is from."""

    value: Any
    tolerance: float
    verdict: Marked


@dataclass(frozen=True, slots=True)
class Foreseen:
    """One quantity, of the `version` that counts from 1, or 0 where all have the same values.

    `entries` are the entries of the answer by index, each with the numbers to expect, the right one first.
    They are empty where the answer is no number, or of too many entries: then `right` is its text, "" for a long one.
    """

    question: Question
    ask: Ask
    right: str
    entries: tuple[tuple[tuple[int, ...], tuple[Number, ...]], ...]
    version: int = 0

    @property
    def is_formula(self) -> bool:
        return self.ask.form == "expression"

    @property
    def texts(self) -> tuple[str, ...]:
        """The right answers in words, each on one line as it is typed; an error also by its type."""
        more: tuple[str, ...] = ()
        if self.ask.quantity.kind == "raises":
            more = NO_ERROR if self.right == NO_ERROR[0] else (self.right.partition(": ")[0],)
        right_texts = (self.right, *self.ask.words.accept, *more)
        return tuple(dict.fromkeys(" ".join(text.split()) for text in right_texts))


def foreseen(assignment: Assignment, level: str) -> Iterator[Foreseen]:
    """Yield every quantity of an assignment, the versions of one together.

    Verdicts tell as much as a level of disclosure allows. Code is left out: nobody types its numbers.
    """
    for question in assignment.questions:
        if question.code:
            continue
        graders = [Grader(replace(assignment, questions=(variant,))) for variant in versions(question, assignment)]
        for ask in question.asks:
            for number, grader in enumerate(graders, 1):
                (key,) = grader.keys.values()
                truth = key.expected[ask.quantity]
                numbers = () if ask.form == "expression" else tuple(entries(grader, key, ask, truth, level))
                version = number if question.varies else 0
                yield Foreseen(key.question, ask, answers(key)[ask.written], numbers, version)


def versions(question: Question, assignment: Assignment) -> list[Question]:
    """Return a question with different values, or alone where they do not vary."""
    if not question.varies:
        return [question]
    sheets, draws = QuestionSheets(question, assignment), Draws(b"", question.id)
    drawn = [sheets.drawn(draws) for _ in range(VERSIONS)]
    return [question.moved(at) for at in {repr(at): at for at in drawn}.values()]


def entries(
    grader: Grader, key: Key, ask: Ask, truth: Value, level: str
) -> Iterator[tuple[tuple[int, ...], tuple[Number, ...]]]:
    """Yield the entries of a number or an array of numbers, none for any other answer."""
    if not is_numeric(truth):
        return
    right = judged(grader, key, ask, truth)
    candidates = [(truth, right), *wrong(grader, key, ask)]
    shown = [(value, revealed(Result("", "", (verdict,)), level).answers[0]) for value, verdict in candidates]
    for index in np.ndindex(np.shape(truth)):
        yield index, tuple(spaced([(np.asarray(value)[index], verdict) for value, verdict in shown], key.tolerance))


def is_numeric(truth: Value) -> bool:
    """Whether an answer is typed as a few finite numbers."""
    if truth is None or isinstance(truth, bool | str):
        return False
    array = np.asarray(truth)
    return array.dtype.kind in "fiu" and 0 < array.size <= LARGEST and bool(np.all(np.isfinite(array)))


def wrong(grader: Grader, key: Key, ask: Ask) -> Iterator[tuple[Value, Marked]]:
    """Yield the numbers that known mistakes give, likely ones first, with the verdicts on them as answers."""
    problem = key.problems[ask.quantity]
    if problem is None:
        return
    with np.errstate(all="ignore"):
        given = [(s.rank, n, value) for n, (s, value) in enumerate(Suspects(problem).given(problem, SINGLE))]
    seen: set[str] = set()
    counts: Counter[tuple[str, str, str]] = Counter()
    for _, _, value in sorted(given, key=lambda ranked: ranked[:2]):
        if value is None or np.shape(value) != np.shape(problem.truth) or not np.all(np.isfinite(value)):
            continue
        text = answer(np.asarray(value)[()])
        if text not in seen and len(seen) < MOST:
            verdict = judged(grader, key, ask, value)
            alike = next(((diagnosis.code, diagnosis.node, diagnosis.message) for diagnosis in verdict.diagnoses), None)
            if verdict.verdict == "wrong" and alike and counts[alike] < ALIKE:
                counts[alike] += 1
                seen.add(text)
                yield np.asarray(value), verdict


def judged(grader: Grader, key: Key, ask: Ask, value: Value) -> Marked:
    """Return the verdict on a value, alone in a submission."""
    text = answer(np.asarray(value)[()])
    result = grader.grade(Submission("", "", (Given(key.question.id, ask.written, text),)))
    return next(mark for mark in result.answers if (mark.question, mark.quantity) == (key.question.id, ask.written))


def spaced(judged_numbers: Sequence[tuple[Any, Marked]], tolerance: Tolerance) -> Iterator[Number]:
    """Yield distinct numbers with tolerances: of two that nobody could tell apart the first stays."""
    kept: dict[Any, Marked] = {}
    for value, verdict in judged_numbers:
        if all(abs(float(value) - float(other)) > 2 * strict(other, tolerance) for other in kept):
            kept[value] = verdict
    for value, verdict in kept.items():
        gap = min((abs(float(value) - float(other)) for other in kept if other is not value), default=np.inf)
        allowed = max(strict(value, tolerance), min(rounded(value, tolerance), APART * gap))
        yield Number(value, float(f"{allowed:.3g}"), verdict)


def strict(value: Any, tolerance: Tolerance) -> float:
    return tolerance.atol + tolerance.rtol * abs(float(value))


def rounded(value: Any, tolerance: Tolerance) -> float:
    """Return half a unit in the last digit that grading asks for."""
    digits = tolerance.precision or ENOUGH
    return float(0.5 * 10.0 ** (floor(log10(abs(value))) - digits + 1)) if value else 0.0
