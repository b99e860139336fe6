"""Slips of the pen: the right number, written down wrongly."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from gradcli.homework.mistakes.declaration import Mistake
from gradcli.homework.model import Diagnosis
from gradcli.homework.solve.problem import Problem
from gradcli.homework.submission.numerals import EXACT, SLACK, Tolerance, Typed
from gradcli.homework.wording import shown

SHIFTS = 6  # places that a decimal point may have slipped
NEARLY = 0.01  # of the right number: rounded on the way

DECIMAL_POINT = Mistake("decimal-point", "slipped the decimal point", order=20)
ROUNDING = Mistake("rounding", "rounded on the way, or cut off digits", order=21)
CODES = (DECIMAL_POINT.code, ROUNDING.code)


def decimal_point(problem: Problem, typed: Typed, tolerance: Tolerance) -> Iterator[Diagnosis]:
    """The right digits, with the point elsewhere."""
    if np.shape(typed.value) != np.shape(problem.truth):
        return
    shifts = [n for n in range(-SHIFTS, SHIFTS + 1) if n]
    shifted = np.array([problem.truth * 10.0**n for n in shifts])
    for place in np.flatnonzero(tolerance.matches(typed, shifted))[:1]:
        if np.any(shifted[place]):
            shift = shifts[place]
            what = f"{abs(shift)} place{'s' if abs(shift) > 1 else ''} to the {'right' if shift > 0 else 'left'}"
            yield Diagnosis(
                DECIMAL_POINT.code,
                problem.label(problem.by),
                f"10**{shift} times the right number",
                "the digits are right, the decimal point is not",
                f"it is {what}",
                shifted[place],
                typed.is_telling,
                vertex=problem.by,
            )


def rounding(problem: Problem, typed: Typed) -> Iterator[Diagnosis]:
    """Digits cut off instead of rounded, or a number that was rounded on the way."""
    truth = problem.truth
    if np.shape(typed.value) != np.shape(truth) or not np.any(truth) or np.all(np.asarray(typed.digits) == EXACT):
        return
    off = np.max(np.abs(typed.value - truth))
    unit = np.asarray(typed.unit)
    if np.all(np.abs(typed.value - np.trunc(truth / unit) * unit) <= unit * (SLACK - 1)):
        how = "its digits are cut off: round the last one"
    elif np.all(np.abs(typed.value - truth) <= NEARLY * np.abs(truth)):
        how = "it is close: a number was rounded on the way, keep more digits until the end"
    else:
        return
    yield Diagnosis(
        ROUNDING.code,
        problem.label(problem.by),
        "a rounded number for an exact one",
        how,
        f"it is off by {shown(off)}",
        typed.value,
        certain=False,
        vertex=problem.by,
    )
