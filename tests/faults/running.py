"""Runs a command while something goes wrong, and keeps what became of it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

from tests.faults.commands import ROOT, Command
from tests.faults.victim import HARMED, PLAN
from tests.workers.processes import left

QUIET = ("NO_COLOR", "CLICOLOR_FORCE", "FORCE_COLOR", "COLUMNS", "PYTHONIOENCODING", "PYTHONUNBUFFERED")
PIPE = 2**12  # bytes that a pipe holds
LONGEST = 100.0  # seconds that a command may take on however busy a machine


@dataclass(frozen=True)
class Outcome:
    """The end of a command: its exit code, its standard error, its results by name, processes that outlive it.

    `is_harmed` where it sent itself or a worker a signal at a line.
    """

    code: int | None
    error: bytes
    results: dict[str, bytes]
    left: set[int] = field(default_factory=set)
    seconds: float = 0.0
    lines: dict[str, int] = field(default_factory=dict)
    is_harmed: bool = False

    @property
    def size(self) -> int:
        """The bytes of the largest file."""
        return max(map(len, self.results.values()), default=0)


class Nothing:
    """No fault: what a command does when all goes well. Faults replace some of its methods."""

    def __init__(self, command: Command) -> None:
        self.command = command
        self.plan: dict[str, Any] = {}
        self.is_buffered, self.is_harmful = True, False

    def arguments(self) -> list[str]:
        return self.command.arguments()

    def prepare(self, folder: Path) -> None:
        """Change the input."""

    def output(self, path: Path) -> IO[bytes]:
        """Open what standard output is."""
        return path.open("wb")

    def feed(self, data: bytes, write: Callable[[bytes], None], process: subprocess.Popen[bytes]) -> None:
        """Give the command its standard input."""
        write(data)

    def read(self, stream: IO[bytes]) -> bytes:
        """Read what the command writes into a pipe."""
        return stream.read()

    def disturb(self, process: subprocess.Popen[bytes]) -> None:
        """Act once the command has begun."""


class Counted(Nothing):
    """No fault, but the lines that the command comes to are counted."""

    def __init__(self, command: Command) -> None:
        super().__init__(command)
        self.plan = {"lines": "../lines"}


def perform(fault: Nothing, inputs: Path, folder: Path) -> Outcome:
    """Run the command of a fault in a folder of its own, with links to its inputs."""
    command, work = fault.command, folder / "work"
    work.mkdir(parents=True)
    for name in command.inputs:
        link(inputs / name, work / name)
    given = names(work)
    fault.prepare(work)
    data = (inputs / command.fed).read_bytes() if command.fed else b""
    found: dict[str, Any] = {"error": b"", "output": b""}
    process, told = started(fault, inputs.parent, folder)
    with process, streams(process, fault, data, found):
        os.read(told, 1)  # or nothing, where it could not begin
        start = time.monotonic()
        fault.disturb(process)
        try:
            code = process.wait(LONGEST)
        except subprocess.TimeoutExpired:
            code = None
        seconds = time.monotonic() - start
        others = set() if code is None else left(process.pid)
        if code is None or others:
            os.killpg(process.pid, signal.SIGKILL)
    with open(told, "rb") as file:  # noqa: PTH123
        is_harmed = HARMED in file.read()
    results = {name: (work / name).read_bytes() for name in names(work) - given}
    if not command.output:
        results["-"] = found["output"] if command.is_piped else (folder / "output").read_bytes()
    counted = folder / "lines"
    lines = json.loads(counted.read_text("utf-8")) if counted.exists() else {}
    return Outcome(code, found["error"], results, others, seconds, lines, is_harmed)


def started(fault: Nothing, shared: Path, folder: Path) -> tuple[subprocess.Popen[bytes], int]:
    """Start the command of a fault; what it tells comes through the descriptor."""
    told, theirs = os.pipe()
    with fault.output(folder / "output") as output:
        process = subprocess.Popen(
            [sys.executable, "-m", "tests.faults.victim", *fault.arguments()],
            cwd=folder / "work",
            env=environment(fault, shared) | {PLAN: json.dumps({**fault.plan, "told": theirs})},
            stdin=subprocess.PIPE if fault.command.fed else subprocess.DEVNULL,
            stdout=subprocess.PIPE if fault.command.is_piped else output,
            stderr=subprocess.PIPE,
            pass_fds=[theirs],
            start_new_session=True,
            bufsize=0,
            pipesize=PIPE,
        )
    os.close(theirs)
    return process, told


def environment(fault: Nothing, folder: Path) -> dict[str, str]:
    """The variables of a command: bytecode is written where all goes well, and read, for a full disk could break it."""
    given = {name: text for name, text in os.environ.items() if name not in ("PYTHONDONTWRITEBYTECODE", *QUIET)}
    given |= {"PYTHONPATH": str(ROOT), "XDG_CACHE_HOME": str(folder / "cache")}
    given.setdefault("PYTHONPYCACHEPREFIX", str(folder / "bytecode"))
    if not fault.is_buffered:
        given["PYTHONUNBUFFERED"] = "1"
    if fault.is_harmful:
        given["PYTHONDONTWRITEBYTECODE"] = "1"
    return given


@contextmanager
def streams(process: subprocess.Popen[bytes], fault: Nothing, data: bytes, found: dict[str, Any]) -> Iterator[None]:
    """Read and feed the streams of a process meanwhile."""

    def feed() -> None:
        assert process.stdin is not None
        try:
            fault.feed(data, whole_writes(process.stdin), process)
            process.stdin.close()
        except BrokenPipeError:  # it has ended, or reads no more
            return

    def read() -> None:
        assert process.stdout is not None
        found["output"] = fault.read(process.stdout)

    def read_error() -> None:
        assert process.stderr is not None
        found["error"] = process.stderr.read()

    streams = ((process.stdin, feed), (process.stdout, read), (process.stderr, read_error))
    running = [threading.Thread(target=target) for stream, target in streams if stream is not None]
    for one in running:
        one.start()
    try:
        yield
    finally:
        for one in running:
            one.join()


def whole_writes(stream: IO[bytes]) -> Callable[[bytes], None]:
    def write(data: bytes) -> None:
        while data:
            data = data[stream.write(data) :]

    return write


def link(source: Path, target: Path) -> None:
    """Give files a second name in another folder."""
    if source.is_dir():
        target.mkdir()
        for one in source.iterdir():
            link(one, target / one.name)
    else:
        os.link(source, target)


def names(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}
