"""The key of an assignment: an answer file, filled in."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from gradcli.homework.grading import Grader
from gradcli.homework.key import Key


def filled_in(grader: Grader) -> Iterator[str]:
    """The lines of a submission that gets full marks."""
    for id, key in grader.keys.items():
        yield f"[{id}]"
        yield from (f"{quantity} = {text}" for quantity, text in answers(key).items())
        yield ""


def answers(key: Key) -> dict[str, str]:
    """The right answers to one question, by what is asked."""
    return {ask.written: answer(key.expected[ask.quantity]) for ask in key.question.asks}


def answer(expected: Any) -> str:
    """A right answer as a student would type it, with all its digits."""
    if expected is None or isinstance(expected, bool | str):
        return str(expected)
    value = np.asarray(expected)
    if value.ndim:
        return f"[{', '.join(map(answer, value))}]"
    if value.dtype.kind == "f":
        text = str(value[()]) if value.itemsize < 8 else repr(float(value))  # the shortest digits of its own precision
        return text.removesuffix(".0")
    return str(value[()])
