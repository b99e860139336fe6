"""What only processes show of `gradcli batch`: pipes that pause and break, signals, terminals, full disks, memory."""

from __future__ import annotations

import json
import os
import pty
import select
import signal
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.commands.served import COMMAND, served
from tests.commands.streams.test_streams import QUIET, start

SQUARE = ["batch", "z=(x1+a*x2)**2"]
POINT = b'{"x1": 1, "a": 2, "x2": 3}\n'


def opened(*arguments: str, **options: Any) -> subprocess.Popen[bytes]:
    options = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **options}
    command = COMMAND if "start_new_session" in options else served()
    return subprocess.Popen([*command, *arguments], env=QUIET, **options)


def arrives(descriptor: int) -> bytes:
    """What comes next, within a minute."""
    assert select.select([descriptor], [], [], 60)[0]
    return os.read(descriptor, 2**16)


@pytest.mark.slow
def test_slow_records_are_written_before_all_are_computed(tmp_path: Path) -> None:
    path = tmp_path / "points.jsonl"
    path.write_bytes(b'{"x": 2}\n' * 20_000)
    with opened("batch", "sum(stack([x, x]))", "-i", str(path)) as process:
        assert process.stdout is not None
        arrives(process.stdout.fileno())
        assert process.poll() is None
        process.stdout.close()


@pytest.mark.slow
@pytest.mark.parametrize("jobs", ["1", "2"])
def test_a_result_does_not_wait_for_more_records(jobs: str) -> None:
    with opened(*SQUARE, "--jobs", jobs) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        for count in (1, 2, 1):
            process.stdin.write(POINT * count)
            process.stdin.flush()
            found = b""
            while found.count(b"\n") < count:
                found += arrives(process.stdout.fileno())
        process.stdin.close()
        assert process.wait() == 0


@pytest.mark.slow
@pytest.mark.parametrize("jobs", ["1", "2"])
def test_a_reader_that_goes_away_is_left_in_peace(jobs: str) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    result = start(*SQUARE, "--jobs", jobs, stdout=writing, input=POINT * 5000)
    os.close(writing)
    assert (result.returncode, result.stderr) == (141, b"")


@pytest.mark.slow
@pytest.mark.usefixtures("interruptible")
@pytest.mark.parametrize("jobs", ["1", "2"])
def test_an_interruption_leaves_whole_lines(jobs: str) -> None:
    with opened(*SQUARE, "--jobs", jobs, start_new_session=True) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        os.set_blocking(process.stdin.fileno(), False)
        found = b""
        while len(found) < 2**20:  # until it is in the middle of its work
            if select.select([], [process.stdin], [], 0)[1]:
                try:
                    os.write(process.stdin.fileno(), POINT * 100)
                except BlockingIOError:
                    found += arrives(process.stdout.fileno())
            else:
                found += arrives(process.stdout.fileno())
        os.killpg(process.pid, signal.SIGINT)
        rest, errors = process.communicate()
    assert (process.returncode, errors) == (-signal.SIGINT, b"")
    assert (found + rest).endswith(b"\n")
    values = {json.loads(line)["value"] for line in (found + rest).splitlines() if line.startswith(b'{"ok": true')}
    assert values == {49.0}


def shown(arguments: list[str], code: int = 0, command: Sequence[str] = (), **streams: Any) -> bytes:
    """What standard error, a terminal, gets to show."""
    controller, terminal = pty.openpty()
    with subprocess.Popen(
        [*(command or served()), *arguments], env={**QUIET, "TERM": "xterm"}, stderr=terminal, **streams
    ) as process:
        os.close(terminal)
        found = b""
        try:
            while part := os.read(controller, 2**16):
                found += part
        except OSError:  # the end, on Linux
            assert process.wait() == code
    os.close(controller)
    return found


@pytest.mark.slow
def test_progress_is_shown_for_files_alone(tmp_path: Path) -> None:
    points, results = tmp_path / "points.jsonl", str(tmp_path / "results.jsonl")
    points.write_bytes(POINT * 3_000)
    assert b"%" in shown([*SQUARE, "-i", str(points), "-o", results])
    assert b"\xe2" not in shown([*SQUARE, "-i", str(points), "-o", results, "--ascii"])
    with points.open("rb") as file:
        assert b"%" in shown(SQUARE, stdin=file, stdout=subprocess.DEVNULL)
    with subprocess.Popen(["cat", str(points)], stdout=subprocess.PIPE) as cat:
        assert shown([*SQUARE, "-o", results], stdin=cat.stdout) == b""
    assert start(*SQUARE, "-i", str(points), "-o", results).stderr == b""
