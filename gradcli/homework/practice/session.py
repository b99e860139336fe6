"""A session: one quantity after another, what a student learns after each answer, and the score.

An answer is judged and diagnosed as homework is. After a wrong one the student may type another, or ask for a hint:
each hint shows the next level of disclosure, and with the right answer the quantity is over.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field, replace
from itertools import cycle

import numpy as np

from gradcli.facts import dataclass
from gradcli.homework.assignment.assignments import Ask, Assignment, Question
from gradcli.homework.assignment.choices import Draws
from gradcli.homework.disclosure import LEVELS, revealed
from gradcli.homework.key import Key
from gradcli.homework.mistakes.pen import ROUNDING
from gradcli.homework.model import CREDITED, Marked, Result, added
from gradcli.homework.practice.drawing import fresh
from gradcli.homework.submission.submissions import Given

HELPED = 0.5  # of the points, for an answer that is right only after a wrong one or a hint
FREE = frozenset(("unreadable", "precision", "missing"))  # verdicts that cost nothing: it is typed once more
VERDICT, RULE, VALUE = LEVELS[0], LEVELS[-2], LEVELS[-1]


@dataclass
class Score:
    """The score so far: how many quantities were right at once, right after help, and given up, and the points."""

    at_once: int = 0
    with_help: int = 0
    given_up: int = 0
    points: float = 0.0
    max_points: float = 0.0

    @property
    def asked(self) -> int:
        return self.at_once + self.with_help + self.given_up

    def add(self, points: float, *, is_right: bool, is_helped: bool) -> None:
        """Count one quantity that is over."""
        self.at_once += is_right and not is_helped
        self.with_help += is_right and is_helped
        self.given_up += not is_right
        self.max_points = added((self.max_points, points))
        self.points = added((self.points, points * (HELPED if is_helped else 1.0) * is_right))


@dataclass(frozen=True, slots=True)
class Told:
    """An answer as it may be shown now: at a level of disclosure, and whether the quantity is over."""

    answer: Marked
    level: str
    is_over: bool

    @property
    def is_right(self) -> bool:
        return self.answer.verdict in CREDITED


@dataclass
class Exercise:
    """One quantity that is asked for: the `number`-th of `count`. With `is_new` a question begins."""

    key: Key
    ask: Ask
    number: int
    count: int
    is_new: bool
    score: Score = field(repr=False)
    last: Marked | None = None  # the last answer that could be read, and was wrong
    level: str = VERDICT
    tips: int = 0  # that were given before an answer
    is_over: bool = False

    @property
    def question(self) -> Question:
        return self.key.question

    def answer(self, text: str) -> Told:
        """Judge an answer; one that cannot be read, or has too few digits, costs nothing."""
        marked = self.judged(text)
        if marked.verdict in CREDITED:
            self.end(is_right=True)
        elif marked.verdict not in FREE:
            self.last, self.level = marked, VERDICT
        return self.disclose(marked, VERDICT)

    def hint(self) -> Told | None:
        """Tell more about the last wrong answer; None where there is none yet.

        Where no mistake is known, that is told first, and then the right answer.
        """
        if self.last is None:
            return None
        self.level = next(level for level in LEVELS[LEVELS.index(self.level) + 1 :] if self.tells_more(level))
        if self.level == VALUE:
            self.end(is_right=False)
        return self.disclose(self.last, self.level)

    def tells_more(self, level: str) -> bool:
        """Whether a level of disclosure shows something that is not shown now."""
        assert self.last is not None
        if level == VALUE:
            return True
        now, then = (self.disclose(self.last, disclosed_level).answer for disclosed_level in (self.level, level))
        if (then.diagnoses, then.ledger, then.remark) != (now.diagnoses, now.ledger, now.remark):
            return True
        return level == RULE and not (then.diagnoses or then.ledger or then.remark)

    def give_up(self) -> Told:
        """Tell the right answer, and all about the last wrong one."""
        self.end(is_right=False)
        return self.disclose(self.last or self.judged(None), VALUE)

    def judged(self, text: str | None) -> Marked:
        given = {self.ask.quantity: [Given(self.question.id, self.ask.written, text)]}
        marked = next(answer for answer in self.key.mark(given, "") if answer.quantity == self.ask.written)
        is_off = any(cause.code == ROUNDING.code for cause in marked.diagnoses)  # its own digits are not right either
        return replace(marked, verdict="wrong") if marked.verdict == "precision" and is_off else marked

    def disclose(self, marked: Marked, level: str) -> Told:
        """Return the part of a mark that a level shows; a wrong shape is named from the first hint on."""
        shown = revealed(Result("", "", (marked,)), level).answers[0]
        if marked.verdict == "shape" and level not in (VERDICT, VALUE):
            shape = np.shape(marked.expected)
            shown = replace(shown, remark=f"its shape should be {shape}" if shape else "it should be a single number")
        return Told(shown, level, self.is_over)

    def end(self, *, is_right: bool) -> None:
        self.is_over = True
        self.score.add(self.ask.points, is_right=is_right, is_helped=bool(self.last or self.tips))


class Session:
    """The quantities of an assignment in order, each question with fresh values; `count` of them, or each once.

    Raises UsageError for a question without an answer, before anything is asked.
    """

    def __init__(self, assignment: Assignment, seed: int, count: int | None = None) -> None:
        for question in assignment.questions:
            question.computing()
            Key(question, assignment)
        self.assignment, self.seed = assignment, seed
        self.count = count or sum(len(question.asks) for question in assignment.questions)
        self.score = Score()

    def __iter__(self) -> Iterator[Exercise]:
        number = 0
        for turn, question in enumerate(cycle(self.assignment.questions)):
            key = fresh(question, self.assignment, Draws(b"", str(self.seed), str(turn)))
            for place, ask in enumerate(question.asks):
                number += 1
                yield Exercise(key, ask, number, self.count, place == 0, self.score)
                if number == self.count:
                    return
