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
from gradcli.homework.diagnose.agreement import in_agreement
from gradcli.homework.diagnose.investigation import Investigation
from gradcli.homework.mistakes import pen
from gradcli.homework.model import Diagnosis, Marked, Value
from gradcli.homework.solve.credit import Own, credited, share
from gradcli.homework.solve.judging import Judge
from gradcli.homework.solve.points import Point, Points, answered
from gradcli.homework.solve.problem import Problem
from gradcli.homework.solve.snippets import SnippetSolution
from gradcli.homework.solve.solution import Solution
from gradcli.homework.solve.verdicts import Verdict, judged_number
from gradcli.homework.submission.answers import KEPT as SHORT
from gradcli.homework.submission.answers import Formula
from gradcli.homework.submission.numerals import Typed
from gradcli.homework.submission.plain.numbers import Comma
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
            if ask.words.choices:
                self.problems[ask.quantity], self.expected[ask.quantity] = None, ask.words.right
                continue
            self.problems[ask.quantity] = self.solution.problem(ask)
            self.expected[ask.quantity] = self.solution.answer(ask)
            if ask.form == "expression":
                self.points.truths(ask)
        self.judge = Judge(question, assignment, self.expected)
        self.verdicts: dict[tuple[str, Quantity, str, str], Verdict] = {}
        self.investigation = Investigation(
            question, self.solution, self.problems, self.at_samples, self.tolerance, assignment.mistakes
        )
        for ask in question.asks if self.investigation.mistakes else ():
            if (problem := self.problems[ask.quantity]) is not None:
                list(self.investigation.own(ask, problem))  # refused now, and not while students wait

    @cached_property
    def points(self) -> Points:
        assert isinstance(self.solution, Solution)
        return Points(self.question, self.solution)

    def quantity(self, text: str) -> Quantity | None:
        return read_expression(text) if self.question.is_script else read_quantity(text, self.question.output)

    def mark(self, given: Mapping[Quantity, list[Given]], unreadable: str, comma: Comma = "") -> Iterator[Marked]:
        """Yield the answers to this question, in the order it asks; `unreadable` is why none could be read."""
        own = Own()
        for ask in self.question.asks if not unreadable else ():
            lines = given.get(ask.quantity, [])
            if len(lines) == 1 and not lines[0].problem and lines[0].text is not None:
                at(self.question.id, ask.written)
                own.keep(ask, self.problems[ask.quantity], self.remembered(self.judged, ask, lines[0].text, comma))
        found: dict[Quantity, Marked] = {}
        for ask in self.in_order:
            at(self.question.id, ask.written)
            found[ask.quantity] = self.marked(ask, given.get(ask.quantity, []), unreadable, comma, own)
        yield from (found[ask.quantity] for ask in self.question.asks)

    @cached_property
    def in_order(self) -> list[Ask]:
        """The quantities in the order in which they are computed: values, local derivatives, gradients from the end.

        The gradients of leaves come last, as they are asked: none is needed for another.
        """

        def place(ask: Ask) -> tuple[int, ...]:
            problem = self.problems[ask.quantity]
            if problem is None or problem.kind == "value":
                return 0, problem.by if problem else -1
            if problem.stop:
                return 1, problem.by
            is_leaf = not problem.graph.below(problem.by)
            return (2, problem.of, is_leaf, 0 if is_leaf else -problem.by)

        return sorted(self.question.asks, key=place)

    def marked(self, ask: Ask, lines: list[Given], unreadable: str, comma: Comma, own: Own) -> Marked:
        """Return the marked answer to a quantity, which stands on these lines."""
        text = lines[0].text if lines else None
        if unreadable:
            verdict = Verdict("unreadable")  # why stands once, beside the file
        elif len(lines) > 1 or (lines and lines[0].problem):
            verdict = Verdict("unreadable", lines[0].problem or repeated(lines))
        elif text is None:
            verdict = Verdict("missing")
        else:
            verdict = self.verdict(ask, text, comma, own)
        return Marked(
            self.question.id,
            ask.written,
            None if text is None else on_one_line(text),
            self.expected[ask.quantity],
            verdict.verdict,
            ask.points * share(verdict, self.assignment),
            ask.points,
            verdict.remark,
            verdict.diagnoses,
            verdict.ledger,
            lines[0].reason if lines and len(lines) == 1 else None,
            verdict.read_as,
        )

    def verdict(self, ask: Ask, text: str, comma: Comma, own: Own) -> Verdict:
        """Return the verdict on an answer; a wrong number is added to the student's own."""
        verdict = self.remembered(self.judged, ask, text, comma)
        problem, typed, found = self.problems[ask.quantity], verdict.typed, None
        if verdict.verdict not in ("wrong", "shape", "precision") or ask.form == "expression":
            pass
        elif problem and typed and verdict.verdict != "shape":
            found = credited(problem, typed, verdict, own, self.assignment)
            if found and found.verdict == "precision" and self.is_mistaken(ask, text, comma):
                found = None
            if verdict.verdict == "wrong" and (found is None or found.verdict == "carried"):
                own.add(ask.quantity, problem, typed, self.tolerance, is_carried=found is not None)
        if found or verdict.verdict not in ("wrong", "shape", "precision"):
            return found or verdict
        found = self.remembered(self.diagnosed, ask, text, comma)
        if problem and typed and ask.form == "number" and not any(one.certain for one in found.diagnoses):
            found = self.rebased(ask, found, own)
        return replace(found, diagnoses=in_agreement(found.diagnoses, problem, own.known.values()))

    def is_mistaken(self, ask: Ask, text: str, comma: Comma) -> bool:
        """Whether a mistake gives a number that coarse rounding gives too."""
        found = self.remembered(self.diagnosed, ask, text, comma).diagnoses
        return bool(found) and is_single(found[0])

    def rebased(self, ask: Ask, verdict: Verdict, own: Own) -> Verdict:
        """Return a verdict with the diagnoses that the student's own earlier numbers give, if there are some."""
        assert verdict.typed is not None
        with suppress(Exception), np.errstate(all="ignore"):
            for found in self.investigation.on_own_numbers(ask, verdict.typed, own.wrong, own.right):
                if any(map(is_single, found)):
                    return replace(verdict, diagnoses=found)
                if found and not verdict.diagnoses:
                    verdict = replace(verdict, diagnoses=found)
                elif any(map(is_single, verdict.diagnoses)):
                    break
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
        return self.judge.judged(ask, text, comma, self.points if ask.form == "expression" else None)

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
        if verdict.typed is None:  # a word, where there is a number
            return verdict
        found = detective.diagnoses([verdict.typed])
        if verdict.verdict == "precision":
            return replace(verdict, diagnoses=tuple(one for one in found if one.code not in pen.CODES))
        return replace(verdict, diagnoses=found, ledger=detective.ledger(verdict.typed))

    def at_samples(self, ask: Ask) -> list[Problem]:
        return [point.solution.problem(ask) for point in self.sampled(ask)]

    def sampled(self, ask: Ask) -> list[Point]:
        """Return the points at which a wrong formula is diagnosed."""
        return [point for point, _ in self.points.truths(ask).points[:SAMPLES]]


def is_single(one: Diagnosis) -> bool:
    """Whether a diagnosis is a mistake in the mathematics, and not two of them."""
    return one.code not in pen.CODES and " + " not in one.code


def repeated(lines: list[Given]) -> str:
    """Say how often an answer is given, and where that is known."""
    places = f", on lines {listed([str(one.line) for one in lines])}" if all(one.line for one in lines) else ""
    return f"given {len(lines)} times{places}"


def on_one_line(text: str) -> str:
    """Return an answer as it is shown."""
    text = " ".join(text.split())
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}..."
