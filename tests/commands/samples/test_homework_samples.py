"""The samples of homework are graded as they should be, and Gradescope's script runs."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.commands.running import ROOT, document, gradcli
from tests.commands.served import in_shell

HOMEWORK = ROOT / "samples" / "homework"
ASSIGNMENTS = sorted(HOMEWORK.glob("*.toml"))
COURSE = sorted((ROOT / "samples" / "course").glob("week[0-9].toml"))


def answers(capsys: pytest.CaptureFixture[str], assignment: str, submission: str) -> list[dict[str, Any]]:
    found = document(
        gradcli(capsys, f"check '{HOMEWORK}/{assignment}.toml' '{HOMEWORK}/{assignment}/{submission}' --json").out
    )
    return list(found["submissions"][0]["answers"])


def test_each_assignment_has_a_perfect_a_partly_wrong_and_a_hostile_submission() -> None:
    assert len(ASSIGNMENTS) == 2
    for file in ASSIGNMENTS:
        assert [path.stem for path in sorted(file.with_suffix("").iterdir())] == ["hostile", "partly", "perfect"]


@pytest.mark.slow
@pytest.mark.parametrize("file", [*ASSIGNMENTS, *COURSE[1:]], ids=lambda file: file.stem)  # of week 1 its page says it
def test_lint_finds_nothing(capsys: pytest.CaptureFixture[str], file: Path) -> None:
    assert document(gradcli(capsys, ["check", "--lint", str(file), "--json"]).out)["findings"] == []




@pytest.mark.parametrize("file", ASSIGNMENTS, ids=lambda file: file.stem)
def test_perfect(capsys: pytest.CaptureFixture[str], file: Path) -> None:
    (submission,) = file.with_suffix("").glob("perfect.*")
    result = gradcli(capsys, ["check", str(file), str(submission), "--json"])
    (found,) = document(result.out)["submissions"]
    assert (result.code, found["remarks"]) == (0, [])
    assert found["score"] == found["max_score"] > 0
    assert {answer["verdict"] for answer in found["answers"]} == {"correct"}


PARTLY = {
    "chain_rule/partly.txt": {
        "dq/ds": ("wrong", "fanout-overwrite"),
        "dq/dx": ("wrong", "power-rule"),
        "a": ("precision", "rounding"),
        "local da/dz": ("wrong", "pre-post-activation"),
        "dL/da": ("wrong", "sign"),
        "dL/dz": ("carried", ""),
        "dL/dw": ("carried", ""),
        "dL/db": ("missing", ""),
        "dL/dZ": ("wrong", "mean-n"),
        "W.grad": ("wrong", "transpose"),
        "b.grad": ("shape", "broadcast-unsummed"),
    },
    "autograd/partly.txt": {
        "a.grad": ("wrong", "inner-dropped"),
        "b.grad": ("wrong", ""),
        "c.grad": ("wrong", ""),
        "c.requires_grad": ("wrong", ""),
        "w.grad": ("wrong", "stale-grad"),
        "gradient": ("wrong", "mean-n"),
        "model.bias.grad": ("wrong", "mean-n"),
        "weight": ("carried", ""),
    },
}


@pytest.mark.slow
@pytest.mark.parametrize(("file", "expected"), PARTLY.items(), ids=PARTLY)
def test_partly(capsys: pytest.CaptureFixture[str], file: str, expected: dict[str, tuple[str, str]]) -> None:
    """These verdicts, with this mistake first, and all else is right."""
    found = {
        answer["quantity"]: (answer["verdict"], answer["diagnoses"][0]["code"] if answer["diagnoses"] else "")
        for answer in answers(capsys, *file.split("/"))
    }
    assert {quantity: told for quantity, told in found.items() if told[0] != "correct"} == expected


HOSTILE = {
    "chain_rule/hostile.txt": {
        "unreadable": ["s", "q", "local ds/dx", "dq/ds", "z", "a", "dL/dw", "dL/db", "Z", "x"],
        "correct": ["dq/dx", "dL/da", "dL/dz", "dL/dZ"],
        "missing": ["local da/dz", "W.grad", "b.grad"],
    },
    "autograd/hostile.json": {
        "unreadable": [
            "a.grad", "b.grad", "c.grad", "a.is_leaf", "c.requires_grad", "loss", "w.grad", "gradient", "optimizer",
        ],
        "correct": ["c.grad_fn", "loss", "weight"],
        "missing": ["model.bias.grad"],
    },
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize(("file", "expected"), HOSTILE.items(), ids=HOSTILE)
def test_hostile(capsys: pytest.CaptureFixture[str], file: str, expected: dict[str, list[str]]) -> None:
    found: dict[str, list[str]] = {}
    for answer in answers(capsys, *file.split("/")):
        found.setdefault(answer["verdict"], []).append(answer["quantity"])
    assert found == expected
    assignment, submission = file.split("/")
    shown = gradcli(capsys, f"check '{HOMEWORK}/{assignment}.toml' '{HOMEWORK}/{assignment}/{submission}'").out
    assert shown.isprintable() or not {c for c in shown if not c.isprintable()} - {"\n"}


@pytest.fixture
def autograder(tmp_path: Path) -> Path:
    """A machine of Gradescope's: the folders that it makes, and gradcli on the path."""
    for name in ("source", "submission", "results", "bin"):
        (tmp_path / name).mkdir()
    shutil.copy(HOMEWORK / "chain_rule.toml", tmp_path / "source" / "assignment.toml")
    command = tmp_path / "bin" / "gradcli"
    command.write_text(f'#!/bin/sh\nexec {in_shell()} "$@"\n', encoding="utf-8")
    command.chmod(0o755)
    return tmp_path


