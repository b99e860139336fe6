"""Each lesson of `samples/why` has the findings that stand beside it.

GRADCLI_RECORD=1 writes them anew.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.commands.running import ROOT, gradcli

LESSONS = sorted((ROOT / "samples" / "why").glob("*.py"))


@pytest.mark.parametrize("path", LESSONS, ids=lambda path: path.stem)
def test_the_findings_of_a_lesson(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, path: Path
) -> None:
    monkeypatch.chdir(ROOT)
    told = gradcli(capsys, ["why", str(path.relative_to(ROOT)), "--exit-zero"]).out
    page = path.with_suffix(".txt")
    if "GRADCLI_RECORD" in os.environ:
        page.write_text(told, encoding="utf-8")
    assert told == page.read_text(encoding="utf-8")


def test_there_are_lessons() -> None:
    assert len(LESSONS) == 11
