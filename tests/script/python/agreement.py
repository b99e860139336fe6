"""Programs that must print here what they print under Python: one file for each subject, cut at lines of `# ---`."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.script.running import ours, torchs

ALIKE = {  # addresses in memory, and what Python 3.14 says in other words
    r"0x[0-9a-f]+": "0x",
    r", got \d+\)": ")",
    r" \(missed __\w+__ method\)": "",
    r"\S+ is not in list|list\.index\(x\): x not in list": "not in list",
    r"Stack overflow \(used \d+ kB\)|maximum recursion depth exceeded": "too deep",
}
PROGRAMS = Path(__file__).parent / "programs"


def programs(subject: str) -> pytest.MarkDecorator:
    """Parametrise a test with every program about a subject."""
    parts = (PROGRAMS / f"{subject}.txt").read_text(encoding="utf-8").split("# ---\n")
    return pytest.mark.parametrize("program", [part.rstrip("\n") for part in parts if part.strip()])


def check(program: str) -> None:
    """The program prints the same here and there, but for what no two runs or Pythons have in common."""
    assert common(ours(program)) == common(torchs(program))


def common(printed: str) -> str:
    for pattern, replacement in ALIKE.items():
        printed = re.sub(pattern, replacement, printed)
    return printed