def autograde(autograder: Path) -> dict[str, Any]:
    environment = {**os.environ, "AUTOGRADER": str(autograder), "PATH": f"{autograder}/bin:{os.environ['PATH']}"}
    script = HOMEWORK / "gradescope" / "run_autograder"
    subprocess.run(["bash", str(script)], env=environment, check=True, capture_output=True)
    text = (autograder / "results" / "results.json").read_text(encoding="utf-8")
    assert "program" not in text
    found: dict[str, Any] = json.loads(text)
    return found


@pytest.mark.slow
@pytest.mark.parametrize(
    ("submission", "name", "score"),
    [
        ("perfect.txt", "answers.txt", 25.0),
        ("perfect.txt", "class.csv", 25.0),
        ("perfect.txt", "answers.json", 25.0),
        ("partly.txt", "my  homework (final).TXT", 9.0),
        ("hostile.txt", "-o.answers", 8.0),
    ],
)
def test_gradescope(autograder: Path, submission: str, name: str, score: float) -> None:
    shutil.copy(HOMEWORK / "chain_rule" / submission, autograder / "submission" / name)
    found = autograde(autograder)
    assert found["score"] == score
    assert found["output"] or submission != "hostile.txt"
    assert sum(test["score"] for test in found["tests"]) == score




def test_gradescope_installs_the_wheel_that_lies_beside(tmp_path: Path) -> None:
    """With an `apt-get` and a `pip3` that write down what they are asked for; the first `pip3` refuses, as Debian's."""
    script = tmp_path / "setup.sh"
    shutil.copy(HOMEWORK / "gradescope" / "setup.sh", script)

    def stub(name: str, ending: str) -> None:
        command = tmp_path / name
        command.write_text(f'#!/bin/sh\necho {name} "$@" >> "{tmp_path}/log"\n{ending}\n', encoding="utf-8")
        command.chmod(0o755)

    stub("apt-get", "true")
    stub("python3", f'exec "{sys.executable}" "$@"')
    stub("pip3", '[ "$2" = --break-system-packages ]')

    def setup() -> int:
        path = f"{tmp_path}:{os.environ['PATH']}"
        done = subprocess.run(["bash", str(script)], env={**os.environ, "PATH": path}, check=False, capture_output=True)
        return done.returncode

    assert setup() == 1
    wheel = tmp_path / "gradcli-0.1.0-py3-none-any.whl"
    wheel.touch()
    assert setup() == 0
    log = (tmp_path / "log").read_text(encoding="utf-8").splitlines()
    assert log[-2:] == [f"pip3 install {wheel}", f"pip3 install --break-system-packages {wheel}"]
    stub("python3", "false")  # too old
    assert setup() == 1
    stub("python3", "true")
    assert setup() == 0
    (tmp_path / "gradcli-0.2.0-py3-none-any.whl").touch()
    assert setup() == 1
