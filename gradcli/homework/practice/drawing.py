"""Fresh values for a question, drawn as those of a sheet are: until no wrong method gives the right answer.

What varies from sheet to sheet varies here; the values of any other question become numbers near to its own.
"""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np

from gradcli.errors import UsageError
from gradcli.homework.assignment.assignments import Assignment, Question
from gradcli.homework.assignment.choices import Choice, Draws
from gradcli.homework.course.sheets import QuestionSheets
from gradcli.homework.key import Key
from gradcli.homework.lint.lint import of_question
from gradcli.homework.lint.proposals import FACTORS, rounded
from gradcli.homework.model import Value
from gradcli.source import Source

TENSORS = 40  # that a tensor may become
TRIED = 40  # snippets with other numbers, before one keeps its own
NUMBER = re.compile(r"(?<![\w.=])\d+\.\d*(?![\w.])")  # of a snippet; not `lr=0.1`, nor whole numbers, which are sizes


def fresh(question: Question, assignment: Assignment, draws: Draws) -> Key:
    """Return the key of a question with other values, or with its own where none are found that do."""
    question.computing()
    if question.is_script and not question.varies:
        return fresh_snippet(question, assignment, draws)
    varies = question.varies or {name: near_to(value, draws) for name, value in question.at.items()}
    if not varies:
        return Key(question, assignment)
    try:
        return Key(
            question.moved(QuestionSheets(replace(question, varies=varies), assignment).drawn(draws)), assignment
        )
    except UsageError:
        return Key(question, assignment)


def fresh_snippet(question: Question, assignment: Assignment, draws: Draws) -> Key:
    """Return the key of a snippet with other numbers in its text."""
    for _ in range(TRIED):
        question.computing()
        text = NUMBER.sub(lambda found: repr(near(float(found[0]), draws)), question.source.text)
        try:
            key = Key(replace(question, source=Source(text, question.source.name)), assignment)
        except UsageError:  # with these numbers it ends in an error, or has no answer
            continue
        if all(one.help for one in of_question(key)):
            return key
    return Key(question, assignment)


def near_to(value: Value, draws: Draws) -> Choice:
    """Return the choice of values with the shape and the signs of one."""
    if np.ndim(value) == 0:
        return Choice(tuple(np.float64(rounded(float(value) * factor)) for factor in FACTORS))
    entries = np.ravel(value).tolist()
    drawn = ([near(entry, draws) for entry in entries] for _ in range(TENSORS))
    return Choice(tuple(np.reshape(np.array(one, np.float64), np.shape(value)) for one in drawn))


def near(value: float, draws: Draws) -> float:
    """Draw a number of the same sign, with two digits."""
    return rounded(value * FACTORS[draws.below(len(FACTORS))])
