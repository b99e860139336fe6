"""A class graded in one process and in several, and graders that go to another process."""

from __future__ import annotations

import pickle
from dataclasses import replace
from pathlib import Path

import pytest

from gradcli.homework.assignment.assignments import read_assignment
from gradcli.homework.grading import Grader, graded
from gradcli.homework.model import ENDINGS
from gradcli.homework.submission.submissions import submissions
from gradcli.source import Source

SAMPLES = Path(__file__).parents[2] / "samples" / "homework"


def grader(name: str) -> Grader:
    return Grader(read_assignment(Source((SAMPLES / f"{name}.toml").read_text(encoding="utf-8"), name)))


@pytest.mark.parametrize("jobs", [1, 2])
def test_results_stand_in_the_order_of_files_and_rows(tmp_path: Path, jobs: int) -> None:
    files = [tmp_path / name for name in ("one.txt", "class.csv", "gone.txt", "two.json")]
    files[0].write_text("[diamond]\ns = 1\n")
    rows = [f"student {n},diamond,s,{n}" for n in range(40)]
    files[1].write_text("\n".join(["student,question,quantity,answer", *rows]))
    files[3].write_text("{}")
    found = list(graded(grader("chain_rule"), files, jobs))
    assert [one.student for one in found] == ["one", *(f"student {n}" for n in range(40)), "gone", "two"]
    assert [one.remarks for one in found if one.remarks] == [("it cannot be read: No such file or directory",)]


@pytest.mark.parametrize("reason", ENDINGS)
def test_the_answer_at_which_grading_was_ended_costs_no_other(reason: str) -> None:
    (submission,) = submissions(SAMPLES / "chain_rule" / "perfect.txt")
    for place, one in enumerate(submission.given):
        given = (*submission.given[:place], one.ended(reason), *submission.given[place + 1 :])
        result = grader("chain_rule").grade(replace(submission, given=given))
        (ended,) = [answer for answer in result.answers if answer.reason]
        assert (ended.verdict, ended.points, ended.reason, ended.remark) == ("unreadable", 0.0, reason, ENDINGS[reason])
        assert {answer.verdict for answer in result.answers if answer is not ended} == {"correct"}
        assert (result.reason, result.is_right) == (None, False)


@pytest.mark.parametrize("reason", ENDINGS)
def test_a_submission_that_was_ended_has_no_points(reason: str) -> None:
    (submission,) = submissions(SAMPLES / "chain_rule" / "perfect.txt")
    result = grader("chain_rule").grade(submission.ended(reason))
    assert (result.reason, result.unreadable, result.remarks) == (reason, ENDINGS[reason], (ENDINGS[reason],))
    assert {(answer.verdict, answer.points, answer.reason) for answer in result.answers} == {("unreadable", 0.0, None)}
    assert not result.is_right


@pytest.mark.parametrize("name", ["chain_rule", "autograd"])
def test_a_pickled_grader_grades_alike(name: str) -> None:
    own = grader(name)
    other = pickle.loads(pickle.dumps(own))
    files = sorted((SAMPLES / name).iterdir())
    assert [repr(one) for one in graded(other, files)] == [repr(one) for one in graded(own, files)]
