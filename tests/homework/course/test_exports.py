"""Sheets with a column a question: the exports of ten systems, mappings, attempts, lateness and what is refused."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

import pytest

from gradcli.errors import UsageError
from gradcli.homework.assignment.assignments import read_assignment
from gradcli.homework.course.columns import read_mapping
from gradcli.homework.course.exports import rows_by_sheet
from gradcli.homework.course.lateness import DAY, days_late, on_time, times_of
from gradcli.homework.course.layouts import collected, to_grade
from gradcli.homework.course.roster import read_roster
from gradcli.homework.grading import labels_of
from gradcli.homework.model import Marked, Result
from gradcli.homework.submission.files import File
from gradcli.homework.submission.hand_ins import HandIn
from gradcli.source import Source
from tests.homework.course import systems

WEEK = """\
[[question]]
id = "diamond"
program = '''
s = x**2
q = (s + 1)*(s - 1)
'''
at = { x = 2 }
ask = ["s", "dq/ds"]
[[question]]
id = "chain"
program = "y = 3*x**2"
at = { x = 2 }
ask = ["dy/dx"]
"""
ROSTER = read_roster("id,name,email\n17,Ada Lovelace,ada@x.org\n18,Alan Turing,alan@x.org\n", "roster.csv")
CLASS = read_roster(
    "id,name,email\n" + "".join(f"{id},{first} {last},{mail}\n" for id, first, last, mail in systems.STUDENTS),
    "class.csv",
)
LABELS = labels_of(read_assignment(Source(WEEK, "week.toml")))
WHOLE = {"17": {"s": "4", "dq/ds": "8", "dy/dx": "12"}, "18": {"s": "4", "dq/ds": "8", "dy/dx": "11"}}
EXPORTS = sorted((Path(__file__).parent / "exports").glob("*.csv"))
QUALTRICS = '"ExternalReference" = "id"\nQ1 = "diamond: s"\nQ2 = "diamond: dq/ds"\nQ3 = "chain"\n'


def read(tmp_path: Path, text: str, mapping: str = "", *, has_attempts: bool = False) -> list[HandIn]:
    file = File(tmp_path / "class.csv")
    file.path.write_text(text, encoding="utf-8")
    sheets = rows_by_sheet(LABELS, read_mapping(Source(mapping, "map.toml")) if mapping else None, [file])
    return list(collected([file], ROSTER, sheets=sheets, has_attempts=has_attempts))


def answers(items: list[HandIn]) -> dict[str, dict[str, str | None]]:
    return {item.student: {one.quantity: one.text for one in item.read(LABELS).given} for item in items}


@pytest.mark.parametrize("export", EXPORTS, ids=lambda path: path.stem)
def test_an_export_has_the_answers_of_its_students(tmp_path: Path, export: Path) -> None:
    items = read(tmp_path, export.read_text(encoding="utf-8"), QUALTRICS if export.stem == "qualtrics" else "")
    assert [item.read(LABELS).unreadable for item in items] == ["", ""]
    assert answers(items) == WHOLE


@pytest.mark.parametrize("seed", range(6))
def test_exports_of_eleven_systems_have_every_student_and_no_other(tmp_path: Path, seed: int) -> None:
    for name, content, expected in systems.exports(seed):
        file = File(tmp_path / f"{name}.csv")
        file.path.write_bytes(content)
        sheets = rows_by_sheet(LABELS, None, [file])
        items = to_grade(collected([file], CLASS, sheets=sheets, has_attempts=True), "last")
        texts = {item.student: {one.quantity: one.text or "" for one in item.read(LABELS).given} for item in items}
        assert {
            who: [own.get(ask.partition(": ")[2], "") for ask in systems.ASKED] for who, own in texts.items()
        } == expected


@pytest.mark.parametrize(
    "header",
    [
        "UID,1a) Give s,1b) Give its use in q,2) Give dy/dx",
        "SID,s (diamond),dq/ds (diamond),dy/dx",
        "Matr.-Nr.,Aufgabe 1: s,Aufgabe 1: dq/ds,Aufgabe 2",
        "student,diamond/s,diamond/dq_ds,chain/dy_dx",
    ],
)
def test_headers_that_leave_no_doubt(tmp_path: Path, header: str) -> None:
    rows = "17,4,8,12\n18,4,8,11\n"
    if header.startswith("ID,"):
        rows = "1,,,anonymous,17,4,8,12\n2,,,anonymous,18,4,8,11\n"
    assert answers(read(tmp_path, f"{header}\n{rows}")) == WHOLE


HEADER = "id,name,email,diamond: s,diamond: dq/ds,chain\n"
ADA, ALAN = "17,Ada Lovelace,ada@x.org,4,8,12\n", "18,Alan Turing,alan@x.org,4,8,11\n"


@pytest.mark.filterwarnings("ignore:no column")
@pytest.mark.parametrize(
    ("text", "mapping", "says"),
    [
        (HEADER + ADA, "id = 'id'\nemail = 'student'\n", "two columns for id"),
        (HEADER + ADA, "id = 'id'\nname = 'diamond'\n'diamond: s' = 'diamond: s'\n", "two columns for diamond: s"),
        (HEADER + ADA, "id = 'id'\nchian = 'chain'\n", "no column chian"),
        (HEADER + ADA, "id = 'id'\nchain = 'chainsaw of'\n", "says that chain holds chainsaw of"),
        ("x,chain\n17,12\n", "chain = 'chain'\n", "no column names the students"),
        ("Timestamp,Your mood,chain,diamond\n2026/12/01,good,12,4\n", "", "no column names the students"),
        (HEADER + ADA, "id = 'id'\n", "no column holds answers"),
        ("id,chain,chain\n17,12,11\n", "id = 'id'\nchain = 'chain'\n", "two columns chain"),
        ("id,diamond,chain,chain: dy/dx,dy/dx\n17,4,12,12,12\n", "", "chain and chain: dy/dx hold chain: dy/dx"),
        (
            "Name,SID,Total Score,Max Points,Submission Time,1: diamond (2.0 pts),2: chain (1.0 pts)\nA,17,3,3,,2,1\n",
            "",
            "it has points and no answers",
        ),
        ("id,Response 1,Response 2,Response 3,Response 4\n17,1,2,3,4\n", "", "no column plainly holds diamond: s"),
        ("Email,chain,diamond\nanonymous,12,s = 4\n", "", "line 2 has answers and names no student"),
        (HEADER + ",,,4,8,12\n", "", "line 2 has answers and names no student"),
        (HEADER + "17,Ada,ada@x.org,0,32,4,8\n", "", "line 2 has 7 cells, and the header 6"),
        (
            "SID,Question 1,Answer 1,Question 2,Answer 2\n17,Find it,4,And this,12\n18,And this,11,Find it,4\n",
            "",
            "line 3: And this names no question, and another text stands above it",
        ),
        ("SID,Question,Answer\n17,diamond: s,4\n17,what else,4\n", "", "line 3: what else names no question"),
    ],
)
def test_what_cannot_be_attributed_is_refused_before_grading(
    tmp_path: Path, text: str, mapping: str, says: str
) -> None:
    with pytest.raises(UsageError) as error:
        read(tmp_path, text, mapping)
    assert says in error.value.message


def test_a_mapping_may_be_a_table(tmp_path: Path) -> None:
    source = Source("column;holds\nWer;id\nA1;diamond: s\nRest;diamond\n", "map.csv")
    assert read_mapping(source) == {"Wer": "id", "A1": "diamond: s", "Rest": "diamond"}
    with pytest.raises(UsageError, match="twice"):
        read_mapping(Source("Wer,id\n wer ,chain\n", "map.csv"))


@pytest.mark.filterwarnings("ignore:no column")
@pytest.mark.parametrize(
    ("cell", "expected"),
    [
        ("12", {"dy/dx": "12"}),
        ("<p>12</p>", {"dy/dx": "12"}),
        ("-", {"": None}),
    ],
)
def test_a_cell_is_an_answer_alone_or_with_its_label(tmp_path: Path, cell: str, expected: dict[str, str]) -> None:
    items = read(tmp_path, f'who,what\n17,"{cell}"\n', "who = 'student'\nwhat = 'chain'\n")
    assert answers([item for item in items if item.student == "17"]) == {"17": expected}


def test_attempts_are_counted_by_column_by_time_and_by_line(tmp_path: Path) -> None:
    early, late = "2026-11-20 09:00", "2026-11-20 17:00"
    text = f"id,Submitted at,diamond,chain\n17,{late},s = 4,2\n17,{early},s = 4,1\n17,{early},-,-\n18,{late},s = 1,1\n"
    found = [
        (one.student, one.attempt, one.read(LABELS).given[-1].text) for one in read(tmp_path, text, has_attempts=True)
    ]
    assert sorted(found) == [("17", 1, "1"), ("17", 2, "2"), ("18", 1, "1")]
    text = "id,attempt,diamond,chain\n17,2,s = 4,2\n17,1,s = 4,1\n"
    assert [one.attempt for one in read(tmp_path, text, has_attempts=True)] == [2, 1, None]
    (ada, _) = read(tmp_path, text)
    assert "found 2 times" in ada.read(LABELS).unreadable
    assert "--attempts last" in ada.read(LABELS).unreadable


def test_a_row_of_two_students_and_two_students_of_one_id_are_told(tmp_path: Path) -> None:
    text = HEADER + "17,Ada Lovelace,alan@x.org,4,8,12\n" + "5,Eve,,4,8,12\n5,Mallory,,4,8,12\n"
    told = {item.student: item.read(LABELS).unreadable for item in read(tmp_path, text)}
    assert told == {
        "17": "line 2 names two students: 17 and 18",
        "18": "",
        "5": "line 3 and line 4 have one id, and are of several students",
    }


@pytest.mark.parametrize(
    ("text", "iso"),
    [
        ("2026/11/20 11:59:02 PM GMT+1", "2026-11-20T23:59:02+01:00"),
        ("20. März 2026, 09:05", "2026-03-20T09:05:00"),
        ("20.11.26 09:05", "2026-11-20T09:05:00"),
        ("2026-13-20 23:59", None),
        ("yesterday", None),
    ],
)
def test_times_as_systems_write_them(text: str, iso: str | None) -> None:
    (found,) = times_of([text])
    assert (found and found.isoformat()) == iso


def test_the_order_of_day_and_month_is_that_of_the_column() -> None:
    assert [at and at.month for at in times_of(["3/4/2026 9:05", "13/4/2026 9:05"])] == [4, 4]
    assert times_of(["13/4/2026 9:05", "4/13/2026 9:05", "3/4/2026 9:05"])[2] is None


def test_each_day_that_has_begun_counts() -> None:
    deadline = datetime.fromisoformat("2026-11-20T23:59+01:00")
    told = ["2026-11-20 23:59", "2026-11-20 23:59:01", "2026-11-21T22:59:00Z", "2026-11-22 00:00"]
    assert [days_late(datetime.fromisoformat(one), deadline) for one in told] == [0, 1, 1, 2]
    with pytest.raises(UsageError, match="the deadline has none"):
        days_late(deadline, deadline.replace(tzinfo=None))


def test_late_work_has_less_points_and_a_note() -> None:
    answer = Marked("chain", "dy/dx", "12", 12.0, "correct", 2.0, 2.0)
    deadline = datetime.fromisoformat("2026-11-20T23:59+01:00")
    results = [Result("class.csv", name, (answer,)) for name in ("ada", "bob", "eve")]
    times = [deadline, deadline + 2 * DAY, None]
    with pytest.warns(UserWarning, match="when 1 of the submissions"):
        ada, bob, eve = on_time(zip(times, results, strict=True), deadline, 0.1)
    assert [(one.score, one.notes) for one in (ada, bob, eve)] == [
        (2.0, ()),
        (1.6, ("handed in 2 days late: 80% of the points",)),
        (2.0, ()),
    ]
