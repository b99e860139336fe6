"""What repositories of a class use: the steps of the action, in a shell with the files of a run, and the hooks."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml

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
class Job:
    """What became of the steps of the action: their exit codes by name, what they printed, and the summary."""

    codes: dict[str, int]
    printed: str
    summary: str


@dataclass(frozen=True)
class Repository:
    """A checkout in which a runner of GitHub carries out the action; beside it are the runner's own files."""

    folder: Path

    def run(self, event: dict[str, Any] | None = None, **given: str) -> Job:
        """Carry out the steps that the action's file has, as it says, in the environment of a runner."""
        action = yaml.safe_load((ACTION / "action.yml").read_text(encoding="utf-8"))
        assert given.keys() <= action["inputs"].keys()
        inputs = {name: given.get(name, facts["default"]) for name, facts in action["inputs"].items()}
        runner = self.folder.parent
        files = {name: str(runner / name.lower()) for name in ("GITHUB_STEP_SUMMARY", "GITHUB_OUTPUT", "GITHUB_ENV")}
        environment = {
            **os.environ,
            **files,
            "GITHUB_ACTION_PATH": str(ACTION),
            "GITHUB_WORKSPACE": str(self.folder),
            "GITHUB_ACTIONS": "true",
            "PATH": f"{runner}{os.pathsep}{os.environ['PATH']}",
        }
        codes, printed = dict[str, int](), ""
        for step in action["runs"]["steps"]:
            if "uses" in step or not is_due(step.get("if", ""), inputs, codes):
                continue
            own = {name: filled(text, inputs, event or {}) for name, text in step["env"].items()}
            assert step["shell"] == "bash"
            assert (
                "${{" not in step["run"]
            )  # what comes from outside is in variables, and never in the text of a script
            (runner / "step.sh").write_text(step["run"])
            command = ["bash", "--noprofile", "--norc", "-e", "-o", "pipefail", str(runner / "step.sh")]
            done = subprocess.run(
                command, cwd=self.folder, env=environment | own, capture_output=True, text=True, check=False
            )
            assert "Traceback" not in done.stderr
            codes[step["name"]] = done.returncode
            printed += done.stdout
        summary = Path(files["GITHUB_STEP_SUMMARY"])
        return Job(codes, printed, summary.read_text("utf-8") if summary.exists() else "")

    def git(self, *words: str) -> str:
        identity = ["-c", "user.name=ada", "-c", "user.email=ada@example.org"]
        done = subprocess.run(["git", *identity, *words], cwd=self.folder, capture_output=True, text=True, check=True)
        return done.stdout.strip()


def is_due(condition: str, inputs: dict[str, str], codes: dict[str, int]) -> bool:
    """Return whether a step is carried out: `always() && inputs.lessons != ''`."""
    parts = [part for part in condition.split(" && ") if part]
    asked = [re.fullmatch(r"inputs\.(\w+) != ''", part) for part in parts if part != "always()"]
    assert None not in asked, condition
    return ("always()" in parts or not any(codes.values())) and all(inputs[match[1]] for match in asked if match)


def filled(text: str, inputs: dict[str, str], event: dict[str, Any]) -> str:
    """Return a value with its expressions computed: `${{ inputs.lessons }}`, `${{ github.event.before }}`."""

    def value(match: re.Match[str]) -> str:
        found = ""
        for path in match[1].split("||"):
            first, *rest = path.strip().split(".")
            place: Any = inputs if first == "inputs" else {"event": event}
            for name in rest:
                place = (place or {}).get(name)
            found = found or str(place or "")
        return found

    return re.sub(r"\${{(.*?)}}", value, text)


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    for name, line in (("gradcli", f'exec {in_shell()} "$@"'), ("pip", f'echo "$@" >> {tmp_path}/pip.txt')):
        (tmp_path / name).write_text(f"#!/bin/sh\n{line}\n")
        (tmp_path / name).chmod(0o755)
    folder = tmp_path / "repository"
    folder.mkdir()
    (folder / "week1.toml").write_text(WEEK)
    return Repository(folder)


def grade(repository: Repository, answers: str, reveal: str = "value") -> Job:
    (repository.folder / "answers.txt").write_text(answers)
    return repository.run(assignment="week1.toml", reveal=reveal)


@pytest.mark.slow
def test_a_wrong_answer_is_told_beside_its_line(repository: Repository) -> None:
    job = grade(repository, "[q]\ns = 9\ndy/ds = 3\n")
    assert job.codes == {"Install gradcli": 0, "Grade the submission": 1}
    (annotation,) = job.printed.splitlines()
    assert annotation.startswith("::error file=answers.txt,line=3,title=q%3A dy/ds::")
    assert "right" not in annotation or "4" in annotation
    assert "## Week 1" in job.summary
    assert "| ✓ | q | s | 9 | 1 of 1 |" in job.summary
    assert "**answers: 1 of 2 points**" in job.summary
    assert (repository.folder.parent / "pip.txt").read_text() == "install --quiet gradcli\n"


