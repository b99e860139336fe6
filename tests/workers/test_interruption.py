"""Signals that end a command: it closes what is open, and ends by them; none breaks what may not be broken."""

from __future__ import annotations

import gzip
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from gradcli.cli import run
from gradcli.workers import interruption
from gradcli.workers.interruption import ENDS, signals_held
from tests.workers.processes import are_gone, begun

ROOT = Path(__file__).parents[2]
POINTS = b'{"x": 2}\n' * 5
ANSWER = b'{"ok": true, "value": 4.0, "gradients": {"x": 4.0}}\n'


@pytest.mark.slow
@pytest.mark.parametrize("number", ENDS)
@pytest.mark.usefixtures("interruptible")
def test_a_command_that_waits_for_input_closes_its_output_well(tmp_path: Path, number: int) -> None:
    path = tmp_path / "results.jsonl.gz"
    command = [sys.executable, "-m", "gradcli", "batch", "x**2", "--jobs", "2", "-o", str(path)]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stderr=subprocess.PIPE, cwd=ROOT, start_new_session=True
    ) as process:
        assert process.stdin is not None
        process.stdin.write(POINTS)
        process.stdin.flush()
        workers = begun(process.pid)
        os.killpg(process.pid, number)
        assert process.wait() == -number
        assert process.stderr is not None
        assert process.stderr.read() == b""
    assert are_gone(workers)
    found = gzip.decompress(Path(f"{path}.part").read_bytes())  # what is not whole keeps that name
    assert found == ANSWER * found.count(b"\n")


def test_an_error_after_an_interruption_is_its_doing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A library in C that is interrupted raises what it likes."""
    monkeypatch.setattr(interruption, "_heard", [signal.SIGINT])
    assert run(["eval", "x"]) == interruption.INTERRUPTED
    assert capsys.readouterr() == ("", "")


@pytest.mark.slow
def test_a_signal_that_nohup_has_ignored_stays_ignored() -> None:
    command = 'trap "" HUP; exec "$0" -m gradcli batch "x**2"'
    with subprocess.Popen(
        ["sh", "-c", command, sys.executable], stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=ROOT
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        for _ in range(2):
            process.stdin.write(POINTS)
            process.stdin.flush()
            assert [process.stdout.readline() for _ in range(5)] == [ANSWER] * 5
            process.send_signal(signal.SIGHUP)
        process.stdin.close()
        assert process.wait() == 0


def ended(folder: Path, code: str) -> subprocess.CompletedProcess[bytes]:
    """Run the command line with something else in place of its work."""
    (folder / "work.py").write_text(
        f"import os, signal\nimport gradcli.__main__ as main\n{code}\nmain.run_watched = done\nmain.main()\n"
    )
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-m", "work"]
    return subprocess.run(command, capture_output=True, check=False, cwd=folder, env=environment)


@pytest.mark.usefixtures("interruptible")
@pytest.mark.parametrize("how", ["os.kill(os.getpid(), signal.SIGINT)", "exec('os.kill(os.getpid(), signal.SIGINT)')"])
def test_an_interruption_ends_it_as_one_wherever_it_comes(tmp_path: Path, how: str) -> None:
    """Also within an `exec`, of which dataclasses are made."""
    done = ended(tmp_path, f"def done(argv):\n    print('kept')\n    {how}")
    assert (done.returncode, done.stdout, done.stderr) == (-signal.SIGINT, b"kept\n", b"")


@pytest.mark.usefixtures("interruptible")
@pytest.mark.parametrize("number", ENDS)
def test_what_python_drops_just_before_the_end_is_heard(tmp_path: Path, number: int) -> None:
    dropping = f"class Dropping:\n    def __del__(self):\n        os.kill(os.getpid(), {int(number)})\n"
    done = ended(tmp_path, f"{dropping}def done(argv):\n    Dropping()\n    return 0")
    assert (done.returncode, done.stdout, done.stderr) == (-number, b"", b"")


@pytest.mark.usefixtures("interruptible")
@pytest.mark.parametrize("number", ENDS)
def test_what_comes_when_all_is_done_is_not_heard(tmp_path: Path, number: int) -> None:
    late = f"import atexit\natexit.register(os.kill, os.getpid(), {int(number)})\n"
    done = ended(tmp_path, f"{late}def done(argv):\n    return 3")
    assert (done.returncode, done.stdout, done.stderr) == (3, b"", b"")


@pytest.mark.usefixtures("interruptible")
@pytest.mark.parametrize("number", ENDS)
def test_held_signals_wait_here_and_in_a_child(number: int) -> None:
    heard = []
    before = signal.signal(number, lambda *_: heard.append(number))
    with signals_held():
        signal.raise_signal(number)
        child = os.fork()
        if not child:
            try:
                signal.raise_signal(number)
            finally:
                os._exit(1 if heard else 7)
        assert not heard
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
    assert heard == [number]
    signal.signal(number, before)


@pytest.mark.usefixtures("interruptible")
def test_ctrl_c_ends_a_loop_of_the_shell(tmp_path: Path) -> None:
    """A shell goes on with its loop after a command that only has the exit code."""
    (tmp_path / "work.py").write_text(
        "import os, signal\nimport gradcli.__main__ as main\n"
        "def done(argv):\n    os.killpg(0, signal.SIGINT)\nmain.run_watched = done\nmain.main()\n"
    )
    loop = 'for i in 1 2 3; do echo $i; "$0" -m work; done; echo after'
    done = subprocess.run(
        ["bash", "-c", loop, sys.executable], cwd=tmp_path, env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True, check=False, start_new_session=True,
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (-signal.SIGINT, b"1\n")
