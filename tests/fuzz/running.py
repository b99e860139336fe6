"""Running cases in workers that a parent watches, with their streams in files."""

from __future__ import annotations

import gc
import io
import multiprocessing
import os
import resource
import shutil
import signal
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cache
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any

from tests.fuzz import inline
from tests.fuzz.case import LAWS, LIMIT, Case, Outcome, fault
from tests.fuzz.generators import AREAS, Place
from tests.script import canary

SECONDS = 10.0  # of the processor that a case may take before it is ended
WALL = 120.0  # seconds that a case may take in all, on however busy a machine
SHOWN = 2000  # bytes of a stream that a verdict keeps
LIFE = 3000  # cases that a worker runs
ADDRESSES = 6 * 2**30  # bytes of address space: a runaway case does not take the machine with it


@dataclass(frozen=True)
class Verdict:
    """The judgement of one case; the middle of long streams is left out."""

    item: Any
    outcome: Outcome
    fault: str | None


class Captured:
    """The three standard streams of this process as files, renewed for each case."""

    def __init__(self) -> None:
        self.files = [tempfile.TemporaryFile() for _ in range(3)]  # noqa: SIM115

    def open(self, stdin: bytes, columns: int) -> None:
        for number, file in enumerate(self.files):
            file.seek(0)
            file.truncate()
            if number == 0:
                file.write(stdin)
                file.flush()
                file.seek(0)
            os.dup2(file.fileno(), number)  # anew: a case may have closed it, or led it elsewhere
        sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115
        sys.stdout = _Terminal(1) if columns else _stream(1)
        sys.stderr = _stream(2)

    def read(self) -> tuple[bytes, bytes]:
        for stream in (sys.stdout, sys.stderr):
            if not stream.closed:
                stream.flush()
        return tuple(os.pread(file.fileno(), os.fstat(file.fileno()).st_size, 0) for file in self.files[1:])  # type: ignore[return-value]


def _stream(number: int) -> io.TextIOWrapper:
    errors = "strict" if number == 1 else "backslashreplace"
    return io.TextIOWrapper(io.FileIO(number, "w", closefd=False), "utf-8", errors, write_through=False)  # type: ignore[arg-type]


class _Terminal(io.TextIOWrapper):
    def __init__(self, number: int) -> None:
        super().__init__(io.FileIO(number, "w", closefd=False), "utf-8", "strict")  # type: ignore[arg-type]

    def isatty(self) -> bool:
        return True


def inside(case: Case, streams: Captured) -> Outcome:
    """Run a case in this process, in the folder that it stands in."""
    from gradcli.cli import run

    for name, content in case.files:
        write(Path(name), content)
    streams.open(case.stdin, case.columns)
    os.environ["COLUMNS"] = str(case.columns or 80)
    before, started = _peak(), time.process_time()
    end = ""
    try:
        code = judged(case) if case.command == LAWS else run(list(case.argv))
    except BaseException as error:
        code, end = -1, f"{type(error).__name__} came out of the command line"
    seconds, memory = time.process_time() - started, _peak() - before
    out, err = streams.read()
    empty(Path())
    return Outcome(code, out, err, seconds, memory, end)


def judged(case: Case) -> int:
    """Judge a program by the laws; what is broken goes to standard output."""
    from gradcli.guard import guard
    from tests.fuzz.laws import laws

    is_strict, guard.is_strict = guard.is_strict, True
    try:
        code, page = laws.judge(case.argv[1:])
    finally:
        guard.is_strict = is_strict
    sys.stdout.write(page)
    return code


def _peak() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def write(path: Path, content: bytes) -> None:
    if path.parent != Path():
        path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)


def empty(folder: Path) -> None:
    """Remove whatever is in a folder."""
    for entry in os.scandir(folder):
        if entry.is_dir(follow_symlinks=False):
            shutil.rmtree(entry.path)
        else:
            os.unlink(entry.path)  # noqa: PTH108


Run = Callable[[Case, Captured], Outcome]


