"""A command in a child that is watched: its output, its limits, its ends."""

from __future__ import annotations

import errno
import io
import os
import signal
import struct
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from gradcli.errors import EvaluationError
from gradcli.source import Source
from gradcli.workers import child, confinement
from gradcli.workers.asking import Work
from gradcli.workers.channel import BEGIN, END, ERR, FILE, MOST_FRAMES, OUT, PATH, WHOLE
from gradcli.workers.confinement import data_size
from gradcli.workers.interruption import ENDS
from gradcli.workers.limits import Limits
from gradcli.workers.notes import part
from gradcli.workers.relay import Relay
from gradcli.workers.watch import run_in_child
from gradcli.workers.zygote import zygote_waiting
from tests.workers.processes import are_gone, begun

AMPLE = 2**40  # bytes of memory, for children of a process that has libraries for other tests

ROOT = Path(__file__).parents[2]


def nothing() -> None:
    """The work is known."""


def endless() -> Any:
    return ("a" * 10**6).rfind("ab" + "a" * 400_000)


def deaf() -> Any:
    signal.pthread_sigmask(signal.SIG_BLOCK, set(signal.Signals) - {signal.SIGKILL, signal.SIGSTOP})
    while True:
        endless()


def test_both_streams_and_the_exit_code_come_through(capfd: pytest.CaptureFixture[str]) -> None:
    def work() -> int:
        print("one")
        print("two", end="")
        print("é", file=sys.stderr)
        print("x" * 10**6)
        os.write(1, b"of a library")
        return 7

    assert run_in_child(work) == 7
    assert capfd.readouterr() == ("one\ntwo" + "x" * 10**6 + "\n", "é\n")


@pytest.mark.slow
@pytest.mark.parametrize("end", [endless, deaf, lambda: time.sleep(60)])
def test_time_ends_it_and_the_line_is_told(capfd: pytest.CaptureFixture[str], end: Callable[[], Any]) -> None:
    def work() -> int:
        child.at(Source("one\n  two\nthree\n", "lesson.py"))
        child.begin(Limits(0.1, AMPLE), nothing)
        print("said before")
        child.lines[0] = 2
        end()
        return 0

    start = time.monotonic()
    with pytest.raises(EvaluationError, match=r"takes more than 0\.1 s") as told:
        run_in_child(work)
    facts = told.value.facts()
    assert (facts["line"], facts["column"]) == (2, 3)
    assert told.value.code == "E403"
    assert capfd.readouterr().out == "said before\n"
    assert time.monotonic() - start < 30  # of the sixty


@pytest.mark.parametrize(
    ("end", "word"),
    [
        (lambda: signal.raise_signal(signal.SIGSEGV), "SIGSEGV"),
        (lambda: os._exit(3), "exit code 3"),
        (lambda: signal.raise_signal(signal.SIGKILL), "memory"),
    ],
)
def test_a_crash_is_an_error(capfd: pytest.CaptureFixture[str], end: Callable[[], Any], word: str) -> None:
    def work() -> int:
        print("said before")
        end()
        return 0

    with pytest.raises(EvaluationError, match=word) as told:
        run_in_child(work)
    assert told.value.exit_code == 3
    assert capfd.readouterr().out == "said before\n"


def test_memory_is_limited() -> None:
    def work() -> int:
        child.begin(Limits(memory=data_size() + 2**27), nothing)
        try:
            bytearray(2**28)
        except MemoryError:
            return 5
        return 0

    assert run_in_child(work) == 5


def test_less_memory_than_there_is_taken_is_refused() -> None:
    def work() -> int:
        with pytest.raises(EvaluationError, match="less than this command takes"):
            child.begin(Limits(memory=2**20), nothing)
        return 4

    assert run_in_child(work) == 4


@pytest.mark.parametrize("error", [MemoryError, SystemError])
def test_a_child_that_cannot_say_that_memory_is_at_its_end(error: type[Exception]) -> None:
    def work() -> int:
        raise error

    with pytest.raises(EvaluationError, match="more memory than 1 GB"):
        run_in_child(work)


@pytest.mark.parametrize("most", [0, 1, 999, 1000, 1001, 5000, 10**6])
def test_a_long_text_is_cut_at_the_end_of_a_line(capfd: pytest.CaptureFixture[str], most: int) -> None:
    lines = [f"line {number}\n" for number in range(2000)]

    def work() -> int:
        child.begin(Limits(memory=AMPLE, output=most), nothing)
        for line in lines:
            print(line, end="")
        return 0

    assert run_in_child(work) == 0
    out, err = capfd.readouterr()
    whole = "".join(lines)
    if len(whole) <= most:
        assert (out, err) == (whole, "")
    else:
        assert out == whole[: whole.rfind("\n", 0, most) + 1]
        assert "was cut; --max-output SIZE allows more" in err


