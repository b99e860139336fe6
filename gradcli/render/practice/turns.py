"""The turns of a session as texts: a process of its own computes them, and another talks with the student."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from gradcli.errors import GradcliError
from gradcli.homework.assignment.assignments import Assignment
from gradcli.homework.practice.session import Exercise, Session, Told
from gradcli.render.documents.explanation import Document
from gradcli.render.practice import page, records
from gradcli.render.text.error import error_document
from gradcli.render.text.looks import Looks
from gradcli.stream.values import dump
from gradcli.workers.notes import part

Move = tuple[str, str]  # its kind, and the text of an answer
NEXT: Move = ("next", "")  # asks for the next quantity
JUDGING = "judging"  # the part of work in which an answer is judged


class Turn(NamedTuple):
    """What a move leads to: `prompt` asks for a quantity, or is "" where it is over; then all may be `complete`.

    `score` is what to show if nothing comes after this turn.
    """

    shown: str
    prompt: str
    is_complete: bool
    score: str


class Turns:
    """The work of a process, on pages with some looks or, without any, in records.

    It is called with all moves so far, and makes those that it has not made: another process can go on.
    """

    def __init__(self, assignment: Assignment, seed: int, count: int | None, looks: Looks | None) -> None:
        self.assignment, self.seed, self.count, self.looks = assignment, seed, count, looks
        self.made = 0
        self.turn = ("", "", False, "")

    def __call__(self, moves: Sequence[Move]) -> tuple[str, str, bool, str]:
        """Return the turn of the last move. Raises UsageError for a question without an answer."""
        for kind, text in moves[self.made :]:
            self.turn = self.asked() if kind == NEXT[0] else self.told(kind, text)
            self.made += 1
        return self.turn

    def asked(self) -> tuple[str, str, bool, str]:
        """Go on to the next quantity, if there is one."""
        shown = ""
        if not self.made:
            self.session = Session(self.assignment, self.seed, self.count)
            self.exercises = iter(self.session)
            if self.looks is not None:
                shown = page.opening_page(self.assignment, self.session.count, self.looks) + "\n"
        self.exercise: Exercise | None = next(self.exercises, None)
        if self.exercise is None:
            return "", "", True, self.score()
        one = self.exercise
        if self.looks is None:
            new = [records.question(one.question)] if one.is_new else []
            return lines([*new, records.ask(one)]), "?", False, self.score()
        shown += f"{page.question_page(one.question, self.looks)}\n\n" if one.is_new else ""
        shown += page.choices_page(one, self.looks)
        return shown, page.prompt(one, self.looks), False, self.score()

    def told(self, kind: str, text: str) -> tuple[str, str, bool, str]:
        """Answer a move about the quantity that is asked for."""
        part(JUDGING)
        assert self.exercise is not None
        one = self.exercise
        told = one.answer(text) if kind == "answer" else one.hint() if kind == "hint" else one.give_up()
        prompt = "" if one.is_over else "?" if self.looks is None else page.prompt(one, self.looks)
        return self.telling(told), prompt, False, self.score()

    def telling(self, told: Told | None) -> str:
        if self.looks is None:
            return lines([records.nothing() if told is None else records.told(told)])
        return page.told_page(told, self.looks) + "\n"

    def score(self) -> str:
        """Return the score as the end of the session."""
        score = self.session.score
        is_complete = score.asked == self.session.count
        if self.looks is None:
            return lines([records.score(score, self.seed, is_complete=is_complete)])
        return "\n" * (not is_complete) + "\n" + page.score_page(score, self.seed, self.looks) + "\n"


def lines(documents: Iterable[Document]) -> str:
    """Write records, a line each."""
    return "".join(f"{dump(document, ascii=True)}\n" for document in documents)


def failed(error: GradcliError) -> str:
    """Write the record of an error."""
    return lines([error_document(error.facts())])
