"""The values of one student's sheet: drawn until nothing in a question lets a wrong method through."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import replace
from functools import cached_property, partial
from itertools import islice

import numpy as np

from gradcli.errors import UsageError
from gradcli.homework.assignment.assignments import Assignment, Question
from gradcli.homework.assignment.choices import Draws
from gradcli.homework.course.variants import At, Sheet, Variants
from gradcli.homework.diagnose.detection import Suspects
from gradcli.homework.key import Key
from gradcli.homework.lint.lint import of_question, shut, troubles, zeros
from gradcli.homework.solve.solution import Solution
from gradcli.homework.submission.names import identity

SHORTEST = 8  # characters of a secret that nobody guesses
TRIED = 200  # draws for one question, before it is given up
TOLD = 3  # values, and reasons, in a message


def handed_out(
    assignment: Assignment,
    students: Iterable[str],
    secret: bytes,
    before: Variants | None = None,
    sheets: Sheets | None = None,
) -> Iterator[Sheet]:
    """Yield the sheet of every student: the one that was handed out before, if there is one, else a new one."""
    sheets, name = sheets or Sheets(assignment), assignment.title or assignment.file
    for student in students:
        sheet = before.of(student) if before else None
        yield sheet or Sheet(student, sheets.of(secret, name, identity(student)))


def example(assignment: Assignment) -> Assignment:
    """Return an assignment with values that are fit for a sheet where there are some, to look at."""
    sheets = Sheets(assignment)
    questions = []
    for question in assignment.questions:
        with suppress(UsageError):
            question_sheets = sheets.questions.get(question.id)
            question = question.moved(question_sheets.drawn(Draws(b"", question.id))) if question_sheets else question
        questions.append(question)
    return replace(assignment, questions=tuple(questions))


def read_secret(text: str, file: str) -> bytes:
    """Return the secret of a course, the spaces around it left out. Raises UsageError for one that is guessed."""
    secret = text.strip()
    if len(secret) < SHORTEST:
        what = f"{file} is empty" if not secret else f"the secret in {file} has fewer than {SHORTEST} characters"
        raise UsageError(
            "E024", what, help=f"make one, and keep it for the whole course: openssl rand -hex 16 > {file}"
        )
    return secret.encode("utf-8", "surrogatepass")


class Sheets:
    """Draws the values of the questions of an assignment that vary; equal draws are looked into once."""

    def __init__(self, assignment: Assignment) -> None:
        self.questions = {
            question.id: QuestionSheets(question, assignment) for question in assignment.questions if question.varies
        }

    def of(self, secret: bytes, assignment: str, student: str) -> dict[str, At]:
        """Return the values of a student's sheet by question. Raises UsageError where none will do."""
        return {id: sheets.drawn(Draws(secret, assignment, id, student)) for id, sheets in self.questions.items()}

    @property
    def lasting(self) -> dict[str, list[str]]:
        """The faults by question that are on every sheet that was drawn: no values mend them."""
        return {id: list(sheets.lasting.values()) for id, sheets in self.questions.items() if sheets.lasting}


class QuestionSheets:
    """The values that one question has on different sheets."""

    def __init__(self, question: Question, assignment: Assignment) -> None:
        self.question, self.assignment = question, assignment
        self.count = 1
        for choice in question.varies.values():
            self.count *= choice.count
        self.tried: dict[str, tuple[At, str]] = {}  # each with its first fault, "" for none
        self.lasting: dict[str, str] = {}  # by quantity

    @cached_property
    def key(self) -> Key:
        return Key(self.question, self.assignment)

    @property
    def is_alone(self) -> bool:
        """Whether all values were tried, and those of one sheet alone have no fault."""
        return len(self.tried) == self.count and [fault for _, fault in self.tried.values()].count("") == 1

    def drawn(self, draws: Draws) -> At:
        """Return values without any fault. Raises UsageError, which names the faults of those that were tried."""
        for _ in range(TRIED):
            at = {name: choice.drawn(draws) for name, choice in self.question.varies.items()}
            written = repr(at)
            if written not in self.tried:
                self.question.computing()
                with np.errstate(all="ignore"):
                    self.tried[written] = at, next(self.faults(at), "")
            if not self.tried[written][1]:
                return at
            if len(self.tried) == self.count and all(fault for _, fault in self.tried.values()):
                break
        raise self.refused()

    def faults(self, at: At) -> Iterator[str]:
        """Yield the faults of some values."""
        if self.question.is_script:
            yield from self.faults_of_snippet(at)
            return
        solution = self.key.solution
        assert isinstance(solution, Solution)
        graph = solution.moved(at)
        if dead := [*zeros(graph), *shut(graph)]:
            yield from dead
            return
        shared: dict[tuple[int, str], Suspects] = {}  # as the problems of one output share their cache
        for ask in self.question.asks:
            problem = self.key.problems[ask.quantity]
            if problem is not None:
                of = (id(problem.cache), problem.kind)
                suspects = shared.setdefault(of, Suspects(replace(problem, graph=graph, cache={})))
                moved = suspects.problem.at(problem.by)
                own_mistakes = partial(self.key.investigation.own_mistakes, ask)
                faults = troubles(ask, moved.truth, moved, own_mistakes, suspects)
                yield from self.mended((ask.written, message, help) for _, message, help in faults)

    def faults_of_snippet(self, at: At) -> Iterator[str]:
        """Yield the faults of a snippet with other numbers."""
        try:
            key = Key(self.question.moved(at), self.assignment)
        except UsageError as error:
            yield error.message
            return
        yield from self.mended((fault.quantity, fault.message, fault.help) for fault in of_question(key))

    def mended(self, faults: Iterable[tuple[str, str, str]]) -> Iterator[str]:
        """Yield the faults that other values would mend, and keep the others; of quantity, sentence and help."""
        for quantity, message, help in faults:
            if help:
                self.lasting.setdefault(quantity, f"{message}; {help}")
            else:
                yield message

    def refused(self) -> UsageError:
        """Return the error of a question for which no values are found, with all faults of some that were tried."""
        with np.errstate(all="ignore"):
            faults = dict.fromkeys(fault for at, _ in islice(self.tried.values(), TOLD) for fault in self.faults(at))
        text = "; ".join(islice(faults, TOLD))
        name = next(iter(self.question.varies))
        tried = f"of the {len(self.tried)} values tried" if self.count > len(self.tried) else f"of its {self.count}"
        return self.question.refused(
            self.question.value_place(name), f"no value {tried} is fit for a sheet: {text}", "give it other values"
        )
