"""A system that gives too little: an error says so, and no traceback."""

from __future__ import annotations

import errno
import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest

from gradcli.errors import EvaluationError
from gradcli.workers.limits import Limits, no_more_files
from gradcli.workers.pool import Failed, Lost, map_items
from tests.commands.running import gradcli
from tests.commands.served import COMMAND
from tests.commands.walls.test_scripts_in_workers import SCRIPT, prepared
from tests.programs import some

LINES = [
    "eval x**2 x=1",
    "check week.toml ada.txt",
    "check --key week.toml",
    "check week.toml --report gift",
    "batch x**2 -i points.jsonl",
    "practice week.toml",
    "run -",
]
NO_NULL = "import os; os.devnull = '/nowhere/null'; from gradcli.__main__ import main; main()"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    prepared(tmp_path, SCRIPT)
    (tmp_path / "points.jsonl").write_text('{"x": 1}\n', encoding="utf-8")
    return tmp_path


@pytest.mark.slow
@pytest.mark.parametrize("count", some([6, 7, 8, 9], 1))
@pytest.mark.parametrize("line", some(LINES, 4))
def test_few_files(folder: Path, line: str, count: int) -> None:
    done = subprocess.run(
        [*COMMAND, *line.split()], cwd=folder, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (count, count)),
    )  # fmt: skip
    assert "Traceback" not in done.stderr
    assert done.returncode == 0 or done.stderr.startswith("error[E"), done.stderr


@pytest.mark.parametrize(
    "error",
    [
        OSError(errno.EMFILE, os.strerror(errno.EMFILE)),
        ImportError("libblas.so: cannot open shared object file: Error 24"),
        ImportError(f"libblas.so: {os.strerror(errno.ENFILE)}"),
    ],
)
def test_whatever_needs_one_file_more_is_told(error: Exception) -> None:
    def work(item: object) -> None:
        raise error

    def lost(item: object, loss: Lost) -> list[Failed]:
        assert loss.error is not None
        return [Failed(loss.error)]

    with pytest.raises(EvaluationError, match="the system gives no more files"):
        list(map_items(work, [1], 1, Limits(), lost))
    assert no_more_files(ImportError("no module")) is None


@pytest.mark.slow
@pytest.mark.parametrize("line", some(LINES, 4))
def test_no_null_device(folder: Path, line: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", NO_NULL, *line.split()], cwd=folder, capture_output=True, text=True, check=False,
        input="",
    )  # fmt: skip
    refused = "error[E210]: /nowhere/null cannot be opened: No such file or directory\n"
    assert done.returncode == (0 if line.startswith("batch") else 3)  # which plain records need no process for
    assert done.stderr.startswith(refused) or not done.returncode


@pytest.mark.slow
@pytest.mark.parametrize("arguments", [["ops", "sin"], ["check", "--help"]], ids=" ".join)
def test_descriptions_stay_without_docstrings(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    program = "from gradcli.__main__ import main; main()"
    command = [sys.executable, "-OO", "-c", program, *arguments]
    bare = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert bare == gradcli(capsys, arguments).out
