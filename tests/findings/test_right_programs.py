"""No error and no warning is stated about the lessons and samples, except about those that show a fault."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.findings.finding import findings
from tests.script.record_snippets import shortened

ROOT = Path(__file__).parents[2]
LESSONS = sorted([*ROOT.glob("tests/script/snippets/*.py"), *ROOT.glob("samples/snippets/*.py")])
SHOWN = {"kinks": {"nan-at-edge"}, "nan_hunting": {"masked-late"}}  # the faults that a lesson is about


@pytest.mark.parametrize("path", LESSONS, ids=lambda path: path.stem)
def test_nothing_is_wrong_with_a_lesson(path: Path) -> None:
    text = shortened(path.read_text(encoding="utf-8"))
    found = {one.code for one in findings(text, path.name) if one.severity != "note"}
    assert found <= SHOWN.get(path.stem, set())


def test_the_lessons_that_show_a_fault_are_read() -> None:
    assert SHOWN.keys() <= {path.stem for path in LESSONS}
