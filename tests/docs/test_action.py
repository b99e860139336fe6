"""What repositories of a class use: the steps of the action, in a shell with the files of a run, and the hooks."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.commands.served import ROOT, in_shell

ACTION = ROOT / "samples" / "action"
WEEK = (
    "title = 'Week 1'\n[[question]]\nid = 'q'\nprogram = 's = x**2; y = s + s*x'\nat = {x = 3}\nask = ['s', 'dy/ds']\n"
)
DOUBLED = """
import torch
w = torch.tensor(2.0, requires_grad=True)
for _ in range(2):
    (w**2).backward()
    w.data -= w.grad
"""


@dataclass(frozen=True)
class Repository:
    folder: Path

    def step(self, name: str, **given: str) -> tuple[int, str, str]:
        """Run a step of the action as its file says; the exit code, what it prints, and the summary."""
        text = (ACTION / "action.yml").read_text(encoding="utf-8")
        step = text.partition(f"- name: {name}\n")[2].partition("\n    - ")[0]
        (command,) = re.findall(r"^      run: (.*)$", step, re.MULTILINE)
        asked = re.findall(r"^        ([A-Z]+): \$", step, re.MULTILINE)
        assert set(asked) == set(given)
        summary = self.folder.parent / "summary.md"
        files = {"GITHUB_ACTION_PATH": str(ACTION), "GITHUB_STEP_SUMMARY": str(summary)}
        path = f"{self.folder.parent}{os.pathsep}{os.environ['PATH']}"
        environment = {**os.environ, **files, **given, "PATH": path}
        run = ["bash", "-e", "-o", "pipefail", "-c", command]
        done = subprocess.run(run, cwd=self.folder, env=environment, capture_output=True, text=True, check=False)
        assert "Traceback" not in done.stderr
        return done.returncode, done.stdout, summary.read_text("utf-8") if summary.exists() else ""

    def git(self, *words: str) -> str:
        identity = ["-c", "user.name=ada", "-c", "user.email=ada@example.org"]
        done = subprocess.run(["git", *identity, *words], cwd=self.folder, capture_output=True, text=True, check=True)
        return done.stdout.strip()


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    (tmp_path / "gradcli").write_text(f'#!/bin/sh\nexec {in_shell()} "$@"\n')
    (tmp_path / "gradcli").chmod(0o755)
    folder = tmp_path / "repository"
    folder.mkdir()
    (folder / "week1.toml").write_text(WEEK)
    return Repository(folder)


def grade(repository: Repository, answers: str, reveal: str = "value") -> tuple[int, str, str]:
    (repository.folder / "answers.txt").write_text(answers)
    asked = {"ASSIGNMENT": "week1.toml", "SUBMISSION": "answers.txt", "REVEAL": reveal}
    return repository.step("Grade the submission", **asked)


@pytest.mark.slow
def test_a_wrong_answer_is_told_beside_its_line(repository: Repository) -> None:
    code, printed, summary = grade(repository, "[q]\ns = 9\ndy/ds = 3\n")
    assert code == 1
    (annotation,) = printed.splitlines()
    assert annotation.startswith("::error file=answers.txt,line=3,title=q%3A dy/ds::")
    assert "right" not in annotation or "4" in annotation
    assert "## Week 1" in summary
    assert "| ✓ | q | s | 9 | 1 of 1 |" in summary
    assert "**answers: 1 of 2 points**" in summary


@pytest.mark.slow
def test_right_answers_pass_and_a_wrong_file_is_told(repository: Repository) -> None:
    assert grade(repository, "[q]\ns = 9\ndy/ds = 4\n")[:2] == (0, "")
    (repository.folder / "week1.toml").write_text("[[question")
    code, printed, _ = grade(repository, "")
    assert code == 2
    assert printed.startswith("::error::")


@pytest.mark.slow
def test_what_students_type_neither_commands_nor_marks_up(repository: Repository) -> None:
    code, printed, summary = grade(
        repository, "[q]\ns = <b>|`x`\n::set-output name=a::b\ndy/ds = %0A::warning::\n", "verdict"
    )
    assert code == 1
    assert all(line.startswith("::error file=answers.txt,line=") for line in printed.splitlines())
    assert "<b>|" not in summary


@pytest.mark.slow
def test_lessons_that_have_changed_are_looked_at(repository: Repository) -> None:
    repository.git("init", "--quiet")
    (repository.folder / "old.py").write_text(DOUBLED)
    repository.git("add", ".")
    repository.git("commit", "--quiet", "-m", "begin")
    base = repository.git("rev-parse", "HEAD")
    (repository.folder / "a lesson.py").write_text(DOUBLED)
    repository.git("add", ".")
    repository.git("commit", "--quiet", "-m", "a lesson")
    step = "Look at the lessons that have changed"
    code, printed, _ = repository.step(step, LESSONS="*.py", BASE=base)
    assert code == 1
    assert re.fullmatch(r"::warning file=a lesson.py,line=5,title=accumulated::.*\n", printed)
    assert repository.step(step, LESSONS="*.py", BASE="0" * 40)[1].count("title=accumulated") == 2
    assert repository.step(step, LESSONS="*.ipynb", BASE=base)[:2] == (0, "")


@pytest.mark.slow
def test_the_hooks(repository: Repository) -> None:
    hooks = (ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8")
    why, check = (shlex.split(entry) for entry in re.findall(r"^  entry: (.*)$", hooks, re.MULTILINE))
    environment = {**os.environ, "PATH": f"{repository.folder.parent}{os.pathsep}{os.environ['PATH']}"}

    def ran(entry: list[str], *files: str) -> tuple[int, str]:
        done = subprocess.run(
            [*entry, *files], cwd=repository.folder, env=environment, capture_output=True, text=True, check=False
        )
        return done.returncode, done.stdout

    (repository.folder / "bad.py").write_text(DOUBLED)
    (repository.folder / "good.py").write_text("import torch\n")
    assert ran(why, "good.py") == (0, "")
    code, printed = ran(why, "bad.py", "good.py")
    assert (code, printed.partition(" ")[0]) == (1, "bad.py:5:")
    (repository.folder / "answers.txt").write_text("[q]\ns = 9\ndy/ds = 4\n")
    assert ran(check, "week1.toml", "answers.txt")[0] == 0
