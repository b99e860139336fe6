"""No command writes over what it reads, whatever the file is called at the other place."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.commands.served import served
from tests.commands.walls.test_scripts_in_workers import SCRIPT, prepared
from tests.programs import some

LINES = {  # each with the file that it reads and would write
    "run page.md -o": "page.md",
    "run - -o": "page.md",
    "run page.md --json -o": "page.md",
    "eval -f program.txt x=2 --format json -o": "program.txt",
    "eval x*w x=2 w=@w.json --format json -o": "w.json",
    "eval x*[1,2] x=2 --upstream @w.json --format json -o": "w.json",
    "graph -f program.txt x=2 --format dot -o": "program.txt",
    "trace -f program.txt x=2 --format markdown -o": "program.txt",
    "plot -f program.txt x=-2..2 --format svg -o": "program.txt",
    "graph page.md --format dot -o": "page.md",
    "batch -f program.txt -i points.jsonl --format jsonl -o": "program.txt",
    "batch x**2 -i points.jsonl -o": "points.jsonl",
    "batch x*w w=@w.json -i points.jsonl --format jsonl -o": "w.json",
    "check week.toml ada.txt --report csv -o": "week.toml",
    "check week.toml ada.txt --report junit -o": "week.toml",
    "check week.toml ada.txt --format json -o": "week.toml",
    "check week.toml ada.txt --roster roster.csv --report csv -o": "roster.csv",
    "check week.toml ada.txt --format text -o": "ada.txt",
    "check week.toml answers --report csv -o": "answers/bob.txt",
    "check --key week.toml --format text -o": "week.toml",
    "check --lint week.toml --format text -o": "week.toml",
    "check --handout week.toml --format text -o": "week.toml",
    "check week.toml --report gift -o": "week.toml",
    "check --key varied.toml --variants sheets/ada.json --format json -o sheets/": "sheets/ada.json",
    "check --handout varied.toml --roster roster.csv --secret-file sheets/ada.txt -o sheets/": "sheets/ada.txt",
    "check week.toml ada.txt --against feedback/ada.json --format json -o feedback/": "feedback/ada.json",
}


def itself(path: Path) -> Path:
    return path


def linked(path: Path) -> Path:
    """Another name that leads to the file."""
    other = path.with_name("a link")
    other.symlink_to(path.name)
    return other


def linked_hard(path: Path) -> Path:
    other = path.with_name("a hard link")
    os.link(path, other)
    return other


def roundabout(path: Path) -> Path:
    return Path("answers", "..", path)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    prepared(tmp_path, SCRIPT)
    monkeypatch.chdir(tmp_path)
    for name in ("sheets", "answers", "feedback"):
        Path(name).mkdir()
    Path("page.md").write_text(f"# A page\n\n```python\n{SCRIPT}```\n", encoding="utf-8")
    Path("program.txt").write_text("x**2", encoding="utf-8")
    Path("points.jsonl").write_text('{"x": 1}\n', encoding="utf-8")
    Path("w.json").write_text("[1, 2]", encoding="utf-8")
    Path("answers/bob.txt").write_text("[q]\na.grad = 1\n", encoding="utf-8")
    Path("sheets/ada.json").write_text(Path("variants.json").read_text(encoding="utf-8"), encoding="utf-8")
    Path("sheets/ada.txt").write_text("0123456789abcdef", encoding="utf-8")
    done = subprocess.run(
        [*served(), "check", "week.toml", "ada.txt", "--json"], capture_output=True, text=True, check=False
    )
    assert json.loads(done.stdout)["ok"] in (True, False)
    Path("feedback/ada.json").write_text(done.stdout, encoding="utf-8")
    return tmp_path


@pytest.mark.slow
@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("name", some([itself, linked, linked_hard, roundabout], 4))
@pytest.mark.parametrize("line", some(list(LINES), 8))
def test_no_input_is_written_over(line: str, name: Callable[[Path], Path]) -> None:
    path = Path(LINES[line])
    before = path.read_bytes()
    arguments = line.split()
    if not line.endswith("/"):
        arguments.append(str(name(path)))
    with path.open("rb") as stream:
        done = subprocess.run(
            [*served(), *arguments], stdin=stream if "-" in arguments else None, capture_output=True, check=False
        )
    assert path.read_bytes() == before
    assert done.returncode == 2, (done.stdout, done.stderr)
    assert b"the input, too" in done.stdout + done.stderr or b"holds submissions" in done.stderr