class Worker:
    """A process that answers for one item at a time: a case, or what makes one by `case()`."""

    def __init__(self, run: Run) -> None:
        context = multiprocessing.get_context("fork")
        self.folder = tempfile.mkdtemp(prefix="gradcli-fuzz-")
        self.connection, theirs = context.Pipe()
        self.process = context.Process(target=_serve, args=(theirs, run, self.folder))
        self.process.start()
        theirs.close()
        self.answered, self.item = 0, None
        self.since = self.spent = 0.0

    def send(self, item: Any) -> None:
        self.item, self.since, self.spent = item, time.monotonic(), self.seconds()
        self.connection.send(item)

    def receive(self) -> Verdict:
        """The verdict on the item, or on the end of the process where that comes first."""
        self.answered += 1
        try:
            return Verdict(self.item, *self.connection.recv())
        except (EOFError, OSError):
            self.process.join()
            code = self.process.exitcode or 0
            end = f"crash: {signal.Signals(-code).name}" if code < 0 else LIMIT if code == 3 else f"the end: {code}"
            return self.lost(end)

    def lost(self, end: str) -> Verdict:
        return Verdict(self.item, Outcome(end=end), None if end == LIMIT else end)

    def is_late(self) -> bool:
        return self.seconds() - self.spent > SECONDS or time.monotonic() - self.since > WALL

    def seconds(self) -> float:
        """The seconds of the processor that the process has used, with those of its children that ended."""
        try:
            fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        except OSError:
            return 0.0
        return sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")

    def stop(self) -> None:
        self.connection.close()
        self.process.kill()
        self.process.join()
        shutil.rmtree(self.folder, ignore_errors=True)


def made(item: Any) -> Case:
    return item if isinstance(item, Case) else item.case()


def _serve(connection: Connection, run: Run, folder: str) -> None:
    """Answer until nobody asks; what the case prints goes nowhere but to its outcome."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_AS, (ADDRESSES, ADDRESSES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    os.chdir(folder)
    streams = Captured()
    settle()
    gc.freeze()
    while True:
        try:
            item = connection.recv()
        except EOFError:
            return
        try:
            case = made(item)
            outcome = run(case, streams)
            found = fault(case, outcome)
        except BaseException:
            outcome, found = Outcome(err=traceback.format_exc().encode()), "a fault of the fuzzer itself"
        connection.send((replace(outcome, out=shortened(outcome.out), err=shortened(outcome.err)), found))


def shortened(stream: bytes) -> bytes:
    return stream if len(stream) <= SHOWN else stream[: SHOWN // 2] + b"\n...\n" + stream[-SHOWN // 2 :]


def warm_up() -> None:
    """Load what every case needs, once for all workers."""
    import gradcli.ops
    from gradcli.render.text import error, looks, numbers, streams  # noqa: F401
    from gradcli.script import execution, timeline  # noqa: F401

    gradcli.ops.load()
    for area in AREAS:
        Place(0, area, 0).case()


def settle() -> None:
    """Let this process, which does nothing else, build each command once."""
    import typer.main

    from gradcli.commands.parsing import Commands

    commands = cache(Commands.get_command)
    Commands.get_command = lambda self, ctx, name: commands(self, None, name)  # type: ignore[method-assign]
    typer.main.get_command = cache(typer.main.get_command)
    inline.install()
    canary.install(aloud=True)


def verdicts(items: Iterable[Any], jobs: int, run: Run | None = None) -> Iterator[Verdict]:
    """Yield a verdict on each item, in the order in which they come."""
    warm_up()
    run = run or inside
    waiting, idle, busy = iter(items), [Worker(run) for _ in range(jobs)], list[Worker]()
    try:
        while True:
            while idle and (item := next(waiting, None)) is not None:
                worker = idle.pop()
                if worker.answered >= LIFE or not worker.process.is_alive():
                    worker.stop()
                    worker = Worker(run)
                worker.send(item)
                busy.append(worker)
            if not busy:
                return
            ready = wait([worker.connection for worker in busy], timeout=1)
            for worker in list(busy):
                if worker.connection in ready:
                    verdict = worker.receive()
                elif worker.is_late():
                    worker.process.kill()
                    worker.process.join()
                    verdict = worker.lost(LIMIT)
                else:
                    continue
                busy.remove(worker)
                idle.append(worker)
                yield verdict
    finally:
        for worker in [*idle, *busy]:
            worker.stop()
