"""Fresh values for a question, drawn as those of a sheet are: until no wrong method gives the right answer.

What varies from sheet to sheet varies here; the values of any other question become numbers near to its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from gradcli.errors import GradcliError, UsageError
from gradcli.explanation.lines import FAILURES
from gradcli.facts import dataclass
from gradcli.homework.assignment.assignments import Ask, Assignment, Question
from gradcli.homework.assignment.choices import Choice, Draws
from gradcli.homework.course.sheets import QuestionSheets
from gradcli.homework.diagnose.contributions import said
from gradcli.homework.diagnose.detection import SINGLE, Suspects
from gradcli.homework.key import Key
from gradcli.homework.lint.lint import FACTORS, of_question, rounded
from gradcli.homework.model import Value
from gradcli.source import Source

if TYPE_CHECKING:
    from gradcli.homework.assignment.assignments import Assignment

TENSORS = 40  # that a tensor may become
TRIED = 40  # snippets with other numbers, before one keeps its own
NUMBER = re.compile(r"(?<![\w.=])\d+\.\d*(?![\w.])")  # of a snippet; not `lr=0.1`, nor whole numbers, which are sizes


def fresh(question: Question, assignment: Assignment, draws: Draws) -> Key:
    """Return the key of a question with other values, or with its own where none are found that do."""
    question.computing()
    if question.is_script and not question.varies:
        return fresh_snippet(question, assignment, draws)
    varies = question.varies or {name: near_to(value, draws) for name, value in question.at.items()}
    if not varies:
        return Key(question, assignment)
    try:
        return Key(
            question.moved(QuestionSheets(replace(question, varies=varies), assignment).drawn(draws)), assignment
        )
    except UsageError:
        return Key(question, assignment)


def fresh_snippet(question: Question, assignment: Assignment, draws: Draws) -> Key:
    """Return the key of a snippet with other numbers in its text."""
    for _ in range(TRIED):
        question.computing()
        text = NUMBER.sub(lambda match: repr(near(float(match[0]), draws)), question.source.text)
        try:
            key = Key(replace(question, source=Source(text, question.source.name)), assignment)
        except UsageError:  # with these numbers it ends in an error, or has no answer
            continue
        if all(finding.help for finding in of_question(key)):
            return key
    return Key(question, assignment)


def near_to(value: Value, draws: Draws) -> Choice:
    """Return the choice of values with the shape and the signs of one."""
    if np.ndim(value) == 0:
        return Choice(tuple(np.float64(rounded(float(value) * factor)) for factor in FACTORS))
    entries = np.ravel(value).tolist()
    drawn = ([near(entry, draws) for entry in entries] for _ in range(TENSORS))
    return Choice(tuple(np.reshape(np.array(numbers, np.float64), np.shape(value)) for numbers in drawn))


def near(value: float, draws: Draws) -> float:
    """Draw a number of the same sign, with two digits."""
    return rounded(value * FACTORS[draws.below(len(FACTORS))])


LARGEST = 36  # entries of an answer that anybody would type
MOST = 24  # mistakes of one quantity


@dataclass(frozen=True, slots=True)
class Prepared:
    """One quantity of a question at some values; `wrong` are numbers with the mistakes behind them."""

    key: Key
    ask: Ask
    answer: Value
    wrong: tuple[tuple[Value, str], ...]


def sheet(assignment: Assignment, seed: int) -> Iterator[Prepared]:
    """Yield the exercises of an assignment with fresh values; those whose answers are numbers."""
    for turn, question in enumerate(assignment.questions):
        key = fresh(question, assignment, Draws(b"", str(seed), str(turn)))
        for ask in question.asks:
            answer = key.expected[ask.quantity]
            if is_number(ask, answer) and np.size(answer) <= LARGEST:
                yield Prepared(key, ask, np.asarray(answer), tuple(mistakes(key, ask, np.asarray(answer))))


def is_number(ask: Ask, answer: Value) -> bool:
    """Whether a number or a tensor is asked for, and no formula, choice, yes or no."""
    is_asked = ask.form == "number" and not ask.words.choices and not isinstance(answer, bool | np.bool_)
    return is_asked and isinstance(answer, int | float | np.number | np.ndarray)


def mistakes(key: Key, ask: Ask, answer: Value) -> Iterator[tuple[Value, str]]:
    """Yield known wrong numbers for a quantity, likely ones first, each once."""
    problem = key.problems[ask.quantity]
    if problem is None:
        return
    seen: set[bytes] = {np.round(answer.astype(float), 9).tobytes()}
    with suppress(GradcliError, *FAILURES), np.errstate(all="ignore"):
        shelf = Suspects(problem).shelf(problem.by, SINGLE).get(np.shape(answer))
        pairs = [] if shelf is None else zip(shelf.suspects, shelf.numbers, strict=True)
        for suspect, value in sorted(pairs, key=lambda pair: pair[0].rank):
            rounded = np.round(np.asarray(value, float), 9).tobytes()
            if np.all(np.isfinite(value)) and rounded not in seen and len(seen) <= MOST:
                seen.add(rounded)
                yield np.asarray(value), said(suspect)