@pytest.mark.parametrize("size", [10, 10**6])
def test_a_document_is_whole_or_not_there(capfd: pytest.CaptureFixture[str], size: int) -> None:
    def work() -> int:
        child.begin(Limits(memory=AMPLE, output=1000), nothing)
        print("x" * size)
        return 0

    if size < 1000:
        assert run_in_child(work, is_document=True) == 0
        assert capfd.readouterr().out == "x" * size + "\n"
    else:
        with pytest.raises(EvaluationError, match="the document has more than 1000 bytes"):
            run_in_child(work, is_document=True)
        assert capfd.readouterr().out == ""


def test_a_document_of_a_child_that_ends_too_early_is_not_there(capfd: pytest.CaptureFixture[str]) -> None:
    def work() -> int:
        print('{"half": ', flush=True)
        os.kill(os.getpid(), signal.SIGKILL)
        return 0

    with pytest.raises(EvaluationError):
        run_in_child(work, is_document=True)
    assert capfd.readouterr().out == ""


def test_the_clock_begins_when_the_work_is_read() -> None:
    def work() -> int:
        child.begin(Limits(0.3, AMPLE), lambda: time.sleep(1))
        return 4

    assert run_in_child(work) == 4


@pytest.mark.slow
@pytest.mark.usefixtures("interruptible")
@pytest.mark.parametrize("number", ENDS)
def test_an_interruption_ends_it_and_keeps_what_was_printed(tmp_path: Path, number: int) -> None:
    snippet = tmp_path / "lesson.py"
    snippet.write_text(INTERRUPTED)
    command = [sys.executable, "-m", "gradcli", "run", str(snippet)]
    with subprocess.Popen(command, bufsize=0, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=ROOT) as process:
        assert process.stderr is not None
        assert process.stderr.readline() == b"now\n"
        process.send_signal(number)
        out, err = process.communicate()
    assert (process.returncode, out, err) == (-number, b"before\n", b"")


INTERRUPTED = """
import sys
print("before")
print("now", file=sys.stderr)
while True: ("a" * 10**6).rfind("ab" + "a" * 400_000)
"""


def test_the_child_ends_with_a_parent_that_is_killed() -> None:
    code = (
        "import os, time\n"
        "from gradcli.workers.watch import run_in_child\n"
        "def work():\n"
        "    print(os.getpid(), flush=True)\n"
        "    time.sleep(600)\n"
        "run_in_child(work)\n"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, cwd=ROOT) as parent:
        assert parent.stdout is not None
        pid = int(parent.stdout.readline())
        parent.kill()
        parent.wait()
    assert are_gone([pid])


@pytest.mark.slow
@pytest.mark.parametrize("closed", ["0", "1", "2"])
def test_a_closed_stream_costs_only_itself(closed: str) -> None:
    command = f'"{sys.executable}" -m gradcli eval "x**2" x=3 {closed}>&-'
    done = subprocess.run(["sh", "-c", command], capture_output=True, check=False, cwd=ROOT, text=True)
    assert done.returncode == 0
    assert ("Gradients" in done.stdout) == (closed != "1")
    assert done.stderr == ""


@pytest.mark.slow
def test_a_file_is_written_by_the_watcher_when_the_work_is_done(tmp_path: Path) -> None:
    def work(ending: BaseException | None) -> int:
        with child.output_to(str(tmp_path / "out.txt")):
            child.begin(Limits(10, AMPLE), nothing)
            print("é" * 10**6)
            if ending:
                raise ending
        return 3

    assert run_in_child(lambda: work(None)) == 3
    assert (tmp_path / "out.txt").read_text(encoding="utf-8") == "é" * 10**6 + "\n"
    (tmp_path / "out.txt").unlink()
    with pytest.raises(EvaluationError):
        run_in_child(lambda: work(SystemExit()))
    assert list(tmp_path.iterdir()) == []


def test_what_runs_cannot_choose_the_file(tmp_path: Path) -> None:
    def work() -> int:
        child.begin(Limits(10, AMPLE), nothing)
        sender = child._senders[0]
        sender.put(PATH, os.fsencode(tmp_path / "out.txt"))
        sender.put(FILE, b"of a stranger")
        sender.put(WHOLE, b"")
        return 0

    assert run_in_child(work) == 0
    assert list(tmp_path.iterdir()) == []


def hostile(*frames: tuple[int, bytes]) -> Callable[[], int]:
    """The work of a child that is in the hands of what it runs."""

    def work() -> int:
        child.begin(Limits(0.5, AMPLE), nothing)
        for kind, data in frames:
            child._senders[0].put(kind, data)
            child._senders[0].hand_over()
        endless()
        return 0

    return work


@pytest.mark.parametrize(
    "frame",
    [
        (BEGIN, b"1e9 1099511627776 67108864 --timeout"),
        (END, b"-1"),
        (END, b"99999999999"),
        (END, b"\xff"),
        (END, b""),
        (77, b"no such kind"),
    ],
)
def test_a_frame_that_no_child_sends_ends_it(frame: tuple[int, bytes]) -> None:
    start = time.monotonic()
    with pytest.raises(EvaluationError) as told:
        run_in_child(hostile(frame))
    assert told.value.code in ("E403", "E404")
    assert time.monotonic() - start < 30  # of an endless loop


