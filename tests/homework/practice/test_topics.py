"""The topics that ship: lint finds nothing in them, nor in what is drawn for them, and their answers are right."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from gradcli.homework.answer_file import answers
from gradcli.homework.assignment.choices import Draws
from gradcli.homework.lint.lint import findings, of_question
from gradcli.homework.practice.drawing import fresh, near_to
from gradcli.homework.practice.session import Session
from gradcli.homework.practice.topics import FOLDER, ORDER, topic
from gradcli.source import Source
from tests.programs import some


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
@pytest.mark.parametrize("name", some(ORDER, 2))
def test_fresh_values_pass_lint_and_are_others(name: str) -> None:
    assignment, draws = topic(name), Draws(b"", "1")
    for question in assignment.questions:
        keys = [fresh(question, assignment, draws) for _ in range(2)]
        assert [list(of_question(key)) for key in keys] == [[], []]
        assert len({f"{key.question.source.text}{key.question.at}" for key in keys}) > 1


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


def test_numbers_of_options_and_sizes_stay() -> None:
    script = """
import torch
w = torch.tensor([1.5, -2.0], requires_grad=True)
optimizer = torch.optim.SGD([w], lr=0.1)
y = (w.sum() * 0.25) ** 2 + 7.
y.backward()
"""
    question = topic("accumulation").questions[0]
    own = replace(question, source=Source(script, "s"), asks=question.asks[1:])
    moved = fresh(own, topic("accumulation"), Draws(b"", "1")).question.source.text
    assert "lr=0.1)" in moved
    assert "** 2 +" in moved
    assert not re.search(r"1\.5|2\.0|0\.25|7\.$", moved)
