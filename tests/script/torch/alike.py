"""Comparing printed text: to the letter, but for the last digits of numbers."""

from __future__ import annotations

import math
import re

NUMBER = re.compile(r"[-+]?(?:\d+\.\d*(?:e[-+]?\d+)?|\d+(?:e[-+]?\d+)?)")
RELATIVE, ABSOLUTE = 1e-3, 1.01e-4  # four digits are printed


def alike(ours: str, torchs: str) -> bool:
    """Whether the texts are equal, or differ only in numbers that the order of a sum may have changed."""
    if ours == torchs:
        return True
    if _words(ours) != _words(torchs):
        return False
    pairs = zip(NUMBER.findall(ours), NUMBER.findall(torchs), strict=True)
    return all(a == b or _close(a, b) for a, b in pairs)


def _words(text: str) -> str:
    """The text between the numbers; columns may be wider by a sign or a digit."""
    return re.sub(r" +", " ", NUMBER.sub(" # ", text))


def _close(a: str, b: str) -> bool:
    fractions = "." in a and "." in b
    return fractions and math.isclose(float(a), float(b), rel_tol=RELATIVE, abs_tol=ABSOLUTE)


def difference(ours: str, torchs: str) -> str:
    """The first lines that differ, for a failed test."""
    for number, (a, b) in enumerate(zip(ours.split("\n"), torchs.split("\n"), strict=False), 1):
        if not alike(a, b):
            return f"printed line {number}:\n  ours:  {a}\n  torch: {b}"
    return f"{len(ours.splitlines())} lines here, {len(torchs.splitlines())} in torch"
