"""Wrong answers that are right on the sheets of other students."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import cached_property

import numpy as np

from gradcli.homework.assignment.assignments import Ask
from gradcli.homework.course.variants import At, Variants
from gradcli.homework.key import Key
from gradcli.homework.model import Marked, Value
from gradcli.homework.solve.points import judged_number
from gradcli.homework.solve.solution import Solution
from gradcli.homework.submission.names import identity
from gradcli.homework.submission.numerals import Typed
from gradcli.homework.submission.plain.numbers import Comma

CLOSE, TINY = 0.01, 1e-8  # how far off a number is that is looked at, before its digits are
EXPLAINED = ("wrong", "shape", "carried")


class Elsewhere:
    """The right answers on all sheets, computed when the first wrong answer to a question is looked into."""

    def __init__(self, keys: Mapping[str, Key], variants: Variants) -> None:
        self.keys = {id: key for id, key in keys.items() if key.question.varies}
        self.variants = variants
        self.questions: dict[str, QuestionTruths] = {}

    def compare(self, answer: Marked, student: str, own_keys: Mapping[str, Key], comma: Comma) -> Marked:
        """Return an answer with the other students on whose sheets it is right, if it is wrong on the `own_keys`."""
        key = self.keys.get(answer.question)
        if key is None or answer.verdict not in EXPLAINED or answer.given is None:
            return answer
        ask = next((ask for ask in key.question.asks if ask.written == answer.quantity), None)
        if ask is None or ask.form == "expression":
            return answer
        if answer.question not in self.questions:
            self.questions[answer.question] = QuestionTruths(key, self.variants)
        typed = own_keys[answer.question].judged(ask, answer.given, comma).typed
        return replace(answer, elsewhere=self.questions[answer.question].right_for(ask, typed, student))


class QuestionTruths:
    """The right answers to one question on every sheet."""

    def __init__(self, key: Key, variants: Variants) -> None:
        self.key, self.variants = key, variants
        self.owners = [sheet.student for sheet in variants]

    @cached_property
    def truths(self) -> dict[Ask, Value]:
        """The right numbers of each answer, sheet by sheet, where all of them have the same shape."""
        asks = [ask for ask in self.key.question.asks if self.key.problems[ask.quantity] is not None]
        rights: dict[Ask, list[Value]] = {ask: [] for ask in asks}
        with np.errstate(all="ignore"):
            for right in self.rights():
                for ask, values in rights.items():
                    values.append(right(ask))
        are_there = {ask: all(value is not None for value in right) for ask, right in rights.items()}
        rights = {ask: right for ask, right in rights.items() if are_there[ask] and len(set(map(np.shape, right))) == 1}
        return {ask: np.array(right) for ask, right in rights.items()}

    def rights(self) -> Iterator[Callable[[Ask], Value]]:
        """Yield the right answers on each sheet."""
        question, solution = self.key.question, self.key.solution
        sheets = [sheet.values[question.id] for sheet in self.variants]
        if isinstance(solution, Solution):
            yield from (self.right(solution, at) for at in sheets)
            return
        texts = [question.moved(at).source.text for at in sheets]
        for outcomes in solution.all_outcomes(texts, small=False):
            yield lambda ask: outcomes.get(ask.quantity)  # noqa: B023  called now

    def right(self, solution: Solution, at: At) -> Callable[[Ask], Value]:
        """Return the right answers on one sheet."""
        problems, graph = self.key.problems, solution.moved(at)

        def truth(ask: Ask) -> Value:
            problem = problems[ask.quantity]
            assert problem is not None
            return replace(problem, graph=graph, cache={}).truth

        return truth

    def right_for(self, ask: Ask, typed: Typed | None, student: str) -> tuple[str, ...]:
        """Return the students for whom a number would be right; none where it is one that many things give."""
        right = self.truths.get(ask)
        if right is None or typed is None or not typed.is_telling or np.shape(typed.value) != right.shape[1:]:
            return ()
        off = np.abs(right - typed.value) > CLOSE * np.abs(typed.value) + TINY
        near = np.flatnonzero(~off.reshape(len(right), -1).any(axis=1))
        return tuple(
            self.owners[place]
            for place in near
            if identity(self.owners[place]) != identity(student)
            and judged_number(typed, right[place], self.key.tolerance, is_script=False).verdict == "correct"
        )
