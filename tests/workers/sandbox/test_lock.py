"""Where a wall is missing it is told, and work without it can be refused."""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from gradcli.cli import run
from gradcli.workers.confinement import forbid_writing
from gradcli.workers.sandbox import calls, files, lock
from tests.commands.served import program, served
from tests.workers.sandbox.door import inside
from tests.workers.sandbox.test_files import attacks

COMMANDS = [
    ["run", "no.py"], ["eval", "x**2", "x=3"], ["grad", "x**2", "x=3"], ["trace", "x**2", "x=3"],
    ["graph", "x**2", "x=3"], ["plot", "x**2", "x=0..1"], ["verify", "x**2", "x=3"], ["check", "week.toml", "ada.txt"],
    ["batch", "x**2"],
]  # fmt: skip


@pytest.fixture
def without_files(monkeypatch: pytest.MonkeyPatch) -> None:
    """A system without Landlock."""
    monkeypatch.setattr(files, "version", lambda: 0)
    lock.walls.cache_clear()
    monkeypatch.setattr(lock, "walls", lock.walls.__wrapped__)


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.usefixtures("without_files")
def test_work_without_a_wall_can_be_refused(capsys: pytest.CaptureFixture[str], command: list[str]) -> None:
    assert run([*command, "--require-sandbox"]) == 3
    out, err = capsys.readouterr()
    assert out == ""
    assert "E405" in err
    assert "no wall around files" in err


@pytest.mark.usefixtures("without_files")
def test_a_missing_wall_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    for arguments in (["--version", "--verbose"], ["--verbose", "--version"]):
        assert run(arguments) == 0
        version, walls = capsys.readouterr().out.splitlines()
        assert version.startswith("gradcli ")
        assert "files no (Landlock)" in walls
    assert run(["--version"]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 1


@pytest.mark.usefixtures("without_files")
def test_the_other_wall_stands_alone() -> None:
    pid = os.fork()
    if not pid:
        code = 1
        try:
            forbid_writing([])
            os.fork()
        except PermissionError:
            code = 0
        finally:
            os._exit(code)
    assert os.waitpid(pid, 0)[1] == 0


OF_FILES = ("read", "list", "go to", "hold a path", "write", "append", "remove", "link", "follow")


@pytest.mark.slow
@pytest.mark.skipif(not lock.walls()["calls"], reason="the system has no filter of calls")
@pytest.mark.usefixtures("without_files")
def test_without_a_wall_around_files_none_is_opened_or_looked_at(tmp_path: Path) -> None:
    (tmp_path / "old").write_text("old")
    tried = {name: attack for name, attack in attacks(tmp_path).items() if name.startswith(OF_FILES)}
    tried |= {
        "read a module": Path(os.__file__).read_text,
        "look at a file": (tmp_path / "old").stat,
        "look at a link": (tmp_path / "old").lstat,
        "ask whether there is one": lambda: None if Path("/etc/passwd").exists() else 1 // 0,
    }

    def reached() -> list[str]:
        found = []
        for name, attack in tried.items():
            with suppress(OSError, RuntimeError, ValueError, ZeroDivisionError):
                attack()
                found.append(name)
        return found

    assert len(tried) > 20
    assert inside(reached) == []


WITHOUT_FILES = """
from gradcli.workers.sandbox import files, lock
files.version = lambda: 0
lock.walls.cache_clear()
from gradcli.__main__ import main
main()
"""
LESSON = "import torch\nx = torch.ones(2, requires_grad=True)\nx.sum().backward()\nprint(x.grad)\n"
WEEK = f"[[question]]\nid = 'q'\nscript = {json.dumps(LESSON)}\nask = ['x.grad']\n"
FILES = {
    "s.py": LESSON, "w.toml": WEEK, "a.txt": "[q]\nx.grad = [1, 1]\n",
    "b.jsonl": '{"program": "x + 1", "at": {"x": 1}}',
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize(
    "line",
    [
        "eval sum(softmax([x,2])*[1,2]) x=3 --why",
        "eval x*y x=1 y=2 --format html",
        "run s.py --explain",
        "why s.py",
        "check w.toml a.txt",
        "check --key w.toml",
        "batch --each -i b.jsonl",
    ],
)
def test_commands_work_without_opening_files(tmp_path: Path, line: str) -> None:
    for name, text in FILES.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    both = [
        subprocess.run([*command, *line.split()], capture_output=True, cwd=tmp_path, check=False)
        for command in ([*program(), WITHOUT_FILES], served())
    ]
    assert both[0].returncode == 0, both[0].stderr
    assert both[0].stdout == both[1].stdout


@pytest.mark.skipif(not all(lock.walls().values()), reason="the system has not all walls")
def test_work_within_all_walls_is_not_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["grad", "x**2", "x=3", "--require-sandbox"]) == 0
    assert capsys.readouterr().out == "x\t6\n"


@pytest.mark.skipif(sys.platform != "linux", reason="the numbers are those of Linux")
@pytest.mark.parametrize("machine", calls.MACHINES)
def test_a_filter_fits_its_machine(machine: str) -> None:
    """Each jump stays within the program, and it ends in a refusal."""
    program = calls.instructions(*calls.MACHINES[machine])
    for place, (kind, yes, no, _) in enumerate(program):
        assert kind in (calls.LOAD, calls.ANSWER) or place + 1 + max(yes, no) < len(program)
    assert program[-1] == calls.REFUSE
    numbers = [numbers[calls.MACHINES[machine][0]] for numbers in calls.ALLOWED.values()]
    known = [number for number in numbers if number is not None]
    assert len(known) == len(set(known))


def test_machines_are_those_that_are_told() -> None:
    assert lock.walls()["calls"] == (sys.platform == "linux" and platform.machine() in calls.MACHINES)


@pytest.mark.slow
def test_a_product_of_matrices_needs_no_threads(tmp_path: Path) -> None:
    """Whatever the variables say, numpy's library starts none in a process that may not."""
    record = {"program": "sum(A@A)", "at": {"A": [[1.0] * 200] * 200}}
    (tmp_path / "one.jsonl").write_text(json.dumps(record))
    command = [sys.executable, "-m", "gradcli", "batch", "--each", "--forward-only", "-i", str(tmp_path / "one.jsonl")]
    env = {**os.environ, "OPENBLAS_NUM_THREADS": "4", "OMP_NUM_THREADS": "4"}
    done = subprocess.run(command, capture_output=True, env=env, check=False)
    assert json.loads(done.stdout) == {"ok": True, "value": 200.0**3}
