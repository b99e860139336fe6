"""What a file holds; and whatever else lies in its place is refused at once, whenever it came there."""

from __future__ import annotations

import os
import shutil
import socket
from collections.abc import Callable
from contextlib import chdir
from pathlib import Path

import pytest

from gradcli.homework.submission import classes
from gradcli.homework.submission.classes import read_file
from gradcli.homework.submission.files import File
from tests.homework.asking import files_of
from tests.homework.submission.diamond import GRADER, one, submissions, verdicts

SECRET = "31337"
LINK = "it is a link, and links in a folder are not followed: the file itself must be there"


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"\x89PNG\r\n\x1a\n\x00\x00", "it is a picture, not text: type the answers into a text file"),
        (b"%PDF-1.7\n", "it is a PDF, not text: write the answers into a text file"),
        (b"\x7fELF\x00\x00", "it is binary data, not text"),
        (b"[d]\ns = 9\x00", "it is binary data, not text"),
        (b"[d]\ns = \x81", "it is not UTF-8 text: save it as a text file, UTF-8"),
        (b"\xff\xfe[\x00d", "it is not UTF-8 text: save it as a text file, UTF-8"),
    ],
)
@pytest.mark.parametrize("suffix", [".txt", ".json", ".csv"])
def test_what_is_no_text(tmp_path: Path, content: bytes, why: str, suffix: str) -> None:
    found = one(tmp_path / f"ada{suffix}", content)
    assert (found.student, found.unreadable) == ("ada", why)
    result = GRADER.grade(found)
    assert set(verdicts(result).values()) == {"unreadable"}
    assert result.remarks == (why,)
    assert not result.is_right


def test_a_hundred_megabytes(tmp_path: Path) -> None:
    for name, why in (("ada.txt", "100.0 MB, and a submission has 1 at most"), ("ada.json", "100.0 MB")):
        with (tmp_path / name).open("wb") as file:
            file.truncate(100 * 2**20)
        (found,) = submissions(tmp_path / name)
        assert why in found.unreadable


def test_named_files_that_are_none(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.txt")
    (tmp_path / "loop.txt").symlink_to(tmp_path / "loop.txt")
    whys = {
        tmp_path / "pipe.txt": "it is a pipe, not a file",
        tmp_path / "loop.txt": "it cannot be read: Too many levels of symbolic links",
        tmp_path / "gone.txt": "it cannot be read: No such file or directory",
        tmp_path / "gone/ada.txt": "it cannot be read: No such file or directory",
        tmp_path: "it is a folder, not a file",
        Path("/dev/zero"): "it is a device, not a file",
        Path("a" * 300 + ".txt"): "it cannot be read: File name too long",
        Path("a\0.txt"): "it cannot be read: not the name of a file",
    }
    assert {path: read_file(File(path), 100)[1] for path in whys} == whys


def test_a_file_that_nobody_may_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "ada.txt").touch()

    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "open", refuse)
    for folder in (None, tmp_path):
        assert read_file(File(tmp_path / "ada.txt", folder), 100) == ("", "it cannot be read: Permission denied")


def link(path: Path) -> None:
    path.symlink_to(path.parents[1] / "secret.txt")


def link_to_folder(path: Path) -> None:
    path.symlink_to(path.parents[1])


def link_to_nothing(path: Path) -> None:
    path.symlink_to("nothing")


def link_to_itself(path: Path) -> None:
    path.symlink_to(path)


def listen(path: Path) -> None:
    with chdir(path.parent), socket.socket(socket.AF_UNIX) as server:  # the name of a socket is short
        server.bind(path.name)


OTHERS: dict[Callable[[Path], None], str] = {
    link: LINK,
    link_to_folder: LINK,
    link_to_nothing: LINK,
    link_to_itself: LINK,
    os.mkfifo: "it is a pipe, not a file",
    listen: "it is a socket, not a file",
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder of submissions beside a file that holds a secret."""
    (tmp_path / "secret.txt").write_text(f"[d]\ns = {SECRET}\n")
    (tmp_path / "answers/sub").mkdir(parents=True)
    return tmp_path / "answers"


@pytest.mark.parametrize("where", ["", "sub"])
@pytest.mark.parametrize("name", ["ada.txt", "ada.json", "ada.csv", "ada"])
@pytest.mark.parametrize(("make", "why"), OTHERS.items(), ids=[make.__name__ for make in OTHERS])
def test_what_is_no_file_of_a_folder_is_refused(
    folder: Path, make: Callable[[Path], None], why: str, name: str, where: str
) -> None:
    (folder / "bob.txt").write_text("[d]\ns = 9\n")
    (folder.parent / "answers" / "sub" / "secret.txt").write_text("")
    make(folder / where / name)
    found = {file.path: read_file(file, 100) for file in files_of([str(folder)])}
    assert found[folder / where / name] == ("", why)
    assert found[folder / "bob.txt"] == ("[d]\ns = 9\n", "")
    assert not any(SECRET in text for text, _ in found.values())


def test_what_is_named_is_followed(folder: Path) -> None:
    link(folder / "ada.txt")
    (folder.parent / "way").symlink_to(folder)
    for name in (folder / "ada.txt", folder.parent / "way" / "ada.txt"):
        (file,) = files_of([str(name)])
        assert SECRET in read_file(file, 100)[0]
    (folder / "ada.txt").unlink()
    (folder / "sub" / "bob.txt").write_text("s = 1")
    (file,) = files_of([str(folder.parent / "way")])
    assert read_file(file, 100) == ("s = 1", "")


def test_a_link_that_takes_the_place_of_a_folder_is_not_followed(folder: Path) -> None:
    (folder / "sub" / "deep").mkdir()
    (folder / "sub" / "deep" / "secret.txt").write_text("mine")
    (file,) = files_of([str(folder)])
    shutil.rmtree(folder / "sub")
    (folder / "sub").mkdir()
    (folder / "sub" / "deep").symlink_to(folder.parent)
    assert read_file(file, 100) == ("", "it cannot be read: Not a directory")
    (folder / "sub" / "deep").unlink()
    (folder / "sub").rmdir()
    (folder / "sub").symlink_to(folder.parent)
    assert read_file(file, 100) == ("", "it cannot be read: Not a directory")


@pytest.mark.parametrize("is_named", [False, True])
@pytest.mark.parametrize("make", [*OTHERS, lambda path: path.write_text(SECRET)], ids=[*map(str, OTHERS.values()), "f"])
def test_what_takes_its_place_while_it_is_opened_is_not_read(
    folder: Path, monkeypatch: pytest.MonkeyPatch, make: Callable[[Path], object], is_named: bool
) -> None:
    path = folder / "ada.txt"
    path.write_text("mine")
    opens = os.open

    def swap_and_open(name: str, flags: int, *, dir_fd: int | None = None) -> int:
        if os.path.basename(name) == path.name:  # noqa: PTH119
            path.rename(folder.parent / "old.txt")  # so that its number is not given to another
            make(path)
        return opens(name, flags, dir_fd=dir_fd)

    monkeypatch.setattr(classes.os, "open", swap_and_open)
    text, problem = read_file(File(path, None if is_named else folder), 100)
    assert text == ""
    assert problem
