"""Spellings of a student's name."""

from __future__ import annotations

import pytest

from gradcli.homework.submission.names import identity
from tests.programs import some

SAME = [
    ("ada", "Ada"),
    ("ada", "ada\u200b"),
    ("ada lovelace", "Ada  Lovelace\u00a0"),
    ("Å", "\u212b"),  # two signs of one letter, the second for a length
    ("İnci", "i̇nci"),
    ("", " \u200b"),
]


@pytest.mark.parametrize(("one", "other"), SAME)
def test_spellings_of_one_student(one: str, other: str) -> None:
    assert identity(one) == identity(other)


@pytest.mark.slow
@pytest.mark.parametrize("plane", range(17))
def test_every_letter_is_folded_once(plane: int) -> None:
    codes = range(plane * 2**16, (plane + 1) * 2**16)
    letters = map(chr, codes if plane < 2 else some(codes, 64))
    unstable = [c for c in letters if identity(identity(c)) != identity(c) or identity(c.lower()) != identity(c)]
    assert unstable == []
