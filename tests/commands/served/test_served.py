"""The server of commands: a process that it forks hears signals as any other, and one that is not asked for is none."""

from __future__ import annotations

import marshal
import os
import signal
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.commands.served import ASK, HANDLERS, started
from tests.workers.processes import are_gone, children

MAIN = "from gradcli.__main__ import main; main()"
POINT, ANSWER = b'{"x": 2}\n', b'{"ok": true, "value": 4.0, "gradients": {"x": 4.0}}\n'


@pytest.fixture
def unheard() -> Iterator[None]:
    """Have signals ignored, as a shell does in the background, and `nohup`."""
    before = {number: signal.signal(number, signal.SIG_IGN) for number in HANDLERS}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.mark.slow
@pytest.mark.usefixtures("unheard")
def test_signals_are_heard_also_where_the_server_has_them_ignored(request: pytest.FixtureRequest) -> None:
    server, place = started()
    request.getfixturevalue("interruptible")
    with server:
        for number in HANDLERS:
            command = [*ASK, place, MAIN, "batch", "x**2"]
            with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
                assert process.stdin is not None
                assert process.stdout is not None
                process.stdin.write(POINT)
                process.stdin.flush()
                assert process.stdout.readline() == ANSWER
                process.send_signal(number)
                assert process.wait(60) == -number
        server.communicate()


@pytest.mark.slow
def test_who_asks_may_end_at_every_step() -> None:
    server, place = started()
    with server:
        request = marshal.dumps((["pass"], os.fsencode(os.sep), {}, [], []))
        whole = len(request).to_bytes(4, "little") + request
        for count in (0, 4, 5, len(whole)):
            with socket.socket(socket.AF_UNIX) as connection:
                connection.connect(place)
                connection.sendall(whole[:count])
        done = subprocess.run([*ASK, place, MAIN, "grad", "x**2", "x=3"], capture_output=True, check=False)
        assert (done.returncode, done.stdout, done.stderr) == (0, b"x\t6\n", b"")
        assert are_gone(children(server.pid))
        server.communicate()


@contextmanager
def asked(folder: Path) -> Iterator[tuple[subprocess.Popen[bytes], socket.socket]]:
    """Give a process that asks, and the server's end of its connection."""
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(folder / "socket"))
        server.listen()
        server.settimeout(60)
        command = [*ASK, str(folder / "socket"), "pass"]
        with subprocess.Popen(command, stderr=subprocess.PIPE) as process, server.accept()[0] as connection:
            connection.recv(4)
            yield process, connection


@pytest.mark.usefixtures("interruptible")
def test_a_signal_reaches_a_process_whose_number_is_not_known_yet(tmp_path: Path) -> None:
    with subprocess.Popen(["sleep", "60"]) as process, asked(tmp_path) as (asking, connection):
        asking.send_signal(signal.SIGTERM)
        connection.sendall(process.pid.to_bytes(4, "little"))
        assert process.wait() == -signal.SIGTERM
        asking.send_signal(signal.SIGTERM)  # there is nobody to pass it on to
        connection.sendall(signal.SIGTERM.to_bytes(4, "little"))
        assert asking.wait() == -signal.SIGTERM


def test_without_an_answer_there_is_no_process(tmp_path: Path) -> None:
    with asked(tmp_path) as (asking, connection):
        connection.shutdown(socket.SHUT_WR)
        assert asking.wait() == 1
        assert asking.stderr is not None
        assert b"no answer" in asking.stderr.read()
