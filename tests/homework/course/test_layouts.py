"""Layouts: folders made after the documentation of each system, recognised by themselves, and matched to a roster.

Moodle: `mod/assign` puts the files of a student into `FULL NAME_NUMBER_assignsubmission_PLUGIN_`, since 4.x without the
last `_`, or before the name of each file where folders are turned off, and a team before the name. Canvas: a zip with
`SORTABLENAME[_LATE]_USER_ATTACHMENT_FILE`, in small letters; a text entry is `..._USER_text.html`. Gradescope: a folder
`submission_NUMBER` each beside `submission_metadata.yml`. GitHub Classroom: `gh classroom clone student-repos` makes
`SLUG-submissions/SLUG-USER`.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from gradcli.errors import UsageError
from gradcli.homework.course.layouts import (
    MISSING,
    SEVERAL,
    STRANGER,
    Folder,
    collected,
    introduced,
    metadata,
    recognised,
    tops,
    with_others,
    works,
)
from gradcli.homework.course.roster import read_roster
from gradcli.homework.model import Result
from gradcli.homework.submission.files import places_of
from tests.homework.asking import files_of
from tests.homework.course.weeks import ROSTER, roster, variants

ANSWERS = "[d]\ns = 9\n"
METADATA = """\
---
submission_311:
  :submitters:
  - :name: Ada Lovelace
    :sid: ada
    :email: ada@x.org
  :created_at: 2026-10-01 10:00:00.000000000 Z
  :score: 0.0
  :history:
  - :id: 310
    :created_at: 2026-09-30 10:00:00.000000000 Z
submission_312:
  :submitters:
  - :name: "Bob Ross"
    :sid:
    :email: bob@x.org
  - :name: 'Zoë Müller'
    :sid: 'zoe'
    :email: null
