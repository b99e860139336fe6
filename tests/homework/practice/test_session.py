"""A session: what is told when, and what counts."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from gradcli.homework.assignment.assignments import read_assignment
from gradcli.homework.disclosure import WITHHELD
from gradcli.homework.practice.session import Exercise, Score, Session, Told
from gradcli.source import Source

ASSIGNMENT = read_assignment(
    Source(
        """
[[question]]
id = "diamond"
program = "s = x**2; p = s + 1.5; m = s - 0.7; q = p*m"
at.x = 1.7
ask = [{ quantity = "dq/ds", points = 2 }, "dq/dx"]
""",
        "week1.toml",
    )
)


@pytest.fixture
def session() -> Session:
    return Session(ASSIGNMENT, seed=1)


def first(session: Session) -> tuple[Exercise, Iterator[Exercise]]:
    exercises = iter(session)
    return next(exercises), exercises


def kept_one_branch(exercise: Exercise) -> Told:
    """The answer of one who forgets that s also feeds p."""
    return exercise.answer(repr(float(exercise.question.at["x"]) ** 2 + 1.5))


def hint(exercise: Exercise) -> Told:
    told = exercise.hint()
    assert told is not None
    return told


def test_a_wrong_answer_gets_verdict_node_rule_and_value(session: Session) -> None:
    exercise, _ = first(session)
    told = kept_one_branch(exercise)
    assert (told.level, told.is_over, told.answer.verdict, told.answer.diagnoses) == ("verdict", False, "wrong", ())
    told = hint(exercise)
    assert (told.level, told.is_over) == ("node", False)
    assert told.answer.diagnoses[0].message == "look again at s"
    told = hint(exercise)
    assert (told.level, told.is_over) == ("rule", False)
    assert "you kept the branch through m" in told.answer.diagnoses[0].message
    assert told.answer.expected is WITHHELD
    told = hint(exercise)
    assert (told.level, told.is_over) == ("value", True)
    assert float(told.answer.expected) == pytest.approx(2 * exercise.question.at["x"] ** 2 + 0.8)
    assert (session.score.given_up, session.score.points, session.score.max_points) == (1, 0, 2)


def test_a_right_answer_after_a_wrong_one_has_half_the_points(session: Session) -> None:
    exercise, others = first(session)
    kept_one_branch(exercise)
    hint(exercise)
    told = exercise.answer(repr(2 * float(exercise.question.at["x"]) ** 2 + 0.8))
    assert told.is_right
    assert told.is_over
    assert session.score == Score(with_help=1, points=1.0, max_points=2.0)
    assert next(others).number == 2


def test_a_new_wrong_answer_is_told_about_from_the_beginning(session: Session) -> None:
    exercise, _ = first(session)
    kept_one_branch(exercise)
    assert [hint(exercise).level, hint(exercise).level] == ["node", "rule"]
    assert exercise.answer("123.456").level == "verdict"
    kept_one_branch(exercise)
    assert hint(exercise).level == "node"


@pytest.mark.parametrize("text", ["x y", "0.32.1", "", "[1, 2"])
def test_what_cannot_be_read_costs_nothing(session: Session, text: str) -> None:
    exercise, _ = first(session)
    assert exercise.answer(text).answer.verdict == "unreadable"
    assert not exercise.is_over
    assert exercise.hint() is None
    assert exercise.answer(repr(2 * float(exercise.question.at["x"]) ** 2 + 0.8)).is_right
    assert session.score.at_once == 1


def test_giving_up_shows_what_is_right(session: Session) -> None:
    exercise, _ = first(session)
    told = exercise.give_up()
    assert (told.level, told.is_over, told.is_right, told.answer.given) == ("value", True, False, None)
    assert told.answer.expected is not WITHHELD
    assert session.score == Score(given_up=1, max_points=2.0)


@pytest.mark.slow
def test_a_seed_gives_the_same_values(session: Session) -> None:
    def values(seed: int, count: int) -> list[object]:
        return [dict(one.question.at) for one in Session(ASSIGNMENT, seed, count)]

    assert values(4, 6) == values(4, 6)
    assert values(4, 6) != values(5, 6)
    assert values(4, 6)[0] != values(4, 6)[2], "each time a question comes, it has other values"


def test_a_number_that_is_off_by_coarse_rounding_is_wrong() -> None:
    """A root rounded to two digits, and its sixth power."""
    body = "[[question]]\nid = 'root'\nprogram = 'u = sqrt(x); y = u**6'\nat.x = 2.4\nask = ['y']\n"
    exercise = next(iter(Session(read_assignment(Source(body, "week1.toml")), seed=1)))
    x = float(exercise.question.at["x"])
    coarse, fine = f"{float(f'{x**0.5:.1e}') ** 6:.2g}", f"{x**3:.2g}"
    assert exercise.answer(coarse).answer.verdict == ("wrong" if coarse != fine else "precision")


def test_a_wrong_shape_is_told_before_the_value(session: Session) -> None:
    exercise, _ = first(session)
    assert exercise.answer("[1, 2]").answer.verdict == "shape"
    told = hint(exercise)
    assert (told.level, told.is_over, told.answer.remark) == ("node", False, "it should be a single number")
    assert hint(exercise).is_over
