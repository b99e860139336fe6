"""Forks processes that have imported what commands import, until its standard input ends; prints where it is asked."""

from __future__ import annotations

import atexit
import gc
import io
import marshal
import os
import select
import shutil
import signal
import socket
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout, suppress
from pathlib import Path
from typing import Any

from tests.commands.served import HANDLERS

STREAMS = [(one.name, one.mode, one.encoding, one.errors) for one in (sys.stdin, sys.stdout, sys.stderr)]
SNIPPET = "import torch, numpy\nx = torch.ones(2, requires_grad=True)\nx.sum().backward()\nprint(x.grad)\n"
WEEK = "[[question]]\nid = 'q'\nprogram = 'y = x**2'\nat = { x = 3 }\nask = ['dy/dx']\n"
COMMANDS = ("eval x**2 x=3", "run s.py", "check w.toml a.txt", "batch x**2 -i b.jsonl")
FILES = {"s.py": SNIPPET, "w.toml": WEEK, "a.txt": "[q]\ndy/dx = 6\n", "b.jsonl": '{"x": 1}\n'}


def main() -> None:
    with place() as folder:
        load(folder)
        gc.disable()
        gc.freeze()
        asked = socket.socket(socket.AF_UNIX)
        asked.bind(str(folder / "socket"))
        asked.listen(64)
        print(folder / "socket", flush=True)
        while sys.stdin not in select.select([asked, sys.stdin], [], [])[0]:
            connection = asked.accept()[0]
            if not os.fork():
                try:
                    asked.close()
                    answer(connection)
                finally:  # whatever happens, this process never goes on as if it were the server
                    os._exit(0)
            connection.close()
            reap()


def reap() -> None:
    """Take note of the processes that have ended; their time counts as this one's."""
    with suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass


@contextmanager
def place() -> Iterator[Path]:
    """A folder that goes with this process, and not with one that it forks."""
    folder = Path(tempfile.mkdtemp())
    try:
        yield folder
    finally:
        shutil.rmtree(folder)


def load(folder: Path) -> None:
    """Import what commands import, by one of each kind."""
    from gradcli.cli import run

    for name, text in FILES.items():
        (folder / name).write_text(text)
    os.chdir(folder)
    with open(os.devnull, "w", encoding="utf-8") as nowhere, redirect_stdout(nowhere), redirect_stderr(nowhere):  # noqa: PTH123
        codes = [run(command.split()) for command in COMMANDS]
    assert codes == [0] * len(COMMANDS)


def answer(connection: socket.socket) -> None:
    """Fork the process that is asked for, and tell its number and how it ends; none where nobody asks any more."""
    size, descriptors, _, _ = socket.recv_fds(connection, 4, 3)
    data = b""
    while len(data) < int.from_bytes(size, "little") and (part := connection.recv(2**20)):
        data += part
    asked = marshal.loads(data)  # which raises where it is not whole
    signal.pthread_sigmask(signal.SIG_BLOCK, HANDLERS)  # or Python would drop one that comes while it forks
    pid = os.fork()
    if not pid:
        connection.close()
        live(*asked, descriptors)
    for descriptor in descriptors:
        os.close(descriptor)
    connection.send(pid.to_bytes(4, "little"))
    connection.send(os.waitpid(pid, 0)[1].to_bytes(4, "little"))


def live(
    arguments: list[str],
    folder: bytes,
    environment: dict[bytes, bytes],
    streams: list[int],
    ignored: list[int],
    descriptors: list[int],
) -> None:
    """Be `python -c ARGUMENTS`, and end as the interpreter does."""
    code = 70
    try:
        for number in range(3):
            os.close(number)
        for number, descriptor in zip(streams, descriptors, strict=True):
            os.dup2(descriptor, number)
        for descriptor in descriptors:
            os.close(descriptor)
        os.chdir(folder)
        os.environb.clear()
        os.environb.update(environment)
        for number, handler in HANDLERS.items():  # the server's own are those of the shell that began the tests
            signal.signal(number, signal.SIG_IGN if number in ignored else handler)
        open_streams(streams)
        program, *sys.argv[1:] = arguments
        sys.argv[0] = "-c"
        gc.enable()
        code = ended(program)
        atexit._run_exitfuncs()
        for stream in (sys.stdout, sys.stderr):
            if stream is not None:
                stream.flush()
    finally:
        os._exit(code)


def open_streams(streams: list[int]) -> None:
    """Open the standard streams as Python does when it begins."""
    for number, (name, mode, encoding, errors) in enumerate(STREAMS):
        stream: Any = None
        if number in streams:
            is_line_buffered = number == 2 or os.isatty(number)
            file = open(number, f"{mode}b", closefd=False)  # noqa: SIM115
            stream = io.TextIOWrapper(file, encoding, errors, line_buffering=is_line_buffered)
            stream.mode = mode
        setattr(sys, name.strip("<>"), stream)
        setattr(sys, f"__{name.strip('<>')}__", stream)


def ended(program: str) -> int:
    """Run a program to its end, and return its exit code."""
    try:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, HANDLERS)
        exec(compile(program, "<string>", "exec"), {"__name__": "__main__"})
    except SystemExit as stop:
        return int(stop.code or 0)
    except BaseException:
        sys.excepthook(*sys.exc_info())  # type: ignore[arg-type]
        return 1
    return 0


if __name__ == "__main__":
    main()
