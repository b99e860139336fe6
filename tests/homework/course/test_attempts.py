"""Attempts: which one counts, what is left of its points, and two files of one attempt."""

from __future__ import annotations

from pathlib import Path

import pytest

from gradcli.homework.course.layouts import collected, counted, to_grade
from gradcli.homework.model import Marked, Result
from gradcli.homework.submission.files import File
from gradcli.homework.submission.hand_ins import HandIn
from tests.homework.asking import files_of


def attempts(tmp_path: Path, *names: str, rule: str = "best") -> list[tuple[str, int | None, str]]:
    for name in names:
        (tmp_path / "a" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "a" / name).write_text("[d]\ns = 9\n")
    found = to_grade(collected(files_of([str(tmp_path / "a")]), has_attempts=True), rule)
    return [(item.student, item.attempt, item.submission.unreadable if item.submission else "") for item in found]


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (["ada.txt", "ada_attempt2.txt", "bob.txt"], [("ada", None), ("ada", 2), ("bob", None)]),
        (["ada/attempt_2/x.txt", "ada/attempt_10/x.txt", "bob/attempt_1/x.txt"], [("ada", 10), ("ada", 2), ("bob", 1)]),
        (["ada/x.txt", "ada_attempt2/x.txt", "bob/x.txt"], [("ada", None), ("ada", 2), ("bob", None)]),
    ],
)
def test_names_that_record_attempts(tmp_path: Path, names: list[str], expected: list[tuple[str, int | None]]) -> None:
    assert [item[:2] for item in attempts(tmp_path, *names)] == expected


@pytest.mark.parametrize("rule", ["best", "last"])
def test_two_files_of_one_attempt_are_the_student_s_error(tmp_path: Path, rule: str) -> None:
    names = ["ada.txt", "ada_attempt2.txt", "ada_attempt2.md", "bob.txt"]
    (ada, bob) = attempts(tmp_path, *names, rule=rule)
    assert ada[2].startswith("this student is found 2 times: in ")
    assert bob == ("bob", None, "")


def result(student: str, *points: float) -> Result:
    answers = (Marked("d", str(n), "1", 1.0, "correct", one, 3.0) for n, one in enumerate(points))
    return Result(f"{student}.txt", student, tuple(answers))


def best(*scores: float, penalty: float = 0.0) -> tuple[float, tuple[str, ...]]:
    pairs = [
        (HandIn(File(Path("x")), "ada", attempt=number if number > 1 else None), result("ada", score))
        for number, score in enumerate(scores, 1)
    ]
    (found,) = counted(pairs, penalty)
    return found.score, found.notes


def test_the_best_one_counts_less_its_penalty() -> None:
    assert best(2.0) == (2.0, ())
    assert best(1.0, 3.0, 2.0) == (3.0, ("attempt 2 counts as the best of 3",))
    assert best(2.8, 3.0, penalty=0.1) == (2.8, ("attempt 1 counts as the best of 2",))
    assert best(2.0, 3.0, penalty=0.1) == (2.7, ("attempt 2 counts as the best of 2, with 90% of its points",))
    assert best(0.0, 0.0, 3.0, penalty=0.6) == (0.0, ("attempt 1 counts as the best of 3",))
