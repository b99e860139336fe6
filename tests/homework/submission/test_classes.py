"""Tables of a class: the columns, the rows, and who they are of."""

from __future__ import annotations

import csv
import re
from io import StringIO
from itertools import product
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from gradcli.homework.submission.classes import of_class, of_student, rows_of
from gradcli.homework.submission.names import identity
from gradcli.homework.submission.submissions import Given, Submission
from tests.homework.submission.diamond import GRADER, from_file, one
from tests.programs import some

CLASS = """\
Timestamp,Student,Question,Quantity,Answer
1,ada,d,s,9
2,bob,d,s,8
3,ada,d,q,"80"
4,ada,d,dq/ds,
,,,,
5,bob,d,q,"[1, 2]"
6,eve
"""


def answers(found: list[Submission]) -> dict[str, list[tuple[str, str | None]]]:
    return {submission.student: [(g.quantity, g.text) for g in submission.given] for submission in found}


EXPECTED = {
    "ada": [("s", "9"), ("q", "80"), ("dq/ds", None)],
    "bob": [("s", "8"), ("q", "[1, 2]")],
    "eve": [("", None)],
}


@pytest.mark.parametrize(
    "content",
    [
        CLASS.encode(),
        CLASS.replace("\n", "\r\n").encode("utf-8-sig"),
        CLASS.replace("[1, 2]", "[1; 2]").replace(",", ";").replace("[1; 2]", "[1, 2]").encode(),
        CLASS.replace("[1, 2]", "[1; 2]").replace(",", "\t").replace("[1; 2]", "[1, 2]").encode("utf-16"),
        CLASS.replace("Student,Question", " STUDENT , question").encode(),
        CLASS.replace("Answer\n", "Answer,Comment\n").encode(),
    ],
    ids=["plain", "windows", "semicolons", "excel", "header", "columns"],
)
def test_a_class(tmp_path: Path, content: bytes) -> None:
    found = from_file(tmp_path / "class.csv", content)
    assert answers(found) == EXPECTED
    assert {submission.file for submission in found} == {str(tmp_path / "class.csv")}


def test_a_class_without_students_is_one_student(tmp_path: Path) -> None:
    found = one(tmp_path / "ada.csv", "question,quantity,answer\nd,s,9\nd,q,80\n")
    assert (found.student, len(found.given)) == ("ada", 2)


@pytest.mark.parametrize(
    "text", ["", "student,question\nada,d\n", "a,b,c,d\n", "\n\n", "student question quantity answer"]
)
def test_columns_that_are_missing_are_named(tmp_path: Path, text: str) -> None:
    found = one(tmp_path / "class.csv", text)
    assert found.unreadable.startswith("its first line should be student,question,quantity,answer, and ")
    assert re.search(r"answer (is|are) missing$", found.unreadable)


PIECES = [
    "student",
    "question",
    "quantity",
    "answer",
    "ada",
    "d",
    "s",
    "9",
    ",",
    ";",
    "\t",
    '"',
    "\r",
    "\n",
    "\r\n",
    " ",
]


@given(st.lists(st.sampled_from(PIECES), max_size=30).map("".join))
@example('"\n\r')
@example('student\r"')
@example(",,,,student")
@example('student,question,quantity,answer\r"')
def test_any_table_has_rows_and_students(pieces: str) -> None:
    lines = [line for line, _ in rows_of(pieces)]
    assert lines == sorted(set(lines))
    for text in (pieces, f"student,question,quantity,answer\n{pieces}"):
        found = list(of_class("class.csv", "class", text))
        assert len({identity(one.student) for one in found}) == len(found)
        alone = of_student("class.csv", "class", text)
        assert alone.unreadable or found == [alone]


CELLS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), max_size=8)
CELLS |= st.sampled_from(['"', "a,b", "a\nada,d,s,0", "\r\n", '"",', ";", "=1", "'"])


