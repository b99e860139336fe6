"""The right answers of one question, and the verdicts on students' answers.

A diagnosis never changes a grade and never raises: the grade stands without it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from functools import cached_property

import numpy as np

from gradcli.homework.assignment.assignments import Ask, Assignment, Question
from gradcli.homework.assignment.quantities import Quantity, read_expression, read_quantity
from gradcli.homework.diagnose.investigation import Investigation
from gradcli.homework.mistakes import pen
from gradcli.homework.model import CREDITED, Marked, Value
from gradcli.homework.solve.carried import Earlier, follows
from gradcli.homework.solve.points import Point, Points, answered
from gradcli.homework.solve.problem import Problem
from gradcli.homework.solve.snippets import SnippetSolution
from gradcli.homework.solve.solution import Solution
from gradcli.homework.solve.verdicts import Verdict, judged_formula, judged_number, judged_word
from gradcli.homework.submission.answers import KEPT as SHORT
from gradcli.homework.submission.answers import Formula, UnreadableError, read_answer, read_number
from gradcli.homework.submission.numerals import Typed
from gradcli.homework.submission.plain.numbers import Comma
from gradcli.homework.submission.plain.reading import Plain, Wanted, read_plain
from gradcli.homework.submission.submissions import Given
from gradcli.homework.wording import listed
from gradcli.workers.notes import at

KEPT = 2**12  # verdicts of a question that are remembered: in a class many answers are the same
SHOWN = 300  # characters of an answer
SAMPLES = 3  # points at which a wrong formula is looked into


class Key:
    """The right answers of one question, ready to grade with; formulas are simplified unless `is_raw`."""

    def __init__(self, question: Question, assignment: Assignment, *, is_raw: bool = False) -> None:
        self.question, self.assignment = question, assignment
        self.tolerance = assignment.tolerance
        self.solution = (SnippetSolution if question.is_script else Solution)(question, is_raw=is_raw)
        self.problems: dict[Quantity, Problem | None] = {}
        self.expected: dict[Quantity, Value] = {}
        for ask in question.asks:
            self.problems[ask.quantity] = self.solution.problem(ask)
            self.expected[ask.quantity] = self.solution.answer(ask)
            if ask.form == "expression":
                self.points.truths(ask)
        self.kinds: dict[Quantity, Wanted] = {}
        self.verdicts: dict[tuple[str, Quantity, str, str], Verdict] = {}
        self.investigation = Investigation(question, self.solution, self.problems, self.at_samples, self.tolerance)

    @cached_property
    def points(self) -> Points:
        assert isinstance(self.solution, Solution)
        return Points(self.question, self.solution)

    def quantity(self, text: str) -> Quantity | None:
        return read_expression(text) if self.question.is_script else read_quantity(text, self.question.output)

    def mark(self, given: Mapping[Quantity, list[Given]], unreadable: str, comma: Comma = "") -> Iterator[Marked]:
        """Yield the answers to this question, in the order it asks; `unreadable` is why none could be read."""
        earlier: dict[Quantity, tuple[Problem, Typed]] = {}
        for ask in self.question.asks:
            at(self.question.id, ask.written)
            lines = given.get(ask.quantity, [])
            text = lines[0].text if lines else None
            if unreadable:
                verdict = Verdict("unreadable")  # why stands once, beside the file
            elif len(lines) > 1 or (lines and lines[0].problem):
                verdict = Verdict("unreadable", lines[0].problem or repeated(lines))
            elif text is None:
                verdict = Verdict("missing")
            else:
                verdict = self.verdict(ask, text, comma, earlier)
            yield Marked(
                self.question.id,
                ask.written,
                None if text is None else on_one_line(text),
                self.expected[ask.quantity],
                verdict.verdict,
                ask.points if verdict.verdict in CREDITED else 0.0,
                ask.points,
                verdict.remark,
                verdict.diagnoses,
                verdict.ledger,
                lines[0].reason if lines and len(lines) == 1 else None,
                verdict.read_as,
            )

    def verdict(self, ask: Ask, text: str, comma: Comma, earlier: dict[Quantity, tuple[Problem, Typed]]) -> Verdict:
        """Return the verdict on an answer; a wrong number is added to `earlier`."""
        verdict = self.remembered(self.judged, ask, text, comma)
        if verdict.verdict not in ("wrong", "shape", "precision"):
            return verdict
        problem, typed, carried = self.problems[ask.quantity], verdict.typed, None
        if problem and typed and verdict.verdict != "shape":
            carried = self.carried(problem, typed, earlier) if verdict.verdict == "wrong" else None
            earlier[ask.quantity] = (problem, typed)  # a number with too few digits leads to others that are off
        found = carried or self.remembered(self.diagnosed, ask, text, comma)
        if problem and verdict.typed and not carried and len(earlier) > (ask.quantity in earlier):
            return self.rebased(ask, found, earlier)
        return found

    def rebased(self, ask: Ask, verdict: Verdict, earlier: Earlier) -> Verdict:
        """Return a verdict with the diagnoses that the student's own earlier numbers give, if there are some."""
        assert verdict.typed is not None
        with suppress(Exception), np.errstate(all="ignore"):
            found = self.investigation.on_own_numbers(ask, verdict.typed, earlier)
            return replace(verdict, diagnoses=found) if found else verdict
        return verdict

    def remembered(self, judge: Callable[[Ask, str, Comma], Verdict], ask: Ask, text: str, comma: Comma) -> Verdict:
        """Return the verdict of `judge`, made once for equal answers of a class unless they are large."""
        known = (judge.__name__, ask.quantity, text, comma)
        if known in self.verdicts:
            return self.verdicts[known]
        verdict = judge(ask, text, comma)
        if len(text) <= SHORT and (verdict.typed is None or np.size(verdict.typed.value) <= SHORT):
            if len(self.verdicts) >= KEPT:
                self.verdicts.clear()
            self.verdicts[known] = verdict
        return verdict

    def judged(self, ask: Ask, text: str, comma: Comma) -> Verdict:
        """Return the verdict on an answer, without diagnoses."""
        expected = self.expected[ask.quantity]
        try:
            plain = self.plain(ask, text, comma)
            if ask.form == "expression":
                verdict = judged_formula(plain, self.points.truths(ask))
            elif expected is None or isinstance(expected, bool | str):
                verdict = judged_word(plain.text, expected)
            else:
                assert not isinstance(plain.read, Formula)
                verdict = judged_number(plain.read, expected, self.tolerance, is_script=self.question.is_script)
        except UnreadableError as error:
            return Verdict("unreadable", str(error))
        return replace(verdict, read=plain.read, read_as=plain.text if plain.differs_from(text) else "")

    def plain(self, ask: Ask, text: str, comma: Comma) -> Plain:
        """Return an answer in the plain notation, read. Raises UnreadableError."""
        wanted = self.wanted(ask)
        if not self.assignment.strict:
            return read_plain(text, wanted, comma)
        if wanted.kind == "word":
            return Plain(text, None)
        return Plain(text, read_answer(text) if wanted.kind == "formula" else read_number(text))

    def wanted(self, ask: Ask) -> Wanted:
        """Return the kind of answer that a quantity has."""
        if ask.quantity not in self.kinds:
            self.kinds[ask.quantity] = self.kind(ask)
        return self.kinds[ask.quantity]

    def kind(self, ask: Ask) -> Wanted:
        expected = self.expected[ask.quantity]
        if ask.form == "expression":
            own = ask.quantity.of if ask.quantity.kind == "value" else ""
            assert isinstance(self.solution, Solution)
            return Wanted("formula", names=frozenset(self.solution.evaluation.scope) - {own})
        if expected is None or isinstance(expected, bool | str):
            return Wanted("word")
        return Wanted("number", np.shape(expected), values=self.question.at)

    def carried(self, problem: Problem, typed: Typed, earlier: Earlier) -> Verdict | None:
        """Return the verdict `carried` where a wrong number follows from earlier ones, else None."""
        if not earlier or not self.assignment.carry_forward:
            return None
        with suppress(Exception):  # no number that a student may think of stops a class
            source = follows(problem, typed, earlier, self.tolerance)
            return None if source is None else Verdict("carried", f"it follows from your {source}")
        return None

    def diagnosed(self, ask: Ask, text: str, comma: Comma) -> Verdict:
        """Return the verdict on a wrong answer, with diagnoses."""
        verdict = self.remembered(self.judged, ask, text, comma)
        with suppress(Exception), np.errstate(all="ignore"):  # the grade stands, whatever happens here
            return self.explain(ask, text, verdict)
        return verdict

    def explain(self, ask: Ask, text: str, verdict: Verdict) -> Verdict:
        if isinstance(self.solution, SnippetSolution) and self.expected[ask.quantity] is None:
            reason = self.solution.reason(ask)
            return replace(verdict, remark=reason) if reason else verdict
        problem = self.problems[ask.quantity]
        if problem is None:
            return verdict
        detective = self.investigation.detective(ask)
        if ask.form == "expression":
            read = verdict.read
            assert isinstance(read, Typed | Formula)
            answers = [Typed(np.asarray(answered(read, point))[()]) for point in self.sampled(ask)]
            remark = verdict.remark
            if (
                isinstance(read, Typed)
                and judged_number(read, problem.truth, self.tolerance, is_script=False).verdict == "correct"
            ):
                remark += "; it is the right number for the values of the question, and a formula was asked for"
            return replace(verdict, remark=remark, diagnoses=detective.diagnoses(answers))
        assert verdict.typed is not None
        found = detective.diagnoses([verdict.typed])
        if verdict.verdict == "precision":
            return replace(verdict, diagnoses=tuple(one for one in found if one.code not in pen.CODES))
        return replace(verdict, diagnoses=found, ledger=detective.ledger(verdict.typed))

    def at_samples(self, ask: Ask) -> list[Problem]:
        return [point.solution.problem(ask) for point in self.sampled(ask)]

    def sampled(self, ask: Ask) -> list[Point]:
        """Return the points at which a wrong formula is diagnosed."""
        return [point for point, _ in self.points.truths(ask).points[:SAMPLES]]


def repeated(lines: list[Given]) -> str:
    """Say how often an answer is given, and where that is known."""
    places = f", on lines {listed([str(one.line) for one in lines])}" if all(one.line for one in lines) else ""
    return f"given {len(lines)} times{places}"


def on_one_line(text: str) -> str:
    """Return an answer as it is shown."""
    text = " ".join(text.split())
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}..."