@pytest.mark.slow
def test_right_answers_pass_and_a_wrong_file_is_told(repository: Repository) -> None:
    job = grade(repository, "[q]\ns = 9\ndy/ds = 4\n")
    assert (set(job.codes.values()), job.printed) == ({0}, "")
    (repository.folder / "week1.toml").write_text("[[question")
    job = grade(repository, "")
    assert job.codes["Grade the submission"] == 2
    assert job.printed.startswith("::error::")


@pytest.mark.slow
def test_what_students_type_neither_commands_nor_marks_up(repository: Repository) -> None:
    job = grade(repository, "[q]\ns = <b>|`x`\n::set-output name=a::b\ndy/ds = %0A::warning::\n", "verdict")
    assert job.codes["Grade the submission"] == 1
    assert all(line.startswith("::error file=answers.txt,line=") for line in job.printed.splitlines())
    assert "<b>|" not in job.summary


@pytest.mark.slow
def test_lessons_that_have_changed_are_looked_at(repository: Repository) -> None:
    repository.git("init", "--quiet")
    (repository.folder / "old.py").write_text(DOUBLED)
    (repository.folder / "grade.py").write_text("import os\nprint(os.environ['ASSIGNMENT'])\n")  # not a lesson
    repository.git("add", ".")
    repository.git("commit", "--quiet", "-m", "begin")
    base = repository.git("rev-parse", "HEAD")
    (repository.folder / "a lesson.py").write_text(DOUBLED)
    repository.git("add", ".")
    repository.git("commit", "--quiet", "-m", "a lesson")
    step = "Look at the lessons that have changed"
    job = repository.run({"before": base}, lessons="*.py")
    assert job.codes == {"Install gradcli": 0, step: 1}
    assert re.fullmatch(r"::warning file=a lesson.py,line=5,title=accumulated::.*\n", job.printed)
    first = repository.run({"before": "0" * 40}, lessons="*.py")
    assert [line.partition(",")[0] for line in first.printed.splitlines()] == [
        "::warning file=a lesson.py",
        "::warning file=old.py",
    ]
    request = {"pull_request": {"base": {"sha": base}}, "before": "0" * 40}
    assert repository.run(request, lessons="*.py").printed == job.printed
    assert repository.run({"before": base}, lessons="*.ipynb").codes[step] == 0


@pytest.mark.slow
def test_a_wrong_answer_does_not_hide_the_lessons(repository: Repository) -> None:
    repository.git("init", "--quiet")
    (repository.folder / "lesson.py").write_text(DOUBLED)
    (repository.folder / "answers.txt").write_text("[q]\ns = 8\ndy/ds = 4\n")
    repository.git("add", ".")
    repository.git("commit", "--quiet", "-m", "begin")
    job = repository.run(assignment="week1.toml", lessons="*.py")
    assert [*job.codes.values()] == [0, 1, 1]
    assert "::error file=answers.txt,line=2" in job.printed
    assert "::warning file=lesson.py,line=5" in job.printed


@pytest.mark.slow
def test_the_hooks(repository: Repository) -> None:
    hooks = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
    why, check = (shlex.split(hook["entry"]) for hook in hooks)
    environment = {**os.environ, "PATH": f"{repository.folder.parent}{os.pathsep}{os.environ['PATH']}"}

    def ran(entry: list[str], *files: str) -> tuple[int, str]:
        done = subprocess.run(
            [*entry, *files], cwd=repository.folder, env=environment, capture_output=True, text=True, check=False
        )
        return done.returncode, done.stdout

    (repository.folder / "bad.py").write_text(DOUBLED)
    (repository.folder / "good.py").write_text("import torch\n")
    (repository.folder / "other.py").write_text("import os\nprint(os.environ['ASSIGNMENT'])\n")
    assert ran(why, "good.py", "other.py") == (0, "")
    code, printed = ran(why, "bad.py", "good.py")
    assert (code, printed.partition(" ")[0]) == (1, "bad.py:5:")
    (repository.folder / "answers.txt").write_text("[q]\ns = 9\ndy/ds = 4\n")
    assert ran(check, "week1.toml", "answers.txt")[0] == 0
    (repository.folder / "answers.txt").write_text("[q]\ns = 9\ndy/ds = 3\n")
    code, printed = ran(check, "week1.toml", "answers.txt")
    assert code == 1
    assert "right is" not in printed  # who commits here is to find it
