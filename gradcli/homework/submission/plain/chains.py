"""Chains of equations, `2*0.5*0.32 = 0.32`: the last member counts, if the others agree with it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from gradcli.homework.submission.answers import Formula, Read, UnreadableError, computed, read_answer
from gradcli.homework.submission.numerals import SLACK, Typed, read_numeral
from gradcli.homework.submission.plain import arrays
from gradcli.homework.submission.plain.numbers import Comma, numerals
from gradcli.homework.submission.plain.products import TwoReadingsError, formula
from gradcli.language.tree import names as names_in

SIGNS = ("=", "==", "≈", "~=", "~", "=>", "==>", "->", "→", "⇒", "⟹")
PIECE = re.compile(r"[\[({]|[\])}]|==?>|->|(?<![<>!=])={1,2}(?!=)|≈|~=|'[^']*'|\"[^\"]*\"|.", re.DOTALL)
ENOUGH = 3  # digits that a factor has which may be rounded; 0.5 is meant as it stands
NUMBER = re.compile(r"(?<![\w.])\d+\.\d+(?:[eE][-+]?\d+)?(?![\w.])")
MOST = 12  # factors that may be rounded
CLOSE = 1e-5


def members(text: str) -> list[str]:
    """Return the members of a chain of equations, which stand outside of all brackets."""
    if not any(sign in text for sign in SIGNS):
        return [text]
    found, start, depth = [], 0, 0
    for one in PIECE.finditer(text):
        piece = one[0]
        if piece in "[({":
            depth += 1
        elif piece in "])}":
            depth -= 1
        elif depth == 0 and piece in SIGNS:
            found.append(text[start : one.start()].strip())
            start = one.end()
    found.append(text[start:].strip())
    kept = [one for one in found if one]
    return kept if found[-1] else [text]


def agree(member: str, last: Read, values: Mapping[str, Any], comma: Comma) -> bool:
    """Whether a member has the value of the last one, up to the digits typed.

    One that is no number, such as `dq/ds * ds/dx`, says nothing against it.
    """
    if not isinstance(last, Typed):
        return True
    value, off = worth(member, values, comma)
    if value is None:
        return True
    with np.errstate(all="ignore"):
        allowed = (
            np.asarray(last.unit) * 10.0 ** np.asarray(last.zeros) / 2 * SLACK
            + off
            + CLOSE * np.abs(last.value)
            + 1e-12
        )
        gap = (
            np.abs(np.asarray(value, float).reshape(-1) - np.ravel(last.value))
            if np.size(value) == np.size(last.value)
            else np.inf
        )
    return bool(np.all(gap <= np.ravel(allowed)))


def worth(member: str, values: Mapping[str, Any], comma: Comma) -> tuple[Any, float]:
    """Return the value of a member, and how far rounded factors may lead it off; None where it has none."""
    found = numerals(member)
    typed = read_numeral(found.get("", found.get(comma, next(iter(found.values()))))) if found else None
    if typed is not None:
        return typed.value, float(typed.unit) / 2
    for _, rows in arrays.arrays(arrays.bare(member)):
        try:
            return np.array(rows, dtype=float), 0.0
        except ValueError:
            break
    try:
        text = formula(re.sub(r"(?<![\w.,])(\d+),(\d+)(?![\w,])", r"\1.\2", member), frozenset(values))
        read = read_answer(text)
        if not isinstance(read, Formula) or not names_in(read.tree) <= values.keys() | {"pi"}:
            return None, 0.0
        value = np.asarray(computed(read, dict(values)), float)
        if not np.all(np.isfinite(value)):
            return None, 0.0
        return value, sum(moved(text, value, values))
    except (UnreadableError, TwoReadingsError, TypeError, ValueError):
        return None, 0.0


def moved(text: str, value: Any, values: Mapping[str, Any]) -> Iterator[float]:
    """Yield how far a computation moves with half a unit in the last digit of each factor that may be rounded."""
    for found in list(NUMBER.finditer(text))[:MOST]:
        typed = read_numeral(found[0])
        if typed is not None and typed.digits >= ENOUGH:
            other = f"{text[: found.start()]}{float(typed.value) + float(typed.unit) / 2!r}{text[found.end() :]}"
            read = read_answer(other)
            if isinstance(read, Formula):
                yield float(np.max(np.abs(np.asarray(computed(read, dict(values)), float) - value)))
