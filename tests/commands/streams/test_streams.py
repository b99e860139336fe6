"""What only a process of its own shows: pipes, signals, encodings, terminals, closed and full streams."""

from __future__ import annotations

import fcntl
import json
import os
import pty
import signal
import struct
import subprocess
import sys
import termios
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.commands.running import gradcli
from tests.commands.served import COMMAND, served
from tests.programs import some

SQUARE = ["eval", "z=(x1+a*x2)**2", "x1=1", "a=2", "x2=3"]
QUIET = {
    name: value
    for name, value in os.environ.items()
    if name not in ("NO_COLOR", "CLICOLOR_FORCE", "FORCE_COLOR", "COLUMNS", "PYTHONIOENCODING")
}


def start(*arguments: str | bytes, **options: Any) -> subprocess.CompletedProcess[bytes]:
    """Run a command from a server, unless it begins in a way that Python itself sees."""
    command = COMMAND if options.keys() & {"env", "preexec_fn"} else served()
    environment = {**QUIET, **options.pop("env", {})}
    options = {"stdin": subprocess.DEVNULL, "capture_output": True, **options}
    if "stdout" in options or "stderr" in options:
        options.pop("capture_output")
        options = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **options}
    if "input" in options:
        options.pop("stdin")
    return subprocess.run([*command, *arguments], env=environment, check=False, **options)


@pytest.mark.slow
@pytest.mark.parametrize("arguments", [["ops"], ["--help"], SQUARE, [*SQUARE, "--json"], ["eval", "x+", "--json"]])
def test_a_reader_that_goes_away_is_left_in_peace(arguments: list[str]) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    result = start(*arguments, stdout=writing)
    os.close(writing)
    assert (result.returncode, result.stderr) == (141, b"")


@pytest.mark.slow
@pytest.mark.parametrize("arguments", [["--version"], SQUARE, [*SQUARE, "--json"], ["eval", "x+", "--json"]])
def test_a_full_disk_is_told(arguments: list[str]) -> None:
    with Path("/dev/full").open("wb") as full:
        result = start(*arguments, stdout=full)
    assert result.returncode == 2
    assert result.stderr.startswith(b"error[E011]: cannot write the output: No space left on device\n")
    assert b"Traceback" not in result.stderr


@pytest.mark.slow
@pytest.mark.parametrize("arguments", [["ops"], SQUARE])
def test_a_full_disk_is_told_without_a_buffer(tmp_path: Path, arguments: list[str]) -> None:
    """Python's own streams lose the rest of a text of which a disk takes the beginning."""
    import resource

    with (tmp_path / "page").open("wb") as page:
        result = start(
            *arguments,
            stdout=page,
            env={"PYTHONUNBUFFERED": "1", "PYTHONDONTWRITEBYTECODE": "1"},  # or bytecode would be cut, for all tests
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (100, resource.RLIM_INFINITY)),
        )
    assert result.returncode == 2
    assert result.stderr.startswith(b"error[E011]: cannot write the output: File too large\n")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("closed", "arguments", "code"),
    [(0, ["eval", "-f", "-"], 2), (1, SQUARE, 0), (1, ["eval", "x"], 3), (2, ["eval", "x"], 3), (2, SQUARE, 0)],
)
def test_closed_streams(closed: int, arguments: list[str], code: int) -> None:
    result = start(*arguments, stdin=None, preexec_fn=lambda: os.close(closed))
    assert result.returncode == code
    assert b"Traceback" not in result.stderr
    assert b"E900" not in result.stderr