"""
SYSTEMS = {
    "moodle": [
        "Ada Lovelace_657717_assignsubmission_file_/answers.txt",
        "Bob Ross_657721_assignsubmission_onlinetext_/onlinetext.html",
        "Group B-Zoë Müller_657775_assignsubmission_file/Übung 3.docx",
    ],
    "moodle, flat": [
        "Ada Lovelace_657717_assignsubmission_file_answers.txt",
        "Bob Ross_657721_assignsubmission_file_b.md",
        "Zoë Müller_657775_assignsubmission_onlinetext_onlinetext.html",
    ],
    "canvas": [
        "lovelaceada_4711_90210_answers.txt",
        "rossbob_LATE_4712_90211_answers-2.txt",
        "müllerzoë_4713_text.html",
    ],
    "gradescope": ["submission_metadata.yml", "submission_311/answers.txt", "submission_312/a/b.txt"],
    "github": [
        "week-3-countess/answers.txt", "week-3-countess/README.md", "week-3-countess/.github/x.txt",
        "week-3-happytrees/README.md", "week-3-happytrees/solution", "week-3-happytrees/answers.md",
        "week-3-zoem/answers.txt",
    ],
    "folders": ["ada/answers.txt", "bob_77/answers.txt", "Zoë Müller/deep/answers.txt"],
}  # fmt: skip
ROOTS = {"github": "week-3-submissions"}


def made(root: Path, names: list[str]) -> Path:
    for name in names:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        text = METADATA if name.endswith(".yml") else f"<p>{ANSWERS}</p>" if name.endswith(".html") else ANSWERS
        (root / name).write_text(text, encoding="utf-8")
    return root


@pytest.mark.filterwarnings("ignore:not graded. solution")
@pytest.mark.parametrize("system", SYSTEMS)
def test_each_system_is_recognised_and_matched(system: str, tmp_path: Path) -> None:
    root = made(tmp_path / ROOTS.get(system, "downloaded"), SYSTEMS[system])
    files = files_of([str(root)])
    assert recognised(Folder(root, files, tops(root, files))) == system.partition(",")[0]
    for layout in (None, system.partition(",")[0]):
        found = list(collected(files, roster(), layout))
        assert [item.student for item in found] == ["ada", "bob", "zoe"]
        for item in found:
            read = item.read()
            assert [given.text for given in read.given] == ["9"], read
            assert (read.student, read.remarks) == (item.student, ())


@pytest.mark.filterwarnings("ignore:not graded. solution")
@pytest.mark.parametrize("system", SYSTEMS)
def test_a_file_beside_the_work_of_a_class_changes_nothing(system: str, tmp_path: Path) -> None:
    """The notes of the teacher, or the grades of last week: they are told, and nobody else has fewer points."""
    root = made(
        tmp_path / ROOTS.get(system, "downloaded"), [*SYSTEMS[system], "notes.txt", "grades.csv", "timestamp.txt"]
    )
    found = list(collected(files_of([str(root)]), roster()))
    assert [item.student for item in found] == ["ada", "bob", "zoe", "grades", "notes"]
    assert [[given.text for given in item.read().given] for item in found[:3]] == [["9"]] * 3
    assert all(item.read().remarks[-1:] == (STRANGER,) for item in found[3:])


@pytest.mark.filterwarnings("ignore:not graded. solution")
@pytest.mark.parametrize("system", SYSTEMS)
def test_a_download_in_folders_of_its_own_is_the_same(system: str, tmp_path: Path) -> None:
    made(tmp_path / "unpacked" / "week 3" / ROOTS.get(system, "downloaded"), SYSTEMS[system])
    for layout in (None, *({system.partition(",")[0]} - {"folders", "github"})):
        found = list(collected(files_of([str(tmp_path / "unpacked")]), roster(), layout))
        assert [item.student for item in found] == ["ada", "bob", "zoe"]
        assert all(item.read().given for item in found)


@pytest.mark.parametrize(
    ("names", "students"),
    [
        (SYSTEMS["moodle"], ["Ada Lovelace", "Bob Ross", "Group B-Zoë Müller"]),
        (["A B_1_assignsubmission_file_/a.txt", "a b_2_assignsubmission_file_/a.txt"], ["A B_1", "a b_2"]),
        (SYSTEMS["canvas"], ["lovelaceada", "müllerzoë", "rossbob"]),
        (["anon_x7Yz1_90_a.txt", "LATE_anon_aaaaa_91_a.txt", "anon_bbbbb_text.html"], ["aaaaa", "bbbbb", "x7Yz1"]),
        (["ada_1_answers.txt", "bob_2_answers.txt"], ["ada_1_answers", "bob_2_answers"]),
        (SYSTEMS["gradescope"], ["ada", "bob@x.org", "zoe"]),
        (["submission_9/a.txt"], ["submission_9"]),
        (["ada/answers.txt", "bob/answers.txt", "bob/more.txt"], ["ada", "bob"]),
        (["ada.txt", "bob.txt", "notes/cy.txt"], ["ada", "bob", "cy"]),
        (["monday/ada.txt", "tuesday/bob.txt"], ["ada", "bob"]),
    ],
)
def test_without_a_roster_places_name_the_students(names: list[str], students: list[str], tmp_path: Path) -> None:
    files = files_of([str(made(tmp_path / "answers", names))])
    assert [item.student for item in collected(files)] == students


def test_a_layout_can_be_told_where_it_is_not_plain(tmp_path: Path) -> None:
    files = files_of([str(made(tmp_path / "clones", ["hw-countess/answers.txt", "hw-happytrees/answers.txt"]))])
    assert [item.student for item in collected(files, roster(), "github")] == ["ada", "bob", "zoe"]
    assert [work.student for work in works(files, "github")] == ["countess", "happytrees"]


def test_a_file_that_is_named_itself_has_the_layout_that_is_told(tmp_path: Path) -> None:
    root = made(tmp_path, SYSTEMS["canvas"])
    files = files_of([str(root / SYSTEMS["canvas"][0])])
    assert [work.student for work in works(files, "canvas")] == ["lovelaceada"]
    assert [work.student for work in works(files)] == ["lovelaceada_4711_90210_answers"]


def test_who_is_not_on_the_roster_comes_last_and_is_told(tmp_path: Path) -> None:
    text = f"{ROSTER}ann1,Ann Lee,a@x.org,\nann2,Ann Lee,b@x.org,\n"
    made(tmp_path, ["Ann Lee.txt", "bob.txt", "eve.txt"])
    found = list(collected(files_of([str(tmp_path)]), read_roster(text, "r.csv")))
    assert [item.student for item in found] == ["ada", "bob", "zoe", "ann1", "ann2", "Ann Lee", "eve"]
    assert [item.read().remarks for item in found[-2:]] == [(SEVERAL,), (STRANGER,)]
    assert [bool(item.read().given) for item in found] == [False, True, False, False, False, True, True]


def test_a_result_is_introduced_by_the_roster() -> None:
    ada = introduced(Result("ada.txt", "ada", ()), roster())
    assert (ada.name, ada.email, ada.notes) == ("Ada Lovelace", "ada@x.org", ())
    assert introduced(Result("", "zoe", ()), roster()).notes == (MISSING,)
    assert introduced(Result("e.txt", "eve", ()), None).name == ""


def test_who_is_in_two_places_is_told_so_whatever_the_spelling(tmp_path: Path) -> None:
    made(tmp_path / "week-3-submissions", SYSTEMS["github"][:1])
    made(tmp_path / "plain", ["ada@x.org.txt"])
    ada, *_ = collected(files_of([str(tmp_path / "plain"), str(tmp_path / "week-3-submissions")]), roster())
    assert ada.read().unreadable.startswith("this student is found 2 times: in ")


@pytest.mark.slow
def test_a_folder_of_thousands_of_files(tmp_path: Path) -> None:
    """The files lie flat, and each is looked at once: neither is opened before it is graded."""
    count = 2000
    made(tmp_path / "a", [f"Student Number{n}_{n}_assignsubmission_file_answers.txt" for n in range(count)])
    everyone = read_roster("id,name\n" + "".join(f"s{n},Student Number{n}\n" for n in range(count)), "r.csv")
    found = list(collected(files_of([str(tmp_path / "a")]), everyone))
    assert [item.student for item in found] == [f"s{n}" for n in range(count)]
    assert all(item.submission is None for item in found)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "submission_1",
        ":submitters:\n- :name: x\n",
        "- a\n- b\n",
        "submission_1:\n  - :name: x\n",
        "\0:\n  :submitters:",
        "---\nsubmission_1:😀\n  :submitters:\n  - :name: x\n",
        "submission_1:\nsubmission_2:😀\n  :submitters:\n  - :name: x\n",
    ],
)
def test_what_is_not_of_gradescope_names_nobody(text: str) -> None:
    assert not any(one.submitters for one in metadata(text).values())


def test_without_a_roster_files_are_those_of_students_with_sheets(tmp_path: Path) -> None:
    """Two folders, in each a file of Ada: one student, not two whom nobody knows."""
    for name in ("x/ada.txt", "y/Ada.txt", "y/bob.txt"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("[diamond]\ns = 1\n", "utf-8")
    for named in ([tmp_path], [tmp_path / "x", tmp_path / "y"], [tmp_path / "x/ada.txt", tmp_path / "y"]):
        ada, bob = collected(files_of(map(str, named)), variants=variants())
        assert (ada.student, bob.student) == ("ada", "bob")
        assert "this student is found 2 times" in ada.read().unreadable
        assert not bob.read().unreadable


def test_a_file_that_is_not_read_is_told_to_who_has_no_other(tmp_path: Path) -> None:
    """Ada has a text beside her PDF, Bob a PDF alone, and nobody is called notes."""
    for name in ("ada.txt", "ada.pdf", "bob.PDF", "notes.pdf"):
        (tmp_path / name).write_text(ANSWERS, "utf-8")
    files = list(places_of([str(tmp_path)], others := []).values())
    with pytest.warns(UserWarning, match=r"not graded: ada\.pdf, notes\.pdf \("):
        found = with_others(files, others, roster(), None)
    assert [(file.path.name, bool(file.problem)) for file in found] == [("ada.txt", False), ("bob.PDF", True)]
    ada, bob, _ = collected(found, roster())
    assert not ada.read().unreadable
    assert bob.read().unreadable == "files of this kind are not read: hand in one that ends in .txt"


NOTE = """\
Name: {name} ({id})
Assignment: Week 3
Date Submitted: Friday, November 20, 2026 10:12:33 AM CET
Current Grade: Needs Grading

