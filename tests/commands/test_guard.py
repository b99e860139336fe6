"""Nothing optional ends the main job: numbers and exit code stay, and one line says what is missing."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from itertools import compress
from mmap import mmap
from pathlib import Path
from typing import Any

import pytest

from gradcli.guard import PARTS, guard, guarded
from tests.commands import running

SCALARS = ["z=(x1+a*x2)**2 + floor(a)", "x1=1", "a=2", "x2=3"]
TENSORS = ["loss = mean((relu(x @ w + b) - y)**2)", "x=[[1,2],[3,4],[5,6]]", "w=[0.1,0.2]", "b=0.3", "y=[1,2,2]"]
ASSIGNMENT = """
[[question]]
id = "1"
program = "z = (x1 + a*x2)**2"
at = { x1 = 1.5, a = 2.5, x2 = 3.5 }
ask = ["dz/dx1", "dz/da"]
"""
SNIPPET = """
import torch
x = torch.tensor([1.0, 2.0], requires_grad=True)
loss = (x**2).mean()
loss.backward()
print(x.grad)
"""
TWICE = SNIPPET + "loss.backward()"
COMMANDS = [
    ["eval", *SCALARS, "--why"],
    *(["eval", *TENSORS, *more] for more in (["--json"], ["--torch-nodes"], ["--format", "html"])),
    *(["grad", *TENSORS, *more] for more in ([], ["--symbolic", "--json"])),
    ["grad", "x**3*y", "x=2", "y=3", "--hessian", "--symbolic"],
    ["trace", *TENSORS, "--paths"],
    ["graph", *TENSORS, "--format", "svg"],
    ["verify", *TENSORS],
    *(["run", "lesson.py", *more] for more in (["--explain"], ["--json"], ["--format", "html"])),
    ["run", "twice.py", "--explain"],
    *(["check", "week.toml", "ann.txt", *more] for more in ([], ["--json"])),
    ["check", "week.toml", "--key", "--format", "html"],
    ["batch", SCALARS[0], "-i", "points.jsonl"],
]


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name, text in {
        "week.toml": ASSIGNMENT,
        "ann.txt": "dz/dx1 = 20.5\ndz/da = 20.5",
        "lesson.py": SNIPPET,
        "twice.py": TWICE,
        "points.jsonl": '{"x1": 1, "a": 2, "x2": 3}\n',
    }.items():
        Path(name).write_text(text, encoding="utf-8")


def spied(monkeypatch: pytest.MonkeyPatch, part: str = "") -> mmap:
    """Let whatever is optional of one kind raise, in any module; return marks of the kinds that were computed."""
    marks = mmap(-1, len(PARTS))

    def fail() -> Any:
        raise RuntimeError("a slip")

    def failing(named: str, compute: Callable[[], Any], otherwise: Any, node: str = "") -> Any:
        marks[list(PARTS).index(named)] = 1
        return guarded(named, fail if named == part else compute, otherwise, node)

    for name, module in list(sys.modules.items()):
        if name.startswith("gradcli") and getattr(module, "guarded", None) is guarded:
            monkeypatch.setattr(module, "guarded", failing)
    return marks


def numbers(text: str) -> Any:
    """The numbers of a document, without what is optional in it."""
    found = json.loads(text)
    return [found.get(key) for key in ("value", "gradients", "outcome", "students", "printed", "ok")]


@pytest.mark.slow
@pytest.mark.usefixtures("files")
def test_numbers_come_without_what_fails(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guard, "is_strict", False)
    told: set[str] = set()
    tried: set[tuple[str, str, bool]] = set()
    for command in COMMANDS:
        whole = running.gradcli(capsys, command)  # which imports what the command needs
        with monkeypatch.context() as patch:
            marks = spied(patch)
            again = running.gradcli(capsys, command)
            assert again.out == whole.out, (command, again.code, again.err)
        for part in compress(PARTS, marks[:]):
            kind = (part, command[0], "--json" in command)
            if kind in tried and part in told:
                continue  # of commands that are alike one is enough
            tried.add(kind)
            with monkeypatch.context() as patch:
                guard.warned.clear()
                spied(patch, part)
                found = running.gradcli(capsys, command)
            assert found.code == whole.code, (command, part, found.err)
            if "--json" in command:
                running.document(found.out)
                assert numbers(found.out) == numbers(whole.out), (command, part)
            if found.out != whole.out:
                told.add(part)
                assert PARTS[part] in found.out + found.err, (command, part)
    assert told == set(PARTS)


@pytest.mark.usefixtures("files")
def test_under_debug_a_failure_is_a_bug(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guard, "is_strict", False)
    spied(monkeypatch, "formula")
    found = running.gradcli(capsys, ["eval", *SCALARS, "--debug"])
    assert found.code == 70
    assert "a slip" in found.err
