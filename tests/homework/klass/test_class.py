"""The synthetic class agrees with the engine on what is right, and the diagnoses reach their bars on a small one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from gradcli.homework.assignment.assignments import read_assignment
from gradcli.homework.grading import Grader
from gradcli.source import Source
from tests.homework.klass.course import GUESTS, MAKERS, STRANGERS, questions
from tests.homework.klass.guests.hands import Guest
from tests.homework.klass.model import Draw
from tests.homework.klass.strangers.hands import Stranger
from tests.homework.klass.strangers.typing import strangely
from tests.homework.klass.students import Hand, students
from tests.homework.klass.table import in_their_ways, measured, sheet, table


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2))
def test_both_arithmetics_agree(seed: int) -> None:
    made = [maker(Draw(seed)) for maker in (*MAKERS, *STRANGERS, *GUESTS)]
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
@pytest.mark.parametrize(
    ("makers", "hand", "typist", "seed", "count"),
    [(MAKERS, Hand, sheet, 5, 24), (STRANGERS, Stranger, strangely, 9, 45)],
    ids=["first", "strangers"],
)
def test_a_small_class_reaches_the_bars(makers: Any, hand: Any, typist: Any, seed: int, count: int) -> None:
    asked = questions(seed, makers)
    measure = measured(asked, list(students(asked, count, 5, hand)), typist)
    tally = measure.tally
    assert tally.share("verdict") >= 0.985, table(measure)
    assert tally.share("among") >= 0.96, table(measure)
    assert tally.share("first") >= 0.93, table(measure)
    assert tally.share("certain is true") >= 0.98, table(measure)
    assert tally.share("outside not certain") >= 0.98, table(measure)
    assert tally.share("something said") >= 0.98, table(measure)


@pytest.mark.slow
def test_the_third_class_has_its_verdicts_though_it_makes_mistakes_that_nobody_knows() -> None:
    asked = questions(13, GUESTS)
    measure = measured(asked, list(students(asked, 45, 5, Guest)), strangely)
    assert measure.tally.share("verdict") >= 0.99, table(measure)
    assert measure.tally.share("not wrongly credited") == 1, table(measure)
    assert measure.tally.share("outside not certain") >= 0.98, table(measure)


@pytest.mark.slow
def test_a_class_is_the_same_each_time() -> None:
    asked = questions(6)
    first, second = (list(students(asked, 3, 6)) for _ in range(2))
    assert list(map(in_their_ways, first)) == list(map(in_their_ways, second))
