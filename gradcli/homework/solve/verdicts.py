"""The verdict on one answer, by the kind of the right one: a number or tensor, a formula, a word."""

from __future__ import annotations

from collections.abc import Hashable

import numpy as np

from gradcli.facts import dataclass
from gradcli.homework.model import Branch, Diagnosis, Value
from gradcli.homework.solve.points import Counterexample, Truths, counterexample, equal
from gradcli.homework.submission.answers import Formula, Read, UnreadableError
from gradcli.homework.submission.numerals import Tolerance, Typed
from gradcli.homework.submission.plain.reading import Plain
from gradcli.homework.wording import shown

LAST_DIGITS = 1e-6  # what float32 leaves of numbers near 1 that cancel
ENOUGH = 5e-4  # the share by which a number with three right digits may be off


@dataclass(frozen=True, slots=True)
class Verdict:
    """A verdict on one answer; `typed` is a number that later answers may build on.

    `read` is the answer as it was read, `read_as` its plain text where that differs from what was typed, and `share` is
    the part of the points that a partly right tensor may get. What is `known` of an answer is the same for all that are
    one number, digit for digit; None for one that is too large to remember.
    """

    verdict: str
    remark: str = ""
    diagnoses: tuple[Diagnosis, ...] = ()
    ledger: tuple[Branch, ...] = ()
    typed: Typed | None = None
    read: Read = None
    read_as: str = ""
    share: float = 0.0
    known: tuple[Hashable, ...] | None = None


def judged_formula(plain: Plain, truths: Truths) -> Verdict:
    read = plain.read
    if not isinstance(read, Typed | Formula):
        raise UnreadableError("neither a number nor a formula")
    with np.errstate(all="ignore"):
        for text, other in plain.others:
            if not equal(read, other, truths):
                raise UnreadableError(f"{text} is not {plain.text}: write the one that you mean")
        found = counterexample(read, truths)
    return Verdict("correct") if found is None else Verdict("wrong", at_point(found))


def at_point(found: Counterexample) -> str:
    """Write a counterexample: `at x = 1.37 yours gives 4.1, right is 5.2`."""
    values = ", ".join(f"{name} = {shown(value)}" for name, value in found.values.items())
    return f"at {values} yours gives {shown(found.given)}, right is {shown(found.truth)}"


def judged_number(read: Typed | bool | None, expected: Value, tolerance: Tolerance, *, is_script: bool) -> Verdict:
    if read is None:
        return Verdict("wrong" if is_script else "missing")
    if isinstance(read, bool):
        if np.asarray(expected).dtype.kind == "b" and np.ndim(expected) == 0:
            return Verdict("correct" if read == bool(expected) else "wrong")
        raise UnreadableError("neither a number nor a tensor")
    if np.shape(read.value) != np.shape(expected):
        remark = f"its shape is {np.shape(read.value)}, and that of the answer {np.shape(expected)}"
        return Verdict("shape", remark, typed=read)
    right, nearly = (np.asarray(part) for part in tolerance.judge(read, expected))
    if is_script:  # in float32, where terms cancel, what is 0 or 0.016 on paper is that up to a last digit of theirs
        size = np.abs(np.asarray(expected, float))
        off = np.abs(read.value - np.asarray(expected, float))
        is_exact = (off <= LAST_DIGITS) & (np.equal(read.value, 0) | (off <= ENOUGH * size))
        right, nearly = right | is_exact, nearly | is_exact
    if right.all():
        return Verdict("correct")
    verdict = "precision" if nearly.all() else "wrong"
    remark = worst_entry(read.value, expected, nearly if verdict == "wrong" else right)
    return Verdict(verdict, remark, typed=read, share=float(np.mean(right)))


def worst_entry(given: Value, expected: Value, fine: Value) -> str:
    """Write the number of wrong entries of a tensor and the index of the worst; "" for a single number."""
    if np.size(given) == 1:
        return ""
    off = np.where(fine, 0.0, np.abs(np.asarray(given, float) - expected))
    place = np.unravel_index(int(np.argmax(off)), off.shape)
    index = ", ".join(map(str, place))
    wrong = int(np.size(fine) - np.sum(fine))
    return f"{wrong} of {np.size(fine)} entries {'is' if wrong == 1 else 'are'} off, most of all [{index}]"