@pytest.mark.parametrize(
    "parcel", [b"\xff" * 8 + b"x" * 100, b"\x00" * 8, b"\x05" + b"\x00" * 7 + b"\x04\xff\xff\xff\xff"]
)
def test_a_parcel_that_no_child_sends_ends_it(parcel: bytes) -> None:
    def work() -> int:
        child.begin(Limits(0.5, AMPLE), nothing)
        os.write(child._senders[0].descriptor, parcel)
        return 0

    with pytest.raises(EvaluationError):
        run_in_child(work)


@pytest.mark.parametrize("frame", [OUT, ERR])
def test_time_ends_a_child_that_never_stops_to_send(capfd: pytest.CaptureFixture[str], frame: int) -> None:
    """Parcels of one byte, which take their reader longer than their sender."""
    parcels = (struct.pack("<QBI", 6, frame, 1) + b"x") * 2**12

    def work() -> int:
        child.begin(Limits(0.3, AMPLE), nothing)
        while True:
            os.write(child._senders[0].descriptor, parcels)

    with pytest.raises(EvaluationError, match=r"takes more than 0\.3 s"):
        run_in_child(work)
    assert not set("".join(capfd.readouterr())) - {"x"}


def test_a_parcel_of_too_many_frames_ends_it() -> None:
    """They wait in the memory, and would be looked through after the end of its time."""

    def work() -> int:
        child.begin(Limits(60, AMPLE), nothing)
        for number in range(2 * MOST_FRAMES):
            child._senders[0]._append(memoryview(b"x"), (OUT, FILE)[number % 2], is_more=False)
        os.kill(os.getpid(), signal.SIGKILL)
        return 0

    with pytest.raises(EvaluationError, match="ended without an answer"):
        run_in_child(work)


def test_its_clock_cannot_be_put_forward() -> None:
    def work() -> int:
        child.begin(Limits(0.3, AMPLE), nothing)
        while True:
            part("again")

    with pytest.raises(EvaluationError, match="more than"):
        run_in_child(work)


def test_processes_that_it_has_started_end_with_it(tmp_path: Path) -> None:
    def work() -> int:
        inner = subprocess.Popen(["sh", "-c", "sleep 600 & sleep 600"])
        begun(inner.pid)
        (tmp_path / "pids").write_text(f"{inner.pid} {begun(inner.pid)[0]}")
        child.begin(Limits(0.3, AMPLE), nothing)
        endless()
        return 0

    with pytest.raises(EvaluationError):
        run_in_child(work)
    assert are_gone(map(int, (tmp_path / "pids").read_text().split()))


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b[1;31mred\x1b[0m\tx\n", "\x1b[1;31mred\x1b[0m\tx\n"),
        ("\x1b]0;title\x07\n", "?]0;title?\n"),
        ("\x1b[2J\x9b2J\rover\n", "?[2J?2J?over\n"),
        ("é\x00\x7f\n", "é??\n"),
        ("\x9b2J\x9d0;title\x9c│\n", "?2J?0;title?│\n"),
        ("\udc9b2J\n", "\ufffd2J\n"),
        ("a\u202eb\u2066c\u200bd\ufeffe\u2028f\u00ad\U000e0041\n", "a?b?c?d?e?f??\n"),
        ("👩\u200d🔬\n", "👩\u200d🔬\n"),
    ],
)
def test_a_terminal_obeys_no_child(monkeypatch: pytest.MonkeyPatch, text: str, shown: str) -> None:
    for size in (1, 3, 100):
        monkeypatch.setattr(sys, "stdout", Terminal())
        relay, data = Relay(is_document=False), text.encode("utf-8", "surrogateescape")
        for start in range(0, len(data), size):
            relay.write(OUT, data[start : start + size])
        relay.finish(is_whole=True)
        assert sys.stdout.buffer.getvalue().decode() == shown  # type: ignore[attr-defined]


class Terminal(io.TextIOWrapper):
    def __init__(self) -> None:
        super().__init__(io.BytesIO(), "utf-8")

    def isatty(self) -> bool:
        return True


def refused() -> int:
    raise OSError(errno.EAGAIN, os.strerror(errno.EAGAIN))


def test_where_no_process_can_be_started_the_work_is_done_here(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(os, "fork", refused)
    monkeypatch.setattr(confinement, "_walls", {"needed": True, "there": False, "lost": False, "required": False})
    assert (run_in_child(lambda: 7), run_in_child(os.getpid)) == (7, os.getpid())
    assert capsys.readouterr().err == (
        "warning: no process can be started (Resource temporarily unavailable): limits of time and memory do not hold\n"
    )
    with pytest.raises(EvaluationError, match="no process can be started"):
        confinement.require_processes()
    with pytest.raises(EvaluationError, match="for strangers' scripts"), zygote_waiting(Work(print, str, str)):
        pass
    monkeypatch.setattr(os, "fork", lambda: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        run_in_child(lambda: 7)
