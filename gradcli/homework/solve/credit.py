"""Credit for numbers that are not the right one: right up to rounding, or following from a student's own."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import field, replace

import numpy as np

from gradcli.explanation.refusals import FAILURES
from gradcli.facts import dataclass
from gradcli.homework.assignment.assignments import Ask, Assignment
from gradcli.homework.assignment.quantities import Quantity
from gradcli.homework.mistakes.pen import is_slip
from gradcli.homework.model import CREDITED
from gradcli.homework.solve.carried import follows, spoils
from gradcli.homework.solve.problem import Problem
from gradcli.homework.solve.recomputing import recomputed
from gradcli.homework.solve.rounding import rounded_to, too_coarse, up_to_rounding
from gradcli.homework.solve.runs.relevant_numbers import bearing, bears, choices
from gradcli.homework.solve.verdicts import Verdict
from gradcli.homework.submission.numerals import Tolerance, Typed


@dataclass(frozen=True, slots=True)
class Own:
    """The numbers of a student that others may follow from: right and rounded, with too few digits, and wrong."""

    right: dict[Quantity, tuple[Problem, Typed]] = field(default_factory=dict)
    few: dict[Quantity, tuple[Problem, Typed]] = field(default_factory=dict)
    wrong: dict[Quantity, tuple[Problem, Typed]] = field(default_factory=dict)
    known: dict[Quantity, Problem] = field(default_factory=dict)  # all that are right
    carried: set[Quantity] = field(default_factory=set)  # of the wrong ones
    slips: set[Quantity] = field(default_factory=set)
    unlike: dict[Quantity, bool] = field(default_factory=dict)  # whether right answers show that one was not used

    @property
    def unused(self) -> set[Quantity]:
        """The wrong numbers that were not gone on with, as right answers show; looked into when it is asked."""
        for quantity, one in self.wrong.items():
            if quantity not in self.unlike:
                self.unlike[quantity] = False
                with suppress(*FAILURES), np.errstate(all="ignore"):
                    self.unlike[quantity] = any(
                        bears(other, one[0]) and spoils(other, {quantity: one}) for other in self.known.values()
                    )
        return {quantity for quantity, is_unlike in self.unlike.items() if is_unlike}

    @property
    def spare(self) -> Iterator[set[Quantity]]:
        """Groups of wrong numbers that a student need not have gone on with, found as far as they are asked for."""
        each = [{quantity} for quantity in self.slips] if len(self.slips) > 1 else []
        backward = {  # a cross entropy has `p - y` from the probabilities alone
            quantity
            for quantity, (problem, _) in self.wrong.items()
            if problem.kind == "gradient" and problem.graph.has_softmax
        }
        groups = (self.carried, self.slips, self.carried | self.slips, backward, *each)
        yield from groups
        yield from (one | self.unused for one in (set(), *groups))

    def keep(self, ask: Ask, problem: Problem | None, verdict: Verdict) -> None:
        """Keep a right number that was rounded, from which others may follow."""
        kinds = {"correct": self.right, "precision": self.few}
        if problem is not None and verdict.verdict == "correct":
            self.known[ask.quantity] = problem
        if problem is None or ask.form == "expression" or verdict.verdict not in kinds:
            return
        if isinstance(verdict.read, Typed) and np.not_equal(verdict.read.value, problem.truth).any():
            kinds[verdict.verdict][ask.quantity] = (problem, verdict.read)

    def add(
        self, quantity: Quantity, problem: Problem, typed: Typed, tolerance: Tolerance, *, is_carried: bool
    ) -> None:
        """Keep a wrong number; a slip of the pen is one from the right number, or from one that follows."""
        shape = np.shape(typed.value)
        if is_carried:
            self.carried.add(quantity)
        else:
            with suppress(*FAILURES), np.errstate(all="ignore"):
                own = bearing(problem, self.wrong)
                sets = [{q: own[q] for q in some} for some in choices(own, self.spare)]
                meant = [value for used in sets if (value := recomputed(problem, used)) is not None]
                nearly = replace(typed, unit=5 * np.asarray(typed.unit))  # digits that were not written down
                if any(is_slip(nearly, value, tolerance) for value in (problem.truth, *meant)):
                    self.slips.add(quantity)
                if any(np.all(tolerance.judge(typed, value)[1]) for value in meant if np.shape(value) == shape):
                    self.carried.add(quantity)  # with too few digits
        self.wrong[quantity] = (problem, typed)


def credited(problem: Problem, typed: Typed, verdict: Verdict, own: Own, assignment: Assignment) -> Verdict | None:
    """Return the verdict on a number that is right up to rounding, or follows from the student's own; else None.

    What has too few digits for the right number may be all digits of one that follows.
    """
    is_wrong = verdict.verdict == "wrong"
    if not is_wrong and verdict.verdict != "precision":
        return None
    with suppress(*FAILURES), np.errstate(all="ignore"):  # no number that a student may think of stops a class
        if is_wrong and up_to_rounding(problem, typed, own.right, assignment.tolerance):
            return replace(verdict, verdict="correct", remark="right, with rounded steps")
        if own.wrong and assignment.carry_forward:
            source = follows(problem, typed, own.wrong, assignment.tolerance, spare=own.spare, right=own.right)
            if source is not None:
                return replace(verdict, verdict="carried", remark=f"it follows from your {source}")
        digits = rounded_to(problem, typed, own.few) if is_wrong else 0
        if digits:
            return replace(verdict, verdict="precision", remark="", diagnoses=(too_coarse(problem, typed, digits),))
    return None


def share(verdict: Verdict, assignment: Assignment) -> float:
    """Return the share of the points that a verdict gives."""
    if verdict.verdict == "carried":
        return assignment.carry_share
    if verdict.verdict in CREDITED:
        return 1.0
    return verdict.share if assignment.entries == "each" and verdict.verdict in ("wrong", "precision") else 0.0
