"""A class graded in one process and in several, work that goes to another process, and answers that end theirs."""

from __future__ import annotations

import ctypes
import pickle
from dataclasses import replace
from itertools import product
from mmap import mmap
from pathlib import Path
from typing import Any

import pytest

from gradcli.errors import UsageError
from gradcli.homework.assignment.assignments import Assignment, Question, read_assignment
from gradcli.homework.course.layouts import collected
from gradcli.homework.grading import Grader, Grading, Item, graded
from gradcli.homework.key import Key
from gradcli.homework.model import ENDINGS
from gradcli.homework.submission.files import File
from gradcli.homework.submission.hand_ins import HandIn
from gradcli.source import Source
from gradcli.workers import pool
from gradcli.workers.limits import Limits
from tests.homework.asking import files_of
from tests.programs import some

SAMPLES = Path(__file__).parents[2] / "samples" / "homework"


@pytest.fixture(autouse=True)
def often(monkeypatch: pytest.MonkeyPatch) -> None:
    """Look at the clocks more often than a command does, whose items have seconds."""
    monkeypatch.setattr(pool, "TICK", 0.02)


def assignment(name: str) -> Assignment:
    return read_assignment(Source((SAMPLES / f"{name}.toml").read_text(encoding="utf-8"), name))


def grader(name: str) -> Grader:
    return Grader(assignment(name))


@pytest.mark.parametrize("jobs", [1, 2])
def test_results_stand_in_the_order_of_files_and_rows(tmp_path: Path, jobs: int) -> None:
    files = [tmp_path / name for name in ("one.txt", "class.csv", "gone.txt", "two.json")]
    files[0].write_text("[diamond]\ns = 1\n")
    rows = [f"student {n},diamond,s,{n}" for n in range(40)]
    files[1].write_text("\n".join(["student,question,quantity,answer", *rows]))
    files[3].write_text("{}")
    found = list(graded(assignment("chain_rule"), list(collected(list(map(File, files)))), jobs))
    assert [one.student for one in found] == ["one", *(f"student {n}" for n in range(40)), "gone", "two"]
    assert [one.remarks for one in found if one.remarks] == [("it cannot be read: No such file or directory",)]


@pytest.mark.slow
@pytest.mark.parametrize("reason", ENDINGS)
def test_the_answer_at_which_grading_was_ended_costs_no_other(reason: str) -> None:
    submission, chain_rule = HandIn(File(SAMPLES / "chain_rule" / "perfect.txt"), "ada").read(), grader("chain_rule")
    for place, one in some(enumerate(submission.given), 3, list(ENDINGS).index(reason)):
        given = (*submission.given[:place], one.ended(reason), *submission.given[place + 1 :])
        result = chain_rule.grade(replace(submission, given=given))
        (ended,) = [answer for answer in result.answers if answer.reason]
        assert (ended.verdict, ended.points, ended.reason, ended.remark) == ("unreadable", 0.0, reason, ENDINGS[reason])
        assert {answer.verdict for answer in result.answers if answer is not ended} == {"correct"}
        assert (result.reason, result.is_right) == (None, False)


@pytest.mark.parametrize("reason", ENDINGS)
def test_a_submission_that_was_ended_has_no_points(reason: str) -> None:
    submission = HandIn(File(SAMPLES / "chain_rule" / "perfect.txt"), "ada").read()
    result = grader("chain_rule").grade(submission.ended(reason))
    assert (result.reason, result.unreadable, result.remarks) == (reason, ENDINGS[reason], (ENDINGS[reason],))
    assert {(answer.verdict, answer.points, answer.reason) for answer in result.answers} == {("unreadable", 0.0, None)}
    assert not result.is_right


@pytest.mark.slow
@pytest.mark.parametrize("name", ["chain_rule", "autograd"])
def test_work_that_is_sent_to_another_process_grades_alike(name: str) -> None:
    own = Grading(assignment(name))
    other = pickle.loads(pickle.dumps(own))
    items = [Item(one) for one in collected(files_of([str(SAMPLES / name)]))]
    assert repr(other(items)) == repr(own(items))


