"""Reports on disk: what a stranger put in their place is neither followed nor waited for."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from gradcli.errors import UsageError
from gradcli.homework.model import Result
from gradcli.render.check.reports.writing import write_report
from tests.homework.results import ASSIGNMENT, CLASS, PARTLY, PERFECT


def write(name: str, output: Path | str, *results: Result) -> None:
    write_report(name, str(output), ASSIGNMENT, iter(results))


def link(path: Path) -> None:
    path.symlink_to("../secret")


def link_to_nothing(path: Path) -> None:
    path.symlink_to("../new")


def link_to_a_folder(path: Path) -> None:
    path.symlink_to("..")


def hard_link(path: Path) -> None:
    path.hardlink_to(path.parents[1] / "secret")


@pytest.fixture
def reports(tmp_path: Path) -> Path:
    (tmp_path / "secret").write_text("mine")
    (tmp_path / "reports").mkdir()
    return tmp_path / "reports"


@pytest.mark.parametrize("make", [link, link_to_nothing, link_to_a_folder, hard_link, os.mkfifo, Path.touch])
def test_what_lies_where_a_report_goes_is_replaced(reports: Path, make: Callable[[Path], object]) -> None:
    make(reports / "ada.json")
    write("gradescope", reports, PARTLY, PERFECT)
    assert sorted(path.name for path in reports.iterdir()) == ["ada.json", "bob.json"]
    for path in reports.iterdir():
        assert stat.S_ISREG(path.lstat().st_mode)
        assert path.read_text().startswith('{\n  "score": 2')
    assert sorted(path.name for path in reports.parent.iterdir()) == ["reports", "secret"]
    assert (reports.parent / "secret").read_text() == "mine"


def test_where_a_report_cannot_be_written_the_old_one_stays(reports: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (reports / "ada.json").mkdir()
    with pytest.raises(UsageError, match=r"cannot write .*ada.json: Is a directory"):
        write("gradescope", reports, PERFECT, PARTLY)
    assert sorted(path.name for path in reports.iterdir()) == ["ada.json", "bob.json"]
    before = (reports / "bob.json").read_bytes()

    def stop(_: Result) -> Iterator[str]:
        raise KeyboardInterrupt

    monkeypatch.setattr("gradcli.render.check.reports.autograders.remarks", stop)
    with pytest.raises(KeyboardInterrupt):
        write("gradescope", reports, PERFECT)
    assert sorted(path.name for path in reports.iterdir()) == ["ada.json", "bob.json"]
    assert (reports / "bob.json").read_bytes() == before


@pytest.mark.parametrize("name", ["csv", "junit", "mistakes", "check50"])
def test_what_is_named_is_followed(reports: Path, name: str) -> None:
    (reports / "way").symlink_to("../secret")
    members = CLASS[:1] if name == "check50" else CLASS
    write(name, reports / "way", *members)
    write(name, reports / "file", *members)
    assert (reports / "way").is_symlink()
    assert (reports.parent / "secret").read_bytes() == (reports / "file").read_bytes() != b""


@pytest.mark.parametrize("name", ["junit", "gradescope"])
def test_a_document_is_whole_or_not_there(reports: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    (reports / "old").write_text("old")
    (reports / "old").chmod(0o600)
    (reports / "way").symlink_to("old")

    def full(*_: object) -> int:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(os, "write", full)
        for path, at in (("way", "old"), ("new", "new")):
            with pytest.raises(UsageError, match=f"cannot write .*{at}: No space left"):
                write(name, reports / path, PERFECT)
    assert sorted(path.name for path in reports.iterdir()) == ["old", "way"]
    assert (reports / "old").read_text() == "old"
    for path in ("way", "new"):
        write(name, reports / path, PERFECT)
    assert (reports / "way").is_symlink()
    assert stat.S_IMODE((reports / "old").stat().st_mode) == 0o600
    assert (reports / "old").read_bytes() == (reports / "new").read_bytes() != b""


HOSTILE = [
    "../secret",
    "/etc/passwd",
    "..",
    ".",
    "",
    "con",
    "a/b",
    "a\\b",
    "ada.",
    "\x1b[2J",
    "\ud800",
    "x" * 5000,
    "~",
]


def test_names_stay_in_the_folder(reports: Path) -> None:
    write("gradescope", reports, *(replace(PARTLY, student=name) for name in HOSTILE))
    assert len(list(reports.iterdir())) == len(HOSTILE)
    assert sorted(path.name for path in reports.parent.iterdir()) == ["reports", "secret"]
    assert (reports.parent / "secret").read_text() == "mine"
