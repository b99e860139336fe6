"""The topics that ship: lint finds nothing in them, nor in what is drawn for them, and their answers are right."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from gradcli.homework.assignment.lint import findings, of_question
from gradcli.homework.assignment.worked import answers
from gradcli.homework.practice.drawing import fresh, redrawn
from gradcli.homework.practice.session import Session
from gradcli.homework.practice.topics import FOLDER, ORDER, topic
from gradcli.source import Source


def test_every_file_is_a_topic() -> None:
    assert sorted(ORDER) == sorted(Path(str(file)).stem for file in FOLDER.iterdir())


@pytest.mark.parametrize("name", ORDER)
def test_a_topic_passes_lint(name: str) -> None:
    assignment = topic(name)
    assert list(findings(assignment)) == []
    assert assignment.title
    assert all(question.text for question in assignment.questions)


@pytest.mark.slow
@pytest.mark.parametrize("name", ORDER)
def test_fresh_values_pass_lint_and_are_others(name: str) -> None:
    """The last question of the last topic has no number to draw that its answers show."""
    assignment, generator = topic(name), random.Random(1)
    for question in assignment.questions:
        key = fresh(question, assignment, generator)
        assert list(of_question(key)) == []
        assert key.question.source.text != question.source.text or repr(key.question.at) != repr(question.at)


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
    question = topic("two-layers").questions[0]
    moved = redrawn(question, random.Random(3))
    for name, value in question.at.items():
        assert np.shape(moved.at[name]) == np.shape(value)
        assert np.array_equal(np.sign(moved.at[name]), np.sign(value))


def test_numbers_of_options_and_sizes_stay() -> None:
    question = topic("accumulation").questions[0]
    script = "x = torch.tensor([1.5, -2.0]) * w2.data\ny = f(x, lr=0.1, n=3)\nz = 0.25 if 10 else 7.\n"
    moved = redrawn(replace(question, source=Source(script, "s")), random.Random(3)).source.text
    assert "lr=0.1, n=3" in moved
    assert "w2.data" in moved
    assert "if 10 else" in moved
    assert not {"1.5", "2.0", "0.25", "7."} & set(moved.replace("]", " ").replace("[", " ").replace(",", " ").split())