Submission Field:
{typed}

Comments:
There are no student comments for this assignment.

Files:
	Original filename: answers.txt
"""


@pytest.mark.parametrize("is_typed", [False, True])
@pytest.mark.parametrize("again", [(), ("2026-11-21-09-00-00",), ("2026-11-19-09-00-00", "2026-11-22-09-00-00")])
def test_blackboard_puts_a_note_beside_each_file_in_which_the_answers_may_be_typed(
    is_typed: bool, again: tuple[str, ...], tmp_path: Path
) -> None:
    nothing = "There is no student submission text data for this assignment."
    for id, name in (("ada", "Ada Lovelace"), ("bob", "Bob Ross"), ("zoe", "Zoë Müller")):
        for time in ("2026-11-20-10-12-33", *again):
            start = f"Week 3 (b)_{id}_attempt_{time}"
            note = NOTE.format(name=name, id=id, typed=ANSWERS if is_typed else nothing)
            (tmp_path / f"{start}.txt").write_text(note)
            if not is_typed:
                (tmp_path / f"{start}_my_answers.txt").write_text(ANSWERS)
    found = list(collected(files_of([str(tmp_path)]), roster(), has_attempts=True))
    by_student = {one.student for one in found if one.read().given}
    assert by_student == {"ada", "bob", "zoe"}
    assert {one.student for one in found} == {student.id for student in roster()}
    attempts = sorted(one.attempt or 1 for one in found if one.student == "ada")
    assert attempts == list(range(1, len(again) + 2))
    assert all(not one.read().remarks and not one.read().unreadable for one in found if one.read().given)


@pytest.mark.parametrize("ending", ["zip", "xlsx", "7z", "tar.gz", "ods"])
def test_what_is_packed_is_nobodys_hand_in(ending: str, tmp_path: Path) -> None:
    path = tmp_path / f"Course-Week 3.{ending}"
    path.write_bytes(b"PK\x03\x04")
    with pytest.raises(UsageError, match=r"unpack it|save it as CSV"):
        places_of([str(path)], [])


@pytest.mark.parametrize("file", ["小明_王", "王小明", "小明王", "王 小明", "王_小明"])
def test_a_name_without_spaces_is_known_with_the_family_name_behind(file: str) -> None:
    students = read_roster("id,name\ns1,王小明\ns2,李小龙\n", "roster.csv")
    found = students.find([file])
    assert found is not None
    assert found.id == "s1"
