"""A class added up one by one is the class added up at once."""

from __future__ import annotations

import sys
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gradcli.homework.model import CREDITED, ENDINGS, Result
from gradcli.homework.totals import LONGEST, ClassTotals, Ungraded, codes
from tests.homework.results import ASSIGNMENT, CLASS, ENDED, PARTLY, PERFECT, results, unread


def added(members: list[Result]) -> ClassTotals:
    totals = ClassTotals(ASSIGNMENT)
    for result in members:
        totals.add(result)
    return totals


@pytest.mark.slow
@settings(max_examples=25)
@given(st.lists(results(), max_size=3))
def test_sums(members: list[Result]) -> None:
    totals = added(members)
    asked = [(question.id, quantity) for question in ASSIGNMENT.questions for quantity in question.quantities]
    present = [result for result in members if result.is_counted]
    known = [a for result in present for a in result.answers if (a.question, a.quantity) in asked]
    assert totals.is_right == all(result.is_right for result in members)
    assert [student.score for student in totals.students] == [result.score for result in members]
    for student, result in zip(totals.students, members, strict=True):
        credited = sum(answer.verdict in CREDITED for answer in result.answers)
        assert student.wrong + student.unreadable + student.missing + credited == len(result.answers)
    assert len(totals.ungraded) == sum(
        bool(result.unreadable) + sum(answer.reason is not None for answer in result.answers) for result in members
    )
    for question, share in totals.shares.items():
        own = [a for a in known if a.question == question]
        assert (share.answers, share.right) == (len(own), sum(a.verdict in CREDITED for a in own))
        assert share.points == sum(a.points for a in own)
    for mistake in totals.mistakes:
        own = [a for a in known if mistake.code in codes(a.diagnoses)]
        assert mistake.answers == len(own) == sum(count for _, count in mistake.questions)
        makers = [r for r in members if any(a is b for a in r.answers for b in own)]
        assert mistake.students == len(makers)


def test_a_class() -> None:
    totals = added(list(CLASS))
    assert not totals.is_right
    assert [student.mistake for student in totals.students] == ["", "fanout-overwrite", ""]
    assert [(s.wrong, s.unreadable, s.missing, s.remarks) for s in totals.students] == [
        (0, 0, 0, 0),
        (4, 0, 1, 0),
        (1, 2, 0, 1),
    ]
    (mistake,) = totals.mistakes
    assert (mistake.code, mistake.students, mistake.answers) == ("fanout-overwrite", 1, 1)
    assert mistake.title == "kept one branch where the branches add up"
    assert mistake.questions == (("diamond", 1),)
    assert list(totals.shares) == ["diamond", "chain"]


def test_what_was_not_graded_is_listed() -> None:
    long = "x" * 10**6
    whole = unread("class/dan.txt", "dan", ENDINGS["crash"], "crash")
    totals = added(
        [PERFECT, replace(PARTLY, answers=(*PARTLY.answers[:1], ENDED)), whole, unread(long, long, long, None)]
    )
    assert not totals.is_right
    assert totals.ungraded[:2] == [
        Ungraded("ada", "class/ada.txt", "diamond", "dq/ds", "time", "grading it took too long"),
        Ungraded("dan", "class/dan.txt", None, None, "crash", "grading it crashed"),
    ]
    assert totals.ungraded[2] == Ungraded("x" * LONGEST, "x" * LONGEST, None, None, None, "x" * LONGEST)


def test_what_students_make_up_is_not_kept() -> None:
    answer = PARTLY.answers[1]
    made_up = tuple(replace(answer, question=f"made up {n}") for n in range(1000))
    made_up += tuple(replace(answer, quantity=f"made up {n}") for n in range(1000))
    totals = added([Result("f", "x" * 10**6, made_up)])
    assert set(totals.shares) == {"diamond", "chain"}
    assert totals.mistakes == []
    assert totals.shares["diamond"].answers == 0
    assert len(totals.students[0].name) == LONGEST
    assert sys.getsizeof(totals.students[0]) < 200
