"""Lessons as they are taught, printed here to the letter as torch prints them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.script.record_snippets import SNIPPETS
from tests.script.running import ours

LESSONS = sorted(SNIPPETS.glob("*.py"))


@pytest.mark.parametrize("path", LESSONS, ids=[path.stem for path in LESSONS])
def test_lesson(path: Path) -> None:
    assert ours(path.read_text()) == path.with_suffix(".out").read_text()


def test_every_lesson_runs_to_its_end() -> None:
    assert len(LESSONS) >= 40
    assert not [path.stem for path in LESSONS if "\nError: " in path.with_suffix(".out").read_text()]
