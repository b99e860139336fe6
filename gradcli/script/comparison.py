"""A snippet here and on the real torch: what both print and leave, and the first line at which they differ."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import zip_longest
from typing import Any

import numpy as np

from gradcli.facts import dataclass

ADDRESS = re.compile(r"0x[0-9a-f]+")
NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*(?:[eE][-+]?\d+)?|\.\d+(?:[eE][-+]?\d+)?|\bnan\b|\binf\b)")
LAST_DIGIT = 1.5  # units of the last digit by which printed numbers may differ
SHORT = 20  # entries of a gradient that are all written
RELATIVE = 1e-4  # of gradients in single precision
Place = tuple[str, int]  # the cell and the line


@dataclass(frozen=True, slots=True)
class Failure:
    """The exception that ended a snippet."""

    kind: str
    message: str
    place: Place


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome of a snippet: its texts with the places that printed them, the gradients of leaves, the exception."""

    printed: Sequence[tuple[str, int, str]]
    gradients: Mapping[str, Any]
    failure: Failure | None

    @property
    def text(self) -> str:
        return "".join(text for _, _, text in self.printed)

    def lines(self) -> Iterator[tuple[Place, str]]:
        """Yield each line that was printed, with the place of its first part."""
        place, line = ("", 0), ""
        for cell, number, text in self.printed:
            for part in text.splitlines(keepends=True):
                place = place if line else (cell, number)
                line += part
                if part.endswith("\n"):
                    yield place, line.rstrip("\n")
                    line = ""
        if line:
            yield place, line


@dataclass(frozen=True, slots=True)
class Difference:
    """The first difference: its place, `printed`, `error` or the name of a leaf, and both sides as texts."""

    place: Place
    of: str
    ours: str
    theirs: str


def difference(ours: Outcome, theirs: Outcome) -> Difference | None:
    """Return the first difference of two outcomes; None where they agree up to rounding in single precision."""
    for our, their in zip_longest(ours.lines(), theirs.lines()):
        if our is None or their is None or not same_text(our[1], their[1]):
            ended = ours.failure or theirs.failure
            if (our is None or their is None) and ended:
                break
            place = (their or our)[0]
            return Difference(
                place, "printed", "nothing" if our is None else our[1], "nothing" if their is None else their[1]
            )
    mine, other = ours.failure, theirs.failure
    if (mine is None) != (other is None) or (mine and other and (mine.kind, mine.place) != (other.kind, other.place)):
        place = (other or mine).place  # type: ignore[union-attr]
        return Difference(place, "error", failure_text(mine), failure_text(other))
    for name, gradient in theirs.gradients.items():
        if name in ours.gradients and not same_gradient(ours.gradients[name], gradient):
            return Difference(("", 0), f"{name}.grad", gradient_text(ours.gradients[name]), gradient_text(gradient))
    return None


def gradient_text(gradient: Any) -> str:
    """Write a gradient on one line, a long one with its first and last entries."""
    if gradient is None:
        return "None"
    numbers = np.asarray(gradient)
    if numbers.size <= SHORT:
        return str(numbers.tolist())
    return " ".join(np.array2string(numbers, separator=", ", threshold=SHORT).split())


def failure_text(failure: Failure | None) -> str:
    return "no error" if failure is None else ": ".join(filter(None, (failure.kind, failure.message))).split("\n")[0]


def same_text(ours: str, theirs: str) -> bool:
    """Compare two lines: numbers up to their last digits, addresses not at all, the rest as it is."""
    ours, theirs = ADDRESS.sub("0x", ours), ADDRESS.sub("0x", theirs)
    if ours == theirs:
        return True
    mine, other = NUMBER.findall(ours), NUMBER.findall(theirs)
    if len(mine) != len(other) or NUMBER.sub("#", ours).split() != NUMBER.sub("#", theirs).split():
        return False
    return all(map(same_number, mine, other))


def same_number(ours: str, theirs: str) -> bool:
    if ours == theirs:
        return True
    a, b = float(ours), float(theirs)
    units = LAST_DIGIT * max(unit(ours), unit(theirs)) if "." in ours + theirs else 0.0
    return bool(np.isclose(a, b, rtol=0, atol=max(units, 1e-5 * abs(b) if units else 0.0), equal_nan=True))


def unit(text: str) -> float:
    """Return what one in the last digit of a number is worth."""
    digits, _, exponent = text.lower().partition("e")
    return float(10.0 ** (int(exponent or 0) - len(digits.partition(".")[2])))


def same_gradient(ours: Any, theirs: Any) -> bool:
    if ours is None or theirs is None:
        return ours is theirs
    mine, other = np.asarray(ours, np.float64), np.asarray(theirs, np.float64)
    scale = float(np.max(np.abs(other[np.isfinite(other)]), initial=0.0))
    return mine.shape == other.shape and np.allclose(mine, other, rtol=RELATIVE, atol=RELATIVE * scale, equal_nan=True)
