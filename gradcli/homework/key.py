"""The right answers of one question, and the verdicts on students' answers.

A diagnosis never changes a grade and never raises: the grade stands without it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cached_property, partial
from types import MappingProxyType

import numpy as np

from gradcli.guard import guarded
from gradcli.homework.assignment.assignments import Ask, Assignment, Question
from gradcli.homework.assignment.quantities import WHOLE, Quantity, read_expression, read_quantity
from gradcli.homework.code.marking import CodeJudge
from gradcli.homework.diagnose.agreement import in_agreement, one_factor
from gradcli.homework.diagnose.investigation import Investigation
from gradcli.homework.disclosure import WITHHELD
from gradcli.homework.mistakes import pen
from gradcli.homework.model import Diagnosis, Marked, Value
from gradcli.homework.result_cache import Remembered
from gradcli.homework.solve.credit import Own, credited, share
from gradcli.homework.solve.judging import Judge
from gradcli.homework.solve.points import Point, Points, Verdict, answered, judged_number
from gradcli.homework.solve.problem import Problem
from gradcli.homework.solve.runs.reruns import Reruns, stepped
from gradcli.homework.solve.snippets import SnippetSolution
from gradcli.homework.solve.solution import LONG, Solution
from gradcli.homework.submission.answers import KEPT as SHORT
from gradcli.homework.submission.answers import Formula
from gradcli.homework.submission.numerals import SLACK, TOLD, Typed
from gradcli.homework.submission.plain.numbers import Comma
from gradcli.homework.submission.plain.reading import Definition
from gradcli.homework.submission.submissions import Given
from gradcli.homework.wording import listed
from gradcli.source import Source
from gradcli.workers.notes import at

KEPT = 2**12  # texts of answers to a question whose verdicts are remembered: in a class many answers are the same
NUMBERS = 2**10  # the same, of numbers with their diagnoses, and of all that a student says about the question
SHOWN = 300  # characters of an answer
OFF = ("wrong", "shape", "precision")  # verdicts that other answers of the student may change
SAMPLES = 3  # points at which a wrong formula is looked into


class Key:
    """The right answers of one question, ready to grade with; formulas are simplified unless `is_raw`."""

    def __init__(self, question: Question, assignment: Assignment, *, is_raw: bool = False) -> None:
        self.question, self.assignment = question, assignment
        self.tolerance = assignment.tolerance
        self.code = CodeJudge(question.code, question.quantities) if question.code else None
        solved = (
            replace(question, source=Source(self.code.right_script, question.source.name)) if self.code else question
        )
        self.solution = (SnippetSolution if question.is_script else Solution)(solved, is_raw=is_raw)
        self.problems: dict[Quantity, Problem | None] = {}
        self.expected: dict[Quantity, Value] = {}
        for ask in question.asks:
            if ask.words.choices:
                self.problems[ask.quantity], self.expected[ask.quantity] = None, ask.words.right
                continue
            self.problems[ask.quantity] = None if ask.quantity.kind in WHOLE else self.solution.problem(ask)
            self.expected[ask.quantity] = WITHHELD if self.code else self.solution.answer(ask)  # nobody types numbers
            if ask.form == "expression":
                self.points.truths(ask)
                if question.given and self.expected[ask.quantity] != LONG:
                    simpler = partial(self.points.simpler, ask, self.expected[ask.quantity])
                    self.expected[ask.quantity] = guarded("formula", simpler, self.expected[ask.quantity])
        self.reruns = Reruns(self.solution) if isinstance(self.solution, SnippetSolution) else None
        self.judge = Judge(question, assignment, self.expected)
        self.texts: Remembered[Verdict] = Remembered(KEPT)
        self.programs: Remembered[Mapping[str, Verdict]] = Remembered(NUMBERS)
        self.settled: Remembered[Marked] = Remembered(KEPT)
        self.numbers: Remembered[Verdict] = Remembered(NUMBERS)
        self.sheets: Remembered[dict[Quantity, Verdict]] = Remembered(NUMBERS)
        self.investigation = Investigation(
            question, self.solution, self.problems, self.at_samples, self.tolerance, assignment.mistakes
        )
        for ask in question.asks if self.investigation.mistakes else ():
            if (problem := self.problems[ask.quantity]) is not None:
                list(self.investigation.own_mistakes(ask, problem))  # refused now, and not while students wait

    @cached_property
    def points(self) -> Points:
        assert isinstance(self.solution, Solution)
        return Points(self.question, self.solution)

    def quantity(self, text: str) -> Quantity | None:
        return read_expression(text) if self.question.is_script else read_quantity(text, self.question.output)

    def mark(
        self,
        given: Mapping[Quantity, list[Given]],
        unreadable: str,
        comma: Comma = "",
        defined: Mapping[Quantity, tuple[Definition, ...]] = MappingProxyType({}),
    ) -> Iterator[Marked]:
        """Yield the answers to this question, in the order it asks; `unreadable` is why none could be read.

        What a student has `defined` above an answer may stand in it.
        """
        read: dict[Quantity, Verdict] = {}
        if self.code is not None:
            yield from self.mark_code(self.code, given, unreadable)
            return
        for ask in self.question.asks if not unreadable else ():
            lines = given.get(ask.quantity, [])
            if len(lines) == 1 and not lines[0].problem and lines[0].text is not None:
                at(self.question.id, ask.written)
                read[ask.quantity] = self.judged(ask, lines[0].text, comma)
                above = defined.get(ask.quantity, ()) if ask.form == "expression" else ()
                if above and read[ask.quantity].verdict == "unreadable":
                    with_names = self.judge.judged(ask, lines[0].text, comma, self.points, above)
                    read[ask.quantity] = with_names if with_names.verdict != "unreadable" else read[ask.quantity]
        verdicts = self.together(read)
        for ask in self.question.asks:
            lines, mark = given.get(ask.quantity, []), read.get(ask.quantity)
            text = lines[0].text if mark is not None and mark.verdict not in OFF else None  # nothing else changes it
            yield self.settled.once(
                (ask.written, text, comma, mark and mark.read_as) if text is not None and len(text) <= SHORT else None,
                partial(self.marked, ask, lines, unreadable, verdicts.get(ask.quantity), mark),
            )

    def mark_code(self, code: CodeJudge, given: Mapping[Quantity, list[Given]], unreadable: str) -> Iterator[Marked]:
        """Yield the answers to a question that asks for code, which is run once for all of them."""
        for ask in self.question.asks:
            lines, verdict = given.get(ask.quantity, []), None
            if len(lines) == 1 and not lines[0].problem and lines[0].text is not None and not unreadable:
                at(self.question.id, ask.written)
                text = lines[0].text
                verdict = self.programs.once(text, partial(code.verdicts, text))[ask.written]
            yield self.marked(ask, lines, unreadable, verdict, verdict)

    def together(self, read: Mapping[Quantity, Verdict]) -> Mapping[Quantity, Verdict]:
        """Return the verdicts on a student's answers, each beside the others: once for equal answers."""
        if not any(verdict.verdict in OFF for verdict in read.values()):
            return read
        known = tuple((quantity, verdict.known) for quantity, verdict in read.items())
        is_short = all(verdict_key is not None for _, verdict_key in known)
        return {**read, **self.sheets.once(known if is_short else None, lambda: self.beside_each_other(read))}

    def beside_each_other(self, read: Mapping[Quantity, Verdict]) -> dict[Quantity, Verdict]:
        """Return the verdicts that other answers may change."""
        student, verdicts = Own(), {}
        for ask in self.question.asks:
            if ask.quantity in read:
                student.keep(ask, self.problems[ask.quantity], read[ask.quantity])
        for ask in self.in_order:
            if ask.quantity in read and read[ask.quantity].verdict in OFF:
                at(self.question.id, ask.written)
                with np.errstate(all="ignore"):
                    verdicts[ask.quantity] = self.verdict(ask, read[ask.quantity], student)
        if self.reruns and self.assignment.carry_forward:
            verdicts.update(stepped(self.reruns, verdicts, student.wrong, self.tolerance))
        return {**verdicts, **guarded("diagnosis", partial(one_factor, verdicts, self.problems), {})}

    @cached_property
    def in_order(self) -> list[Ask]:
        """The quantities in the order in which they are computed: values, local derivatives, gradients from the end.

        The gradients of leaves come last, as they are asked: none is needed for another. A gradient with a name that
        a snippet goes on with comes first.
        """
        named = {name for problem in self.problems.values() if problem for name in problem.graph.names}

        def place(ask: Ask) -> tuple[int, ...]:
            problem = self.problems[ask.quantity]
            if problem is None or problem.kind == "value":
                is_alone = problem is not None and len(problem.graph.vertices) == 1  # as a weight after its update
                return 3 * is_alone, problem.by if problem else -1
            if ask.quantity.kind == "snippet" and ask.quantity.of in named:
                return (-1,)
            if problem.stop:
                return 1, problem.by
            is_leaf = not problem.graph.below(problem.by)
            return (2, problem.of, is_leaf, 0 if is_leaf else -problem.by)

        return sorted(self.question.asks, key=place)

    def marked(
        self, ask: Ask, lines: list[Given], unreadable: str, verdict: Verdict | None, read: Verdict | None
    ) -> Marked:
        """Return the marked answer to a quantity, which stands on these lines, by the verdict if it was `read`."""
        text = lines[0].text if lines else None
        if unreadable:
            verdict = Verdict("unreadable")  # why stands once, beside the file
        elif len(lines) > 1 or (lines and lines[0].problem):
            verdict = Verdict("unreadable", lines[0].problem or repeated(lines))
        elif verdict is None:
            verdict = Verdict("missing")
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
            read.read_as if read else "",
        )

    def verdict(self, ask: Ask, verdict: Verdict, student: Own) -> Verdict:
        """Return the verdict on an answer beside the student's own; a wrong number is added to those."""
        problem, typed, outcome = self.problems[ask.quantity], verdict.typed, None
        if problem and typed and ask.form == "number" and verdict.verdict != "shape":
            outcome = credited(problem, typed, verdict, student, self.assignment)
            if outcome and outcome.verdict == "precision" and self.is_mistaken(ask, verdict):
                outcome = None
            if outcome.verdict == "carried" if outcome else verdict.verdict == "wrong":
                student.add(ask.quantity, problem, typed, self.tolerance, is_carried=outcome is not None)
        if outcome:
            if outcome.verdict == "precision":
                student.keep(ask, problem, outcome)
            return outcome
        if typed and verdict.verdict == "precision" and self.has_decimals(ask, typed, verdict):
            return replace(verdict, verdict="correct")
        outcome = self.diagnosed(ask, verdict)
        if problem and typed and ask.form == "number" and not any(cause.certain for cause in outcome.diagnoses):
            outcome = guarded("diagnosis", partial(self.rebased, ask, outcome, student), outcome)
        agreeing = partial(in_agreement, outcome.diagnoses, problem, student.known.values())
        return replace(outcome, diagnoses=guarded("diagnosis", agreeing, outcome.diagnoses))

    def has_decimals(self, ask: Ask, typed: Typed, verdict: Verdict) -> bool:
        """Whether a number has as many right decimals as the values of the question have, and two at least.

        One that a mistake gives, too, needs more digits.
        """
        decimals = self.question.decimals
        if decimals is None or self.tolerance.precision or self.tolerance.decimals is not None or ask.tolerance:
            return False
        enough = 10.0 ** -max(decimals, TOLD) * SLACK
        return bool(np.all(np.asarray(typed.unit) <= enough)) and not self.is_mistaken(ask, verdict)

    def is_mistaken(self, ask: Ask, verdict: Verdict) -> bool:
        """Whether a mistake gives a number that coarse rounding gives too."""
        diagnoses = self.diagnosed(ask, verdict).diagnoses
        return bool(diagnoses) and is_single(diagnoses[0])

    def rebased(self, ask: Ask, verdict: Verdict, student: Own) -> Verdict:
        """Return a verdict with the diagnoses that the student's own earlier numbers give, if there are some."""
        assert verdict.typed is not None
        for diagnoses in self.investigation.on_own_numbers(ask, verdict.typed, student.wrong, student.right):
            if any(map(is_single, diagnoses)):
                return replace(verdict, diagnoses=diagnoses)
            if diagnoses and not verdict.diagnoses:
                verdict = replace(verdict, diagnoses=diagnoses)
            elif any(map(is_single, verdict.diagnoses)):
                break
        return verdict

    def judged(self, ask: Ask, text: str, comma: Comma) -> Verdict:
        """Return the verdict on an answer, without diagnoses; made once for equal short answers."""
        known = (ask.written, text, comma) if len(text) <= SHORT else None
        points = self.points if ask.form == "expression" else None
        return self.texts.once(known, lambda: self.judge.judged(ask, text, comma, points))

    def diagnosed(self, ask: Ask, verdict: Verdict) -> Verdict:
        """Return the verdict on a wrong answer, with diagnoses; made once for equal numbers."""

        def explained_verdict() -> Verdict:
            return guarded("diagnosis", partial(self.explain, ask, verdict), verdict)

        return self.numbers.once(verdict.known and (ask.written, *verdict.known), explained_verdict)

    def explain(self, ask: Ask, verdict: Verdict) -> Verdict:
        if isinstance(self.solution, SnippetSolution) and self.expected[ask.quantity] is None:
            verdict = replace(verdict, remark=self.solution.reason(ask) or verdict.remark)
            if isinstance(verdict.read, Typed):
                verdict = replace(verdict, diagnoses=tuple(self.investigation.where_nothing_is(ask, verdict.read)))
            return verdict
        problem = self.problems[ask.quantity]
        if problem is None:
            causes = self.investigation.of_parts(ask, verdict.typed) if verdict.typed else ()
            return replace(verdict, diagnoses=causes)
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
        causes = detective.diagnoses([verdict.typed])
        if verdict.verdict == "precision":
            return replace(verdict, diagnoses=tuple(cause for cause in causes if cause.code not in pen.CODES))
        return replace(verdict, diagnoses=causes, ledger=detective.ledger(verdict.typed))

    def at_samples(self, ask: Ask) -> list[Problem]:
        return [point.solution.problem(ask) for point in self.sampled(ask)]

    def sampled(self, ask: Ask) -> list[Point]:
        """Return the points at which a wrong formula is diagnosed."""
        return [point for point, _ in self.points.truths(ask).points[:SAMPLES]]


def is_single(diagnosis: Diagnosis) -> bool:
    """Whether a diagnosis is a mistake in the mathematics, and not two of them."""
    return diagnosis.code not in pen.CODES and " + " not in diagnosis.code


def repeated(lines: list[Given]) -> str:
    """Say how often an answer is given, and where that is known."""
    places = f", on lines {listed([str(row.line) for row in lines])}" if all(row.line for row in lines) else ""
    return f"given {len(lines)} times{places}"


def on_one_line(text: str) -> str:
    """Return an answer as it is shown."""
    text = " ".join(text.split())
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}..."