HANGING = """
[[question]]
id = "first"
program = "y = x**2"
at = {x = 3}
ask = ["y", "dy/dx"]
[[question]]
id = "second"
program = "z = x**3"
at = {x = 2}
ask = ["z", "dz/dx"]
"""
RIGHT = {"y": "9", "dy/dx": "6", "z": "8", "dz/dx": "12"}
ENDS = {
    "time": lambda: ("a" * 10**6).rfind("ab" + "a" * 400_000),
    "memory": lambda: bytearray(2**40),
    "crash": lambda: ctypes.string_at(0),
    "bug": lambda: {}["nothing"],
}
FATAL = [("y",), ("dy/dx",), ("dz/dx",), ("dy/dx", "z"), ("y", "z", "dz/dx"), tuple(RIGHT)]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("reason", "fatal"),
    [case for start, reason in enumerate(ENDS) for case in some(product([reason], FATAL), 6, start)],
)
def test_an_answer_that_ends_its_process_costs_itself_and_where_it_is_the_second_what_follows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, reason: str, fatal: tuple[str, ...]
) -> None:
    texts = {quantity: f"{'666' if quantity in fatal else right}" for quantity, right in RIGHT.items()}
    lines = [f"{quantity} = {text}" for quantity, text in texts.items()]
    mixed = "\n".join(["[first]", *lines[:2], "[second]", *lines[2:]])
    right = "[first]\ny = 9\ndy/dx = 6\n[second]\nz = 8\ndz/dx = 12\n"
    for name in ("ada", "ben", "cleo"):
        (tmp_path / f"{name}.txt").write_text(mixed if name == "ben" else right)
    monkeypatch.setattr(Key, "judged", ending(Key.judged, ENDS[reason]))
    bugs: list[str] = []
    limits = Limits(0.1 if reason == "time" else 20.0)
    files = list(collected(files_of([str(tmp_path)])))
    ada, ben, cleo = graded(read_assignment(Source(HANGING, "week.toml")), files, 1, limits, bugs)
    assert ada.is_right
    assert cleo.is_right
    assert (ben.reason, ben.is_right) == (None, False)
    ended = {answer.quantity: answer.reason for answer in ben.answers if answer.reason}
    after = list(RIGHT)[list(RIGHT).index(fatal[1]) :] if len(fatal) > 1 else []
    assert ended == dict.fromkeys([fatal[0], *after], "crash" if reason == "bug" else reason)
    assert all(answer.verdict == "correct" for answer in ben.answers if not answer.reason)
    assert all("KeyError" in bug for bug in bugs)
    assert bool(bugs) == (reason == "bug")


def ending(judged: Any, end: Any) -> Any:
    """Return a method that ends its process at the answer 666."""
    return lambda self, ask, text, *how: end() if text == "666" else judged(self, ask, text, *how)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "place"),
    [("__init__", "neuron"), ("judged", "dq/ds"), ("diagnosed", "q")],
)
def test_a_process_that_is_killed_once_costs_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, place: str
) -> None:
    method, killed = getattr(Key, name), mmap(-1, 1)  # which all processes see

    def dying(self: Key, what: Any, *others: Any, **options: Any) -> Any:
        if killed[0] == 0 and place in (getattr(what, "id", None), getattr(what, "written", None)):
            killed[0] = 1
            ctypes.string_at(0)
        return method(self, what, *others, **options)

    for one in ("ada", "ben", "cleo"):
        text = (SAMPLES / "chain_rule" / "perfect.txt").read_text(encoding="utf-8")
        wrong = text.replace("q = 26*24", "q = 7") if one == "ben" else text
        (tmp_path / f"{one}.txt").write_text(wrong, encoding="utf-8")
    right = list(graded(assignment("chain_rule"), list(collected(files_of([str(tmp_path)])))))
    monkeypatch.setattr(Key, name, dying)
    assert repr(list(graded(assignment("chain_rule"), list(collected(files_of([str(tmp_path)])))))) == repr(right)
    assert killed[0] == 1


@pytest.mark.slow
@pytest.mark.parametrize("reason", ENDS)
def test_keys_that_cannot_be_made_are_an_error_of_their_question(monkeypatch: pytest.MonkeyPatch, reason: str) -> None:
    made = Key.__init__

    def make(self: Key, question: Question, assignment: Assignment, **options: Any) -> None:
        if question.id == "second":
            ENDS[reason]()
        made(self, question, assignment, **options)

    monkeypatch.setattr(Key, "__init__", make)
    with pytest.raises(
        UsageError, match=r"question second: computing its answers: it (takes more than|crashes)"
    ) as told:
        graded(read_assignment(Source(HANGING, "week.toml")), [], 1, Limits(0.1 if reason == "time" else 20.0))
    assert told.value.span is not None
