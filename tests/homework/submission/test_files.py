"""The files of folders, and whose they are."""

from __future__ import annotations

import io
import os
from pathlib import Path

import pytest

from gradcli.errors import UsageError
from gradcli.homework.submission.files import File, files_to_grade, students_of
from tests.homework.asking import files_of


def names(*paths: Path) -> list[str]:
    """The paths of the files below the first of some folders."""
    return [str(file.path.relative_to(paths[0])) for file in files_of(map(str, paths))]


@pytest.mark.filterwarnings("ignore:not graded")
@pytest.mark.parametrize(
    ("there", "taken"),
    [
        ("README", "README"),
        ("ada/a.docx ada/b.txt", "ada/b.txt"),
        ("ada/README.md", "ada/README.md"),
        ("notes.pdf ada/a.txt", "ada/a.txt"),
        ("submission_metadata.yml submission_1/a", "submission_1/a"),
    ],
)
def test_the_only_file_of_a_folder_is_taken_whatever_it_is_called(tmp_path: Path, there: str, taken: str) -> None:
    for name in there.split():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    assert names(tmp_path) == taken.split()


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (b"[e]\ns = 1\n", ".txt"),
        (b"", ".txt"),
        (b"dz/dx, dz/dy = 1, 2\n", ".txt"),
        (b'\xef\xbb\xbf{"e": {"s": 1}}', ".json"),
        (b"student,e/s\nada,1\n", ".csv"),
    ],
)
def test_standard_input_is_a_submission(monkeypatch: pytest.MonkeyPatch, data: bytes, kind: str) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(data)))
    (file,) = files_of(["-", "-"])
    assert (str(file.path), file.kind, file.data) == ("standard input", kind, data)
    monkeypatch.setattr("sys.stdin", None)
    with pytest.raises(UsageError, match="cannot read standard input: it is closed"):
        files_of(["-"])


def test_a_folder_that_cannot_be_opened_costs_no_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "ada").mkdir()
    (tmp_path / "bob.txt").touch()
    (tmp_path / "cy").mkdir()
    (tmp_path / "cy" / "cy.txt").touch()
    closed, scans = tmp_path / "ada", os.scandir

    def refuse(path: Path) -> object:
        if path == closed:
            raise PermissionError(13, "Permission denied", str(path))
        return scans(path)

    monkeypatch.setattr(os, "scandir", refuse)
    found = files_of([str(tmp_path)])
    assert [file.path.name for file in found] == ["bob.txt", "ada", "cy.txt"]
    assert [file.problem for file in found] == ["", "the folder cannot be read: Permission denied", ""]
    closed = tmp_path
    with pytest.raises(UsageError, match="Permission denied"):
        files_of([str(tmp_path)])


def test_a_report_of_the_last_time_is_no_submission(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("answers").mkdir()
    for name in ("ada.txt", "grades.csv"):
        Path("answers", name).touch()
    Path("answers/eve.txt").symlink_to("grades.csv")
    Path("answers/loop.txt").symlink_to("loop.txt")
    for output in ("answers/grades.csv", "./answers/../answers/grades.csv"):
        found = files_to_grade(["answers"], output, [])
        assert [file.path.name for file in found] == ["ada.txt", "eve.txt", "loop.txt"]
    for output in ("answers", "answers/", "answers/../answers"):
        with pytest.raises(UsageError, match="holds submissions"):
            files_to_grade(["answers"], output, [])
    with pytest.raises(UsageError, match="holds submissions"):
        files_to_grade(["answers", "answers/ada.txt"], "answers/ada.txt", [])


@pytest.mark.parametrize(
    ("paths", "students"),
    [
        ("ada_1/answers.txt bob_2/answers.txt eve.txt", "ada_1/answers.txt bob_2/answers.txt eve"),
        ("answers/ada.txt answers/bob.txt later/ada.txt", "ada bob ada"),
        ("ada.txt ada.json ADA.md", "ada ada ADA"),
        ("a/ada.txt b/eve.txt", "ada eve"),
    ],
)
def test_whose_a_file_is(paths: str, students: str) -> None:
    """A stem, or a path where everybody has a folder with one file."""
    assert students_of([File(Path(path)) for path in paths.split()]) == students.split()
