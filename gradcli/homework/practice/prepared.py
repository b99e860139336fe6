"""Exercises that are prepared for a page: the right answer, and the wrong ones with the mistakes behind them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

import numpy as np

from gradcli.errors import GradcliError
from gradcli.explanation.refusals import FAILURES
from gradcli.facts import dataclass
from gradcli.homework.assignment.assignments import Ask, Assignment
from gradcli.homework.assignment.choices import Draws
from gradcli.homework.diagnose.contributions import said
from gradcli.homework.diagnose.detection import SINGLE, Suspects
from gradcli.homework.key import Key
from gradcli.homework.model import Value
from gradcli.homework.practice.drawing import fresh

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
            is_number = ask.form == "number" and not ask.words.choices
            is_number = is_number and not isinstance(answer, bool | np.bool_)
            if is_number and isinstance(answer, int | float | np.number | np.ndarray) and np.size(answer) <= LARGEST:
                yield Prepared(key, ask, np.asarray(answer), tuple(mistakes(key, ask, np.asarray(answer))))


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
