"""Whose work it is where the place of a file says more, or less, than one student."""

from __future__ import annotations

from pathlib import Path

import pytest

from gradcli.homework.course.layouts import collected
from gradcli.homework.course.roster import Roster, read_roster
from tests.homework.asking import files_of
from tests.homework.course.test_layouts import made
from tests.homework.course.weeks import ROSTER, roster


@pytest.mark.parametrize(
    "names",
    [
        ["Team A_17_assignsubmission_file/a.txt", "Default group_assignsubmission_file/a.txt"],
        ["teama_17_90210_a.txt", "rossbob_4712_90211_a.txt"],
    ],
)
def test_the_work_of_a_group_is_that_of_each(names: list[str], tmp_path: Path) -> None:
    text = ROSTER.replace("name", "name,Team", 1).replace("Ada Lovelace", "Ada Lovelace,team A")
    text = text.replace("Bob Ross", "Bob Ross,default group").replace('"Müller, Zoë"', '"Müller, Zoë",Team A')
    found = list(collected(files_of([str(made(tmp_path / "downloaded", names))]), read_roster(text, "r.csv")))
    assert [item.student for item in found] == ["ada", "bob", "zoe"]
    assert [[given.text for given in item.read().given] for item in found] == [["9"]] * 3
    assert not any(item.read().remarks for item in found)


@pytest.mark.parametrize("named", [".", "bob", "bob/attempt_2/answers.txt"])
@pytest.mark.parametrize("students", [None, roster()])
def test_a_folder_of_an_attempt_is_no_student(named: str, students: Roster | None, tmp_path: Path) -> None:
    """Where there is one student alone, as where one is looked at again."""
    root = made(tmp_path / "week", ["bob/attempt_1/answers.txt", "bob/attempt_2/answers.txt"])
    found = collected(files_of([str(root / named)]), students, has_attempts=True)
    handed_in = [(item.student, item.attempt) for item in found if item.read().given]
    if named.endswith(".txt"):
        assert handed_in == [("bob" if students else "answers", 2)]
    else:
        assert handed_in == [("bob", 1), ("bob", 2)]
