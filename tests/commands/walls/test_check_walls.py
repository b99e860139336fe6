"""`gradcli check` on a class of strangers: nobody reads a file, takes the place of another, or acts on who looks."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from gradcli.render.check.reports.registry import REPORTS
from tests.commands.running import document, gradcli
from tests.commands.test_check import FORMATS, RIGHT, week
from tests.programs import some

__all__ = ["week"]  # the fixture
SECRET = "31337"
HEADER = "student,question,quantity,answer\n"


def statuses(capsys: pytest.CaptureFixture[str], arguments: str) -> dict[str, str]:
    """Each student with the verdict on the first answer, and the first remark."""
    result = gradcli(capsys, f"check week1.toml {arguments} --json")
    assert (result.code, result.err) == (1, "")
    found = document(result.out)["submissions"]
    assert len({one["student"] for one in found}) == len(found)
    return {one["student"]: " ".join([one["answers"][0]["verdict"], *one["remarks"][:1]]) for one in found}


BINARY = "it is a picture, not text: type the answers into a text file"
CLASS = {"ada": "correct", "bob": "wrong", "cy": "unreadable", "dan": f"unreadable {BINARY}"}


@pytest.mark.slow
@pytest.mark.usefixtures("week")
def test_a_folder_of_strangers(capsys: pytest.CaptureFixture[str]) -> None:
    Path("secret.txt").write_text(f"[é]\ns = {SECRET}\n", encoding="utf-8")
    Path("answers/deep/er").mkdir(parents=True)
    os.mkfifo("answers/deep/eve.txt")
    for name, target in (("fay.txt", "../secret.txt"), ("gus", ".."), ("deep/er/hal.json", "/dev/zero")):
        Path("answers", name).symlink_to(target)
    Path("answers/class.csv").write_text(
        "student,question,quantity,answer\nbob,é,s,1.877\nada,é,s,0\n", encoding="utf-8"
    )
    expected = {
        **CLASS,
        "class": "unreadable its column student says whose answers it has, and it lies in a folder: name the file of a "
        "class itself",
        "eve": "unreadable it is a pipe, not a file",
        "fay": "unreadable it is a link, and links in a folder are not followed: the file itself must be there",
        "gus": "unreadable it is a link, and links in a folder are not followed: the file itself must be there",
        "hal": "unreadable it is a link, and links in a folder are not followed: the file itself must be there",
    }
    assert statuses(capsys, "answers") == expected
    assert statuses(capsys, "answers --jobs 2") == expected
    for option in ("", "--all", *(f"--report {name}" for name in ("junit", "csv", "mistakes"))):
        assert SECRET not in gradcli(capsys, f"check week1.toml answers {option}").out


@pytest.mark.usefixtures("week")
def test_who_hands_in_twice_has_no_points_and_costs_no_other(capsys: pytest.CaptureFixture[str]) -> None:
    Path("answers/ADA.json").write_text('{"é": {"s": 1.877}}', encoding="utf-8")
    Path("class.csv").write_text(f"{HEADER}Bob,é,s,1.877\neve,é,s,1.877\n", encoding="utf-8")
    assert statuses(capsys, "answers class.csv") == {
        "ADA": "unreadable this student is found 2 times: in answers/ADA.json and answers/ada.txt; leave one",
        "bob": "unreadable this student is found 2 times: in answers/bob.txt and class.csv; leave one",
        **{name: CLASS[name] for name in ("cy", "dan")},
        "eve": "correct",
    }


@pytest.mark.slow
@pytest.mark.usefixtures("week")
def test_an_item_that_is_not_graded_is_told_beside_a_report(capsys: pytest.CaptureFixture[str]) -> None:
    for name in some(FORMATS, 3):
        place = "reports/" if REPORTS[name].per_student else name
        result = gradcli(capsys, f"check week1.toml answers --report {name} -o {place}")
        assert (result.code, result.err) == (1, f"warning: not graded: dan in answers/dan.txt ({BINARY})\n")
    assert f"Not graded\n  dan answers/dan.txt  {BINARY}\n" in gradcli(capsys, "check week1.toml answers").out


@pytest.mark.usefixtures("week")
def test_reports_do_not_take_the_place_of_others(capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("ada.", "ada~", "a da", "con"):
        Path("answers", f"{name}.txt").write_text(RIGHT, encoding="utf-8")
    Path("secret").write_text("mine", encoding="utf-8")
    Path("reports").mkdir()
    Path("reports/ada.json").symlink_to("../secret")
    assert gradcli(capsys, "check week1.toml answers --report gradescope -o reports").code == 1
    found = {path.name: json.loads(path.read_text(encoding="utf-8"))["score"] for path in Path("reports").iterdir()}
    assert len(found) == 8
    assert [found[f"{name}.json"] for name in ("a da", "ada", "ada.", "bob", "dan")] == [5, 5, 5, 0, 0]
    assert Path("secret").read_text(encoding="utf-8") == "mine"
