"""Slips of the pen: the right number, written down wrongly."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from gradcli.homework.mistakes.declaration import Mistake
from gradcli.homework.mistakes.forward import LAST
from gradcli.homework.model import Diagnosis, Value
from gradcli.homework.solve.problem import Problem
from gradcli.homework.submission.numerals import EXACT, SLACK, Tolerance, Typed
from gradcli.homework.wording import shown

SHIFTS = [n for n in range(-6, 7) if n]  # places by which a decimal point may have slipped
FIGURES = 3  # digits of a number in which one can be off, and the others right by no accident
LONG = 5  # digits of a number of which the last may be another: it was computed from rounded ones
CUT_OFF = "digits are cut off"
NEARLY = 0.01  # of the right number: rounded on the way

DECIMAL_POINT = Mistake(
    "decimal-point",
    "slipped the decimal point",
    order=20,
    hint="it may be a slip of the pen: compare with your own computation",
)
ROUNDING = Mistake("rounding", "rounded on the way, or cut off digits", order=21, is_late=True)
DIGIT_SLIP = Mistake(
    "digit-slip",
    "slipped in one digit, or swapped two",
    order=20.5,
    is_late=True,
    hint="it may be a slip of the pen: compare with your own computation",
)
CODES = (DECIMAL_POINT.code, DIGIT_SLIP.code, ROUNDING.code)


def decimal_point(problem: Problem, typed: Typed, tolerance: Tolerance) -> Iterator[Diagnosis]:
    """The right digits, with the point elsewhere."""
    shift = shift_of(typed, problem.truth, tolerance)
    if shift:
        what = f"{abs(shift)} place{'s' if abs(shift) > 1 else ''} to the {'right' if shift > 0 else 'left'}"
        yield Diagnosis(
            DECIMAL_POINT.code,
            problem.label(problem.by),
            f"10**{shift} times the right number",
            "the digits are right, the decimal point is not",
            f"it is {what}",
            problem.truth * 10.0**shift,
            certain=False,
            vertex=problem.by,
        )


def shift_of(typed: Typed, truth: Value, tolerance: Tolerance) -> int:
    """Return the places by which the point of a number has slipped, 0 where it has not."""
    given, right = typed.value, truth
    if not (isinstance(given, float) and isinstance(right, float) and right):  # as most are
        if np.shape(given) != np.shape(truth) or not np.any(truth):
            return 0
        largest = np.unravel_index(np.argmax(np.abs(truth)), np.shape(truth))
        given, right = np.asarray(given)[largest], np.asarray(truth)[largest]
    ratio = abs(float(given) / float(right))
    shift = round(math.log10(ratio)) if 0 < ratio < math.inf else 0
    return shift if shift in SHIFTS and tolerance.matches(typed, np.array([truth * 10.0**shift]))[0] else 0


def is_slip(typed: Typed, meant: Value, tolerance: Tolerance) -> bool:
    """Whether a number is another one with a slip of the pen."""
    return bool(shift_of(typed, meant, tolerance) or slipped_digits(typed, meant))


def digit_slip(problem: Problem, typed: Typed) -> Iterator[Diagnosis]:
    """One digit off, or two neighbours swapped, in a number of at least `FIGURES` digits or in one entry of several."""
    slip = slipped_digits(typed, problem.truth)
    if slip:
        right, is_swapped = slip
        yield Diagnosis(
            DIGIT_SLIP.code,
            problem.label(problem.by),
            "two digits swapped" if is_swapped else "one digit off",
            "two neighbouring digits are swapped" if is_swapped else "one digit is off",
            f"it was to be {shown(right)}",
            typed.value,
            certain=False,
            vertex=problem.by,
            rank=LAST + 1,
        )


def slipped_digits(typed: Typed, truth: Value) -> tuple[float, bool] | None:
    """Return the number that was meant, and whether two digits are swapped, not one off; None for anything else."""
    given, right, count = one_off(typed, truth) or (0.0, 0.0, 0)
    if not right or not FIGURES <= count < EXACT:
        return None
    last = 10.0 ** (math.floor(math.log10(abs(right))) + 1 - count)
    nearly = (right, right + last, right - last) if count >= LONG else (right,)
    swaps = [near for near_number in nearly if (near := slip_between(given, near_number, int(count))) is not None]
    return (right, swaps[0]) if swaps else None


def slip_between(given: float, right: float, count: int) -> bool | None:
    """Return whether two digits are swapped, not one off; None for anything else."""
    given_digits, right_digits = (f"{float(x):.{count - 1}e}" for x in (given, right))
    places = [place for place, (a, b) in enumerate(zip(given_digits, right_digits, strict=False)) if a != b]
    swapped = len(places) == 2 and [given_digits[p] for p in places] == [right_digits[p] for p in reversed(places)]
    near = swapped and given_digits[places[0] + 1 : places[1]] in ("", ".")
    if len(given_digits) != len(right_digits) or not (len(places) == 1 or near) or "e" in given_digits[: places[0]]:
        return None
    return near


def one_off(typed: Typed, truth: Value) -> tuple[float, float, int] | None:
    """Return the one number or entry that is off, as given and as it is right, with its digits; None for more."""
    if isinstance(typed.value, float) and isinstance(truth, float):  # as most are
        is_off = abs(float(typed.value) - float(truth)) > float(typed.unit) / 2 * SLACK
        return (typed.value, truth, typed.digits) if is_off else None
    truth, given = np.asarray(truth), np.asarray(typed.value)
    if given.shape != truth.shape or truth.dtype.kind != "f" or not given.size:
        return None
    off = np.flatnonzero(np.abs(given - truth).ravel() > np.broadcast_to(typed.unit, given.shape).ravel() / 2 * SLACK)
    if len(off) != 1:
        return None
    given, right, digits = (x.ravel()[off[0]] for x in (given, truth, np.broadcast_to(typed.digits, given.shape)))
    return given, right, digits


def rounding(problem: Problem, typed: Typed) -> Iterator[Diagnosis]:
    """Digits cut off instead of rounded, or a number that was rounded on the way."""
    truth = problem.truth
    if np.shape(typed.value) != np.shape(truth):
        return
    off, unit = np.abs(typed.value - truth), np.asarray(typed.unit)
    if np.any(off > np.maximum(2 * unit, NEARLY * np.abs(truth))):  # as most are
        return
    if not np.any(truth) or np.all(np.asarray(typed.digits) == EXACT):
        return
    if np.all(off <= unit / 2 * SLACK):
        how = "it is right as far as it goes: give more digits"
    elif np.all(np.abs(typed.value - np.trunc(truth / unit) * unit) <= unit * (SLACK - 1)):
        how = f"its {CUT_OFF}: round the last one"
    elif np.all(off <= NEARLY * np.abs(truth)):
        how = "it is close: a number was rounded on the way, keep more digits until the end"
    else:
        return
    yield Diagnosis(
        ROUNDING.code,
        problem.label(problem.by),
        "a rounded number for an exact one",
        how,
        f"it is off by {shown(np.max(off))}",
        typed.value,
        certain=False,
        vertex=problem.by,
        rank=LAST + 2,
    )
