"""Pages and errors as their readers see them, each in a file: the command line, the exit code, both streams.

To write them anew after a change, and read the difference: GRADCLI_RECORD=1 pytest tests/commands/test_snapshots.py
A file with the first line alone, `$ gradcli ...`, is filled in the same way.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.commands.running import ROOT, SNAPSHOTS, snapshot

PAGES = sorted((SNAPSHOTS / "pages").glob("*.txt"))
ERRORS = sorted((SNAPSHOTS / "errors").glob("*.txt"))
FOREIGN = re.compile(
    r"Traceback|NoneType|\bobject\b|numpy|ndarray|np\.|ufunc|lark|Token|E900|builtin|TypeError|ValueError|\$END|\b(?!PROGRAM|NAME|VALUE|README|TOML)[A-Z]{4,}\b"
)
CODE = re.compile(r"^--- exit code (\d+)$", re.MULTILINE)


@pytest.fixture(autouse=True)
def plain_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    monkeypatch.setenv("COLUMNS", "80")  # of help, which wraps in a pipe as well
    for name in ("NO_COLOR", "CLICOLOR_FORCE", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)


@pytest.mark.parametrize("file", PAGES + ERRORS, ids=lambda file: f"{file.parent.name}-{file.stem}")
def test_snapshots(capsys: pytest.CaptureFixture[str], file: Path) -> None:
    snapshot(capsys, file)


@pytest.mark.parametrize("file", ERRORS, ids=lambda file: file.stem)
def test_errors_speak_to_users(file: Path) -> None:
    _, shown = file.read_text(encoding="utf-8").split("\n", 1)
    assert CODE.findall(shown) in (["2"], ["3"])
    assert "\x1b" not in shown
    assert not FOREIGN.search(shown)
    assert len(re.findall(r"error\[E\d{3}\]|\"code\": \"E\d{3}\"", shown)) == 1


def test_pages_end_well() -> None:
    text = "".join(file.read_text(encoding="utf-8") for file in PAGES)
    assert set(CODE.findall(text)) <= {"0", "1", "3"}  # 3: verify cannot judge
    assert not re.search(r"[ \t]$", text, re.MULTILINE)
