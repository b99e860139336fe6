"""The work of a class: each student once, and who is found twice is told so; nobody speaks for another."""

from __future__ import annotations

from pathlib import Path
from unicodedata import normalize

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradcli.homework.course.layouts import collected
from gradcli.homework.submission.classes import IN_A_FOLDER, NOBODY
from gradcli.homework.submission.files import File
from gradcli.homework.submission.names import identity
from gradcli.homework.submission.submissions import Submission
from tests.homework.asking import files_of
from tests.homework.submission.diamond import submissions

HEADER = "student,question,quantity,answer\n"


@pytest.fixture
def answers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    folder = Path("answers")
    folder.mkdir()
    (folder / "ada.txt").write_text("[d]\ns = 9\n")
    (folder / "bob.json").write_text('{"d": {"s": 8}}')
    return folder


def found(*names: str | Path) -> list[tuple[str, str, str]]:
    """The student, the answers, and why there are none."""
    read = [item.read() for item in collected(files_of(map(str, names)))]
    return [(one.student, " ".join(f"{g.quantity}={g.text}" for g in one.given), one.unreadable) for one in read]


ADA, BOB = ("ada", "s=9", ""), ("bob", "s=8", "")


@pytest.mark.parametrize("name", ["class.csv", "sub/class.CSV", "eve.csv"])
@pytest.mark.parametrize(
    "header",
    [HEADER, HEADER.upper(), "answer;quantity;question; Student\n", f'"{HEADER[:7]}",question,quantity,answer\n'],
)
def test_in_a_folder_it_speaks_for_nobody(answers: Path, name: str, header: str) -> None:
    (answers / name).parent.mkdir(exist_ok=True)
    (answers / name).write_text(f"{header}ada,d,s,0\nbob,d,s,0\n")
    assert found(answers) == [ADA, BOB, (Path(name).stem, "", IN_A_FOLDER)]


@pytest.mark.parametrize(
    ("other", "shown"),
    [
        ("ada.json", "ada"),
        ("sub/../ada .txt", "ada "),
        ("ada.csv", "ada"),
    ],
)
def test_who_is_found_in_two_files_is_told_and_costs_no_other(answers: Path, other: str, shown: str) -> None:
    (answers / "sub").mkdir()
    file = answers / Path(other).name
    file.write_text("[d]\ns = 9\n")
    (told,) = [one for one in found(answers) if one != BOB]
    first, second = sorted([file, answers / "ada.txt"])
    assert told == (first.stem, "", f"this student is found 2 times: in {first} and {second}; leave one")
    assert BOB in found(answers)
    assert shown in {first.stem, second.stem}


def test_what_cannot_be_read_is_found_too(answers: Path) -> None:
    (answers / "ada.md").symlink_to("bob.json")
    Path("bob.csv").write_bytes(b"\xff\xfe\xff")
    assert found(answers, "bob.csv") == [
        ("ada", "", "this student is found 2 times: in answers/ada.md and answers/ada.txt; leave one"),
        ("bob", "", "this student is found 2 times: in answers/bob.json and bob.csv; leave one"),
    ]


SPELLINGS = ["ada", "Ada", "ADA ", "a\u200bda", "zoë", normalize("NFD", "zoë"), "Zoë", "bob", "ﬁn", "fin", "", "\u200b"]


@given(st.lists(st.lists(st.sampled_from(SPELLINGS), min_size=1, max_size=4), max_size=4))
def test_nobody_speaks_for_another(tmp_path_factory: pytest.TempPathFactory, classes: list[list[str]]) -> None:
    folder = tmp_path_factory.mktemp("classes")
    for number, members in enumerate(classes):
        rows = [f'"{who}",d,s,{number}.{row}\n' for row, who in enumerate(members)]
        (folder / f"{number}.csv").write_text(HEADER + "".join(rows), encoding="utf-8")
    read = submissions(*(folder / f"{number}.csv" for number in range(len(classes))))
    assert len({identity(one.student) for one in read}) == len(read)
    places: dict[str, set[tuple[int, str]]] = {}
    for number, members in enumerate(classes):
        for who in members:
            places.setdefault(identity(who.strip() or NOBODY), set()).add((number, who.strip()))
    assert len(read) == len(places)
    for one in read:
        own = places[identity(one.student)]
        assert bool(one.unreadable) == (len(own) > 1)
        expected = [f"{n}.{row}" for n, who in own for row, other in enumerate(classes[n]) if other.strip() == who]
        assert [given.text for given in one.given] == ([] if one.unreadable else expected)


def test_no_file_is_no_work() -> None:
    assert list(collected([])) == []
    assert collected([File(Path("gone.txt"))]).__next__().read() == Submission(
        "gone.txt", "gone", unreadable="it cannot be read: No such file or directory"
    )