@pytest.mark.slow
@pytest.mark.usefixtures("interruptible")
def test_an_interruption_is_quiet() -> None:
    process = subprocess.Popen(
        [*COMMAND, "eval", "-f", "-", "x=1"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert process.stdin is not None
    process.stdin.write(b"#" * 2**20)  # more than a pipe holds, so that it is being read when the signal comes
    process.stdin.flush()
    process.send_signal(signal.SIGINT)
    out, error = process.communicate()
    assert (process.returncode, out) == (-signal.SIGINT, b"")
    assert error in (b"", b"\n")


@pytest.mark.slow
def test_standard_input() -> None:
    result = start("grad", "-f", "-", "x=3", input=b"\xef\xbb\xbfx**2\r\n")
    assert (result.returncode, result.stdout) == (0, b"x\t6\n")
    broken = start("grad", "-f", "-", input=b"\xff")
    assert broken.returncode == 2
    assert b"standard input is not UTF-8 text" in broken.stderr


@pytest.mark.slow
@pytest.mark.parametrize(
    "environment",
    some(
        [
            {"PYTHONIOENCODING": "ascii:strict", "LC_ALL": "C.UTF-8"},
            {"PYTHONIOENCODING": "ascii"},
            {"PYTHONIOENCODING": "latin-1"},
        ],
        2,
    ),
)
def test_streams_that_are_not_utf8(environment: dict[str, str]) -> None:
    arguments = ["eval", "y = \u03b8\u00b2", "\u03b8=3"]
    page = start(*arguments, env=environment)
    assert page.returncode == 0
    assert page.stdout.isascii()
    assert b"dy/d\\u03b8 = 2*\\u03b8" in page.stdout
    assert json.loads(start(*arguments, "--json", env=environment).stdout)["gradients"] == {"\u03b8": 6.0}
    error = start("eval", "\u03b8*", env=environment)
    assert error.returncode == 2
    assert b"1 | \\u03b8*" in error.stderr


@pytest.mark.slow
@pytest.mark.parametrize(
    "arguments",
    [
        [b"eval", b"x+\xff"],
        [b"eval", b"x", b"x=\xff"],
        [b"eval", b"x", b"\xff=1"],
        [b"eval", b"x", b"x=@\xff.csv"],
        [b"eval", b"-f", b"\xff"],
        [b"eval", b"x", b"x=1", b"--of", b"\xff"],
        [b"eval", b"x", b"--\xff"],
        [b"\xff"],
    ],
)
def test_arguments_that_are_not_utf8(capsys: pytest.CaptureFixture[str], arguments: list[bytes]) -> None:
    result = start(*arguments)
    assert (result.returncode, result.stdout) == (2, b"")
    assert b"\\udcff" in result.stderr
    document = json.loads(gradcli(capsys, [*map(os.fsdecode, arguments), "--json"]).out)
    assert document["ok"] is False


def at_terminal(command: list[str], columns: int, environment: dict[str, str]) -> tuple[int, int]:
    """Start a command at a terminal of this width, and return its number and the other end of the terminal."""
    pid, descriptor = pty.fork()
    if not pid:
        try:
            fcntl.ioctl(1, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
            os.execve(sys.executable, command, {**QUIET, "TERM": "xterm", **environment})
        finally:  # this process never goes on as if it were its parent
            os._exit(127)
    return pid, descriptor


def in_terminal(*arguments: str, columns: int = 80, command: Sequence[str] = (), **environment: str) -> str:
    """What a terminal of this width gets to show."""
    pid, terminal = at_terminal([*(command or served()), *arguments], columns, environment)
    shown = b""
    while True:
        try:
            part = os.read(terminal, 2**16)
        except OSError:  # the end, on Linux
            break
        if not part:
            break
        shown += part
    os.close(terminal)
    os.waitpid(pid, 0)
    return shown.decode().replace("\r\n", "\n")


@pytest.mark.slow
def test_a_terminal_has_colour_and_a_pipe_has_none() -> None:
    assert "\x1b[1;35m∂z/∂a" in in_terminal(*SQUARE)
    assert "\x1b" not in in_terminal(*SQUARE, NO_COLOR="1")
    assert "\x1b" not in in_terminal(*SQUARE, TERM="dumb")
    assert "\x1b" not in in_terminal(*SQUARE, "--json")
    assert b"\x1b" not in start(*SQUARE).stdout


@pytest.mark.usefixtures("interruptible")
def test_an_interruption_that_python_drops_comes_again() -> None:
    """As one during a destructor or a callback: it would be printed, and the command would go on."""
    program = """
import sys
import time
import gradcli.__main__, gradcli.cli

class Dropped:
    def __del__(self):
        raise KeyboardInterrupt

def run(argv):
    Dropped()
    time.sleep(100)

gradcli.cli.run = run
sys.argv = ["gradcli", "check"]
gradcli.__main__.main()
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, timeout=60, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (-signal.SIGINT, b"", b"")
