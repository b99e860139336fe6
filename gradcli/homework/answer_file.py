"""The key of an assignment: an answer file, filled in."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from gradcli.homework.grading import Grader
from gradcli.homework.key import Key
from gradcli.homework.solve.solution import LONG
from gradcli.homework.submission.numerals import Tolerance
from gradcli.source import visible

DIGITS = Tolerance(rtol=1e-11, atol=0)


def filled_in(grader: Grader) -> Iterator[str]:
    """Yield the lines of a submission that gets full marks."""
    for id, key in grader.keys.items():
        yield f"[{id}]"
        if key.code:
            yield "# code, which is run with cases of its own"
        yield from (visible(f"{quantity} = {text or f'# {LONG}'}") for quantity, text in answers(key).items())
        yield ""


def answers(key: Key) -> dict[str, str]:
    """Return the right answers to one question by quantity; "" where a formula is too long to be written.

    To a question that asks for code there are none: its numbers are those of the cases, which nobody types.
    """
    return {
        ask.written: "" if key.expected[ask.quantity] is LONG else answer(key.expected[ask.quantity], key.tolerance)
        for ask in key.question.asks
        if not key.code
    }


def answer(expected: Any, tolerance: Tolerance = DIGITS) -> str:
    """Write a right answer as a student types it: with twelve digits, six of a float32, if they suffice, else all."""
    if expected is None or isinstance(expected, bool | str):
        return str(expected)
    value = np.asarray(expected)
    if value.ndim:
        return f"[{', '.join(answer(entry, tolerance) for entry in value)}]"
    if value.dtype.kind != "f":
        return str(value[()])
    # the shortest digits of its own precision
    text = (str(value[()]) if value.itemsize < 8 else repr(float(value))).removesuffix(".0")
    short = f"{float(value):.{12 if value.itemsize == 8 else 6}g}"
    return short if len(short) < len(text) and tolerance.near(float(short), float(value)) else text
