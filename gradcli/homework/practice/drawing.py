"""Fresh values for a question: near to its own, and such that no wrong method gives the right answer."""

from __future__ import annotations

import random
import re
from dataclasses import replace

import numpy as np

from gradcli.errors import UsageError
from gradcli.homework.assignment.assignments import Assignment, Question
from gradcli.homework.assignment.lint import of_question
from gradcli.homework.model import Value
from gradcli.homework.solve.key import Key
from gradcli.source import Source

FACTORS = (0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.1, 1.2, 1.3, 1.4, 1.5, 1.6, 1.8, 2.0)
TRIED = 40  # draws, before a question keeps its own values
NUMBER = re.compile(r"(?<![\w.=])\d+\.\d*(?![\w.])")  # of a snippet; not `lr=0.1`, nor whole numbers, which are sizes


def fresh(question: Question, assignment: Assignment, generator: random.Random) -> Key:
    """Return the key of a question with other values, or with its own where none are found that do."""
    if not (question.at or question.is_script):
        return Key(question, assignment)
    for _ in range(TRIED):
        moved = redrawn(question, generator)
        try:
            key = Key(moved, assignment)
        except UsageError:  # these values have no answer
            continue
        if next(of_question(key), None) is None:
            return key
    return Key(question, assignment)


def redrawn(question: Question, generator: random.Random) -> Question:
    """Return a question with other values; a snippet has them in its text."""
    if question.is_script:
        text = NUMBER.sub(lambda found: repr(near(float(found[0]), generator)), question.source.text)
        return replace(question, source=Source(text, question.source.name))
    at = {name: near_entries(value, generator) for name, value in question.at.items()}
    return replace(question, at=at)


def near_entries(value: Value, generator: random.Random) -> Value:
    drawn = [near(entry, generator) for entry in np.ravel(value).tolist()]
    return np.reshape(np.array(drawn, np.float64), np.shape(value))[()]


def near(value: float, generator: random.Random) -> float:
    """Draw a number of the same sign, with two digits."""
    return float(f"{value * generator.choice(FACTORS):.2g}")
