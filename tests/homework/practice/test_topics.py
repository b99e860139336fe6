"""The topics that ship: lint finds nothing in them, nor in what is drawn for them, and their answers are right."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from gradcli.homework.answer_file import answers
from gradcli.homework.assignment.choices import Draws
from gradcli.homework.lint.lint import findings
from gradcli.homework.practice.drawing import near_to
from gradcli.homework.practice.session import Session
from gradcli.homework.practice.topics import FOLDER, ORDER, topic


def test_every_file_is_a_topic() -> None:
    assert sorted(ORDER) == sorted(Path(str(file)).stem for file in FOLDER.iterdir())


@pytest.mark.slow
@pytest.mark.parametrize("name", ORDER)
def test_a_topic_passes_lint(name: str) -> None:
    assignment = topic(name)
    assert list(findings(assignment)) == []
    assert assignment.title
    assert all(question.text for question in assignment.questions)


@pytest.mark.slow
@pytest.mark.parametrize("name", ORDER)
def test_right_answers_have_all_points(name: str) -> None:
    session = Session(topic(name), seed=5)
    for exercise in session:
        told = exercise.answer(answers(exercise.key)[exercise.ask.written])
        assert told.is_right
        assert told.is_over
    assert session.score.points == session.score.max_points > 0
    assert session.score.at_once == session.score.asked == session.count


def test_a_value_keeps_its_sign_and_its_shape() -> None:
    """Of an assignment in which nothing varies."""
    value = np.array([[1.2, -0.5, 0.0], [3.0, 4.0, -5.0]])
    choice = near_to(value, Draws(b"", "1"))
    for seed in range(5):
        drawn = choice.drawn(Draws(b"", str(seed)))
        assert drawn.shape == value.shape
        assert np.array_equal(np.sign(drawn), np.sign(value))
        assert not np.array_equal(drawn, value)