@given(st.lists(st.tuples(CELLS, CELLS), max_size=6), st.lists(st.integers(0, 6), max_size=3))
def test_no_cell_of_one_student_is_a_row_of_another(rows: list[tuple[str, str]], places: list[int]) -> None:
    """Ada's answers are those in her rows, wherever others stand and whatever they write."""
    own = [("ada lovelace", f"{number}") for number in range(len(places))]
    table = [row for row in rows if identity(row[0]) != "ada lovelace"]
    for place, row in zip(sorted(places), own, strict=True):
        table.insert(place, row)
    text = StringIO()
    writer = csv.writer(text)
    writer.writerow(["student", "question", "quantity", "answer"])
    writer.writerows((who, "d", "s", answer) for who, answer in table)
    found = [one for one in of_class("class.csv", "class", text.getvalue()) if one.student == "ada lovelace"]
    answers = [given.text for one in found for given in one.given]
    assert sorted(map(str, answers)) == [answer for _, answer in own]


def test_one_student_in_several_spellings_is_told_with_the_lines() -> None:
    text = 'student,question,quantity,answer\nAda,d,s,"[9\n]"\nbob,d,s,9\nada ,d,q,80\nADA,d,q,80\nada,d,s,9\n'
    ada, bob = of_class("class.csv", "class", text)
    assert (ada.student, ada.given) == ("Ada", ())
    assert ada.unreadable == "this student is found twice: Ada on line 2, ada on line 5 and ADA on line 6"
    assert bob.given == (Given("d", "s", "9"),)
    (long,) = of_class("class.csv", "class", f"student,question,quantity,answer\n{'x' * 999},,,\n{'X' * 999},,,\n")
    assert long.unreadable == f"this student is found twice: {'x' * 37}... on line 2 and {'X' * 37}... on line 3"


def test_an_answer_that_is_given_twice_is_told_with_the_lines() -> None:
    text = "student,question,quantity,answer\nada,d,s,9\nada,d,q,80\nbob,d,q,80\nada,d,s,9\n"
    ada, _ = of_class("class.csv", "class", text)
    result = GRADER.grade(ada)
    assert (result.answers[0].verdict, result.answers[0].remark) == ("unreadable", "given 2 times, on lines 2 and 5")
    assert result.answers[1].verdict == "correct"


BROKEN = {
    "a zero": b"bo\0b,d,s,8",
    "a zero in the answer": b"bob,d,s,8\0",
    "a zero in the question": b"bob,d\0,s,8",
    "another encoding": b"bob,d,s,8 \xe9t\xe9",
    "half a letter": b"bob,d,s,8\xc3",
    "of no encoding": b"bob,d,s,\x81\x8d",
    "an escape": b"bob,d,s,8\x01",
    "the end of a line of an old Mac": b"bob,d,s,8\r9",
    "a quote that is not closed": b'bob,d,s,"8',
    "a quote inside": b'bob,d,s,8"9',
}


@pytest.mark.parametrize(("letters", "name", "place"), some(product(("", "é", "数"), BROKEN, range(3)), 7))
def test_a_broken_row_costs_no_other(tmp_path: Path, name: str, letters: str, place: int) -> None:
    rows = [f"ada{letters},d,s,9".encode(), b"cy,d,s,9"]
    rows.insert(place, BROKEN[name])
    found = from_file(tmp_path / "class.csv", b"\n".join([b"student,question,quantity,answer", *rows, b""]))
    graded = {submission.student: GRADER.grade(submission).answers for submission in found}
    assert len(graded) == 3
    is_right = {name: [one.verdict for one in own if one.quantity == "s"] for name, own in graded.items()}
    assert [is_right.pop(name)[:1] for name in (f"ada{letters}", "cy")] == [["correct"], ["correct"]]
    ((_, verdicts),) = is_right.items()
    assert "correct" not in verdicts
    assert set(verdicts) <= {"unreadable", "missing", "wrong"}


def test_two_quotes_that_are_not_closed_hide_no_row_between(tmp_path: Path) -> None:
    text = 'student,question,quantity,answer\nada,d,s,9\nbob,d,s,"8\ncy,d,s,9\ndan,d,s,8"\neve,d,s,9\n'
    found = from_file(tmp_path / "class.csv", text.encode())
    assert [submission.student for submission in found] == ["ada", "bob", "cy", "dan", "eve"]
