"""Names of report files: different students have different files, on any system."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from unicodedata import category, normalize

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from gradcli.homework.submission.names import identity
from gradcli.render.check.reports.cells import file_name
from tests.homework.results import texts

LETTERS = ["ada", "Ada", "ADA", "ä", "Ä", "ß", "ss", "ẞ", "SS", "ﬁ", "fi", "²", "2", "Ａ", "ı", "I", "i", "İ", "ς"]
DEVICES = ["con", "NUL", "com1", "COM¹", "lpt9", "aux.x", "~", ".", "..", "-", "_", "/", "\\", ":", "*", "=1", ".json"]
MARKS = [" ", "  ", "a\u0308", "\0", "\n", "\x1b[m", "\u202e", "\u200b", "\ud800", "\u0301", "x" * 150, "界" * 70]


def names() -> st.SearchStrategy[str]:
    """Names that are close to one another, and names that are the files of others."""
    close = st.lists(st.sampled_from(LETTERS + DEVICES + MARKS), max_size=4).map("".join)
    any = close | texts() | st.text()
    return any | any.map(lambda name: file_name(name, "")) | any.map(lambda name: Path(file_name(name, ".json")).stem)


def seen(name: str) -> str:
    """A name as the file systems see it that tell the fewest apart."""
    return normalize("NFKC", normalize("NFKC", name).casefold())


@given(names(), st.sampled_from([".json", ".xml"]))
@example("x" * 196, ".json")
@example("界" * 70, ".xml")
def test_a_name_is_a_plain_file_in_its_folder_on_any_system(student: str, suffix: str) -> None:
    name = file_name(student, suffix)
    assert len(name.encode()) <= 200
    assert re.match(r"\w", name)
    assert not set(name) & set("/\\:*?\"<>|$%`'!&;()[]{}#^")
    assert not any(category(c)[0] in "CZ" and c != " " for c in name)
    assert not re.fullmatch(r"(con|prn|aux|nul|com\d|lpt\d)", name.partition(".")[0].strip(), re.IGNORECASE)
    assert name == file_name(student, suffix)
    assert name.endswith(suffix)
    assert not name.removesuffix(suffix).endswith(" ")


@pytest.mark.parametrize(
    ("name", "letters"),
    [
        ("", "_"),
        ("../../etc/passwd", "etc_passwd"),
        ("-rf", "rf"),
        (".ssh", "ssh"),
        ("nul", "nul"),
        ("COM1.txt", "COM1_txt"),
        ("con ", "con"),
        ("ada~1", "ada_1"),
        ("Weiß", "Weiß"),
        ("x" * 300, "x" * 40),
    ],
)
def test_any_other_name_can_be_told_by_its_letters(name: str, letters: str) -> None:
    assert re.fullmatch(rf"{letters}~[0-9a-f]{{32}}\.json", file_name(name, ".json"))


@pytest.mark.slow
def test_every_letter_is_a_name_of_its_own() -> None:
    """Or that of letters with one identity."""
    files: dict[str, set[str]] = {}
    for letter in map(chr, range(sys.maxunicode + 1)):
        if category(letter) not in ("Cn", "Co", "Cs"):
            files.setdefault(seen(file_name(f"x{letter}y", ".json")), set()).add(identity(f"x{letter}y"))
    assert [found for found in files.values() if len(found) > 1] == []
    assert len(files) > 100_000
