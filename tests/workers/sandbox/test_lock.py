"""Where a wall is missing it is told, and work without it can be refused."""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
from pathlib import Path

import pytest

from gradcli.cli import run
from gradcli.workers.confinement import forbid_writing
from gradcli.workers.sandbox import calls, files, lock

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
