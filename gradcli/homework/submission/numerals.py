"""Numbers as they were typed: an answer is judged by its digits, and not only by the float that they make."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from gradcli.facts import dataclass

NUMERAL = re.compile(r"[-+−]?(?P<whole>\d*)(?:\.(?P<fraction>\d*))?(?:[eE](?P<exponent>[-+−]?\d{1,4}))?")
LONGEST = 60  # characters of a number; nobody types more digits by hand
KEPT = 2**12  # numbers that are remembered: students give the same answers
EXACT = 99  # digits of a formula such as `1/3`
ENOUGH = 3  # significant digits that a rounded answer needs
TOLD = 2  # those from which a mistake may be guessed
LAST_DIGITS = 8 * 2.0**-23  # of a float32, as a share of it
SLACK = 1 + 1e-9  # half a unit in decimal is not always half a unit in binary


@dataclass(frozen=True, slots=True)
class Typed:
    """A number, or an array of them, with the digits that were typed, entry by entry.

    `digits` are the significant digits and `unit` is worth one of the last of them; the last `zeros` digits may or may
    not be significant: `100` has one to three. A formula is exact: its unit is 0.
    """

    value: Any
    unit: Any = 0.0
    digits: Any = EXACT
    zeros: Any = 0

    def reshaped(self, shape: tuple[int, ...]) -> Typed:
        """Return the same entries in another shape."""
        own_shape = np.shape(self.value)
        parts = (self.value, self.unit, self.digits, self.zeros)
        return Typed(*(np.broadcast_to(part, own_shape).reshape(shape)[()] for part in parts))

    @property
    def is_telling(self) -> bool:
        """Whether the number is unlikely by chance: not 0, 1 or -1, and of more than one digit."""
        plain = np.isin(np.abs(self.value), (0, 1))
        return not bool(np.all(plain | (np.asarray(self.digits) < 2) | (np.equal(self.value, np.rint(self.value))
                                                                        & (np.abs(self.value) < 10))))  # fmt: skip

    @property
    def is_alive(self) -> bool:
        """Whether something may follow from it: it is finite, and not 0."""
        if isinstance(self.value, float):
            return self.value != 0 and math.isfinite(self.value)
        return bool(np.isfinite(self.value).all() and np.any(self.value))


def stacked(numbers: Sequence[Typed], shape: tuple[int, ...]) -> Typed:
    """Return numbers, or arrays of one shape, as an array of some shape with the digits of each."""
    parts = ([getattr(number, part) for number in numbers] for part in ("value", "unit", "digits", "zeros"))
    return Typed(*(np.array(part, np.float64).reshape(shape) for part in parts))


def read_numeral(text: str) -> Typed | None:
    """Read a plain decimal number; None for any other text."""
    text = text.strip().replace("_", "").replace("−", "-")
    return remembered(text) if len(text) <= LONGEST else None


@lru_cache(KEPT)
def remembered(text: str) -> Typed | None:
    match = NUMERAL.fullmatch(text)
    if match is None or not (match["whole"] or match["fraction"]):
        return None
    value = np.float64(text)
    fraction, exponent = match["fraction"] or "", int(match["exponent"] or 0)
    significant = (match["whole"] + fraction).lstrip("0")
    if not significant or abs(exponent) > 300:  # a zero is right or wrong, and never rounded
        return Typed(value)
    written_out = match["fraction"] is None and match["exponent"] is None
    zeros = len(significant) - len(significant.rstrip("0")) if written_out else 0
    return Typed(value, 10.0 ** (exponent - len(fraction)), len(significant), zeros)


def unknown(truth: Any) -> Any:
    """Return how far the last digits of a float32 may be off, which are known to a few of them only; else 0."""
    return LAST_DIGITS * np.max(np.abs(truth), initial=0.0) if np.asarray(truth).dtype == np.float32 else 0.0


@dataclass(frozen=True, slots=True)
class Tolerance:
    """The rule: `|s - t| <= atol + rtol*|t|`; or the digits typed are right, and enough (`precision`, None: `ENOUGH`
    of them, whichever they are). With `decimals` so many behind the point are enough, and no digits are counted.
    """

    rtol: float = 1e-5
    atol: float = 1e-8
    precision: int | None = None
    decimals: int | None = None

    def near(self, value: Any, truth: Any) -> Any:
        """Return, entry by entry, whether a value is within the tolerance; an infinite or nan truth must be equal.

        A float32 truth is known to a few of its last digits only, and where large terms cancelled to fewer: a small
        entry may be off by as much as a large one.
        """
        if isinstance(truth, float) and isinstance(value, float) and math.isfinite(truth):
            return abs(float(value) - float(truth)) <= self.atol + self.rtol * abs(float(truth))
        with np.errstate(all="ignore"):
            within = np.abs(value - truth) <= np.maximum(self.atol, unknown(truth)) + self.rtol * np.abs(truth)
        return np.where(np.isfinite(truth), within, np.equal(value, truth))

    def is_near(self, value: Any, truth: Any) -> bool:
        """Whether all entries of a value are within the tolerance."""
        near = self.near(value, truth)
        return near if isinstance(near, bool) else bool(near.all())

    def judge(self, typed: Typed, truth: Any) -> tuple[Any, Any]:
        """Return, entry by entry, whether it is right, and whether it would be with more digits."""
        right = self.near(typed.value, truth)
        with np.errstate(all="ignore"):
            off = np.abs(typed.value - truth) - unknown(truth)
            fits = typed.unit > 0
            size = np.floor(np.log10(np.abs(truth)))
            if self.decimals is not None:
                unit = 10.0**-self.decimals
                right = right | ((off <= unit / 2 * SLACK) & (typed.unit <= unit * SLACK))
                return right, right | (fits & (off <= typed.unit / 2 * SLACK))
            if self.precision is not None:
                last = 10.0 ** (size - self.precision + 1)
                right = right | ((off <= last / 2 * SLACK) & (np.asarray(typed.digits) >= self.precision))
                return right, right | (fits & (off <= typed.unit / 2 * SLACK))
            few = right
            for cut in range(int(np.max(typed.zeros, initial=0)) + 1):
                digits = np.asarray(typed.digits) - cut
                rounded = fits & (typed.zeros >= cut) & (off <= typed.unit * 10.0**cut / 2 * SLACK)
                right = right | (rounded & (digits >= ENOUGH))
                # 10 is not 8 in one digit, which is 8 itself
                few = few | (rounded & (off <= 10.0 ** (size - digits + 1) / 2 * SLACK))
        return right, right | few

    def matches(self, typed: Typed, numbers: Any) -> Any:
        """Return which of many numbers (or arrays, along the first axis) the typed one is: ten times closer than
        grading asks for, or equal in the digits typed, if they are two or more.
        """
        if np.ndim(numbers) == 1:
            half = float(typed.unit) / 2 * SLACK if TOLD <= int(typed.digits) < EXACT else 0.0
            return self.is_close(numbers, typed.value, half)
        digits = np.asarray(typed.digits)  # of an array with so many decimals, small entries have few
        enough = np.any((digits >= TOLD) & (digits < EXACT)) if digits.size > 1 else digits >= TOLD
        allowed = np.where(enough & (digits < EXACT), typed.unit / 2 * SLACK, 0.0)
        values, rounded = np.ravel(typed.value), np.broadcast_to(allowed, np.shape(typed.value)).ravel()
        numbers, mask = numbers.reshape(len(numbers), values.size), np.ones(len(numbers), bool)
        if values.size:
            first = int(np.argmax(np.abs(values)))  # few arrays have this entry, and not the others
            mask = self.is_close(numbers[:, first], values[first], rounded[first])
            mask[mask] = self.is_close(numbers[mask], values, rounded).all(axis=1)
        return mask

    def is_close(self, numbers: Any, value: Any, rounded: Any) -> Any:
        """Return which numbers are ten times closer to a value than grading asks for, beside what it is rounded by.

        Anything is near to infinity.
        """
        with np.errstate(all="ignore"):
            exact = (self.atol + self.rtol * np.abs(numbers)) / 10
            return (np.abs(numbers - value) <= exact + rounded) & np.isfinite(numbers)


def unwritten(typed: Typed) -> float:
    """Return the share of a number that may have been rounded away, at most a hundredth."""
    if isinstance(typed.value, float):  # as most are
        return min(float(typed.unit) / 2 / abs(float(typed.value)), 0.01) if typed.value else 0.0
    with np.errstate(all="ignore"):
        shares = np.where(typed.value == 0, 0.0, typed.unit / 2 / np.abs(typed.value))
    return min(float(np.max(shares)), 0.01)


def largest(value: Any) -> Any:
    """Return the size of a number, or of the largest entry of a tensor."""
    return abs(value) if isinstance(value, float) else np.abs(value).max(initial=0.0)
