"""Programs that must print here what they print under Python: one file for each subject, cut at lines of `# ---`."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.script.running import ours, torchs

ADDRESS = re.compile(r"0x[0-9a-f]+")
PROGRAMS = Path(__file__).parent / "programs"


def programs(subject: str) -> pytest.MarkDecorator:
    """Parametrise a test with every program about a subject."""
    parts = (PROGRAMS / f"{subject}.txt").read_text(encoding="utf-8").split("# ---\n")
    return pytest.mark.parametrize("program", [part.rstrip("\n") for part in parts if part.strip()])


def check(program: str) -> None:
    """The program prints the same here and there, but for addresses in memory."""
    assert ADDRESS.sub("0x", ours(program)) == ADDRESS.sub("0x", torchs(program))
