"""The synthetic class agrees with the engine on what is right, and the diagnoses reach their bars on a small one."""

from __future__ import annotations

import numpy as np
import pytest

from gradcli.homework.assignment.assignments import read_assignment
from gradcli.homework.grading import Grader
from gradcli.source import Source
from tests.homework.klass.course import MAKERS, questions
from tests.homework.klass.model import Draw
from tests.homework.klass.students import students
from tests.homework.klass.table import measured, sheet, table
from tests.homework.klass.typing import typed_sheet


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2))
def test_both_arithmetics_agree(seed: int) -> None:
    made = [maker(Draw(seed)) for maker in MAKERS]
    grader = Grader(read_assignment(Source("".join(one.toml() for one in made), "class.toml")))
    for question in made:
        right, key = question.right(), grader.keys[question.id]
        for ask, step in zip(key.question.asks, [one for one in question.steps if one.quantity], strict=True):
            expected, own = key.expected[ask.quantity], right[step.name]
            if isinstance(own, bool | str):
                assert str(expected) == str(own)
            else:
                np.testing.assert_allclose(expected, own, rtol=1e-9, atol=1e-12)


@pytest.mark.slow
def test_a_small_class_reaches_the_bars() -> None:
    asked = questions(5)
    measure = measured(asked, list(students(asked, 24, 5)), typed_sheet)
    tally = measure.tally
    assert tally.share("verdict") >= 0.985, table(measure)
    assert tally.share("not wrongly credited") == 1, table(measure)
    assert tally.share("among") >= 0.96, table(measure)
    assert tally.share("first") >= 0.93, table(measure)
    assert tally.counts["certain is true of"] - tally.counts["certain is true"] <= 1, table(measure)
    assert tally.share("outside not certain") >= 0.97, table(measure)
    assert tally.share("something said") >= 0.98, table(measure)


def test_a_class_is_the_same_each_time() -> None:
    first, second = (list(students(questions(6), 3, 6)) for _ in range(2))
    assert list(map(typed_sheet, first)) == list(map(typed_sheet, second))
    assert list(map(sheet, first)) == list(map(sheet, second))
