"""A process that serves one item after the other, each within its limits; its own side, and its owner's."""

from __future__ import annotations

import faulthandler
import gc
import multiprocessing
import os
import signal
import sys
import time
import traceback
import warnings
from collections.abc import Collection, Sequence
from mmap import mmap
from multiprocessing.connection import Connection
from typing import Any

from gradcli.errors import GradcliError
from gradcli.workers import asking, notes
from gradcli.workers.confinement import end_with, forbid_writing, limit_memory
from gradcli.workers.data import UnfitError
from gradcli.workers.exchange import SIZE, Exchange
from gradcli.workers.interruption import leave_to_owner, signals_held
from gradcli.workers.limits import BACKSTOP, Limits, no_more_files
from gradcli.workers.notes import NOTE, Note
from gradcli.workers.sandbox.lock import prepare

SLICE = 1.0  # the most seconds that count between two looks at the clock
LAST = 5.0  # seconds in which a process that answers no more must end
PROCESS_CLOCK = 2  # of Linux, in the name of the clock of another process


class Worker:
    """The owner's side of a process."""

    def __init__(self, work: Any, limits: Limits, others: Sequence[Worker], kind: Any = Any) -> None:
        context: Any = multiprocessing.get_context("fork" if notes.HAS_FORK else "spawn")
        os.close(os.open(os.devnull, os.O_RDWR))  # fails here, not in the process, if no file can be opened
        self.connection, theirs = context.Pipe()
        # A forked process has all ends that are open here; it closes them, so that each sees when this process is gone.
        inherited = [self.connection, *(other.connection for other in others)] if notes.HAS_FORK else []
        self.note = Note(mmap(-1, NOTE)) if notes.HAS_FORK else None
        memory = mmap(-1, SIZE) if notes.HAS_FORK else None
        self.exchange = Exchange(self.connection, memory, kind, is_owner=True)
        answers = Exchange(theirs, memory, kind, is_owner=False)
        prepare()  # once, and not in each process
        with asking.asking_descriptor(limits) as way, signals_held(), warnings.catch_warnings():
            arguments = (answers, work, limits, self.note, inherited, os.getpid(), way)
            self.process = context.Process(target=_serve, args=arguments, daemon=True)
            warnings.simplefilter("ignore", DeprecationWarning)  # of threads: none holds what the process needs
            self.process.start()
        theirs.close()
        self.clock = Clock(limits, self.process.pid or 0, self.note)

    def send(self, item: Any, *, is_ahead: bool = False) -> bool:
        """Give an item to the process; of one that it gets while it works, return False where it cannot be given."""
        try:
            return self.exchange.send(item, is_ahead=is_ahead)
        except OSError:  # that it has ended shows when it should answer
            self.process.kill()
        return True

    def begin(self, parts: int) -> None:
        """Give the process the time of an item, and once more that of each of so many parts."""
        if self.note is not None:
            self.clock.begin(parts)

    def is_late(self) -> bool:
        """Return whether the item has used its time; without a note a timer of its own ends the process."""
        return self.note is not None and self.clock.is_late()

    def answer(self) -> tuple[str, Any] | None:
        """Return `answer` and it, `error` and what to raise, or the reason for which the item ended and a detail.

        None where only a part of an answer has come.
        """
        try:
            message = self.exchange.receive()
            if message is None:
                return None
            kind, answer, warned = message
            for text in warned:
                warnings.warn(text, stacklevel=1)
            return kind, answer
        except UnfitError:
            self.process.kill()
            return "crash", asking.NONE
        except (EOFError, OSError):
            self._wait()
        return end_of(self.process.exitcode or 0)

    def _wait(self) -> None:
        """Wait until the process has ended; one that has only closed its end is ended soon."""
        end = time.monotonic() + LAST
        while self.process.exitcode is None:
            if time.monotonic() > end:
                self.process.kill()
            time.sleep(0.001)

    def end(self) -> str:
        """End the process; the text that the work noted last."""
        if notes.HAS_FORK:
            self.process.kill()
        else:
            self.process.terminate()
        self.process.join()
        self.connection.close()
        return "" if self.note is None else self.note.text


class Clock:
    """The time that a process uses at an item, or at the part of one that began last, as its note says."""

    def __init__(self, limits: Limits, pid: int, note: Note | None = None) -> None:
        self.limits, self.note, self.pid = limits, note, pid
        self.wall = self.cpu = 0.0  # seconds since the last part was seen to begin
        self.count = self.left = 0  # of beginnings: as the process says it, and that may come
        self.asked = (0.0, 0.0)  # the clocks when they were last looked at

    def begin(self, parts: int = 0) -> None:
        self.wall, self.cpu, self.left = 0.0, 0.0, parts + 1
        self.asked = time.monotonic(), self.used()

    def is_late(self) -> bool:
        """Return whether the time is used; to be asked again and again.

        Of the time since it was last asked no more than `SLICE` counts, for a machine may sleep meanwhile.
        """
        now, used = time.monotonic(), self.used()
        passed = min(now - self.asked[0], SLICE)
        self.wall, self.cpu = self.wall + passed, self.cpu + min(used - self.asked[1], passed)
        self.asked = now, used
        count = self.count if self.note is None else self.note.count
        if count != self.count and self.left > 0:  # the process may say what it likes
            self.count, self.left = count, self.left - 1
            self.wall = self.cpu = 0.0
        return self.cpu > self.limits.seconds or self.wall > BACKSTOP * self.limits.seconds

    def used(self) -> float:
        """Return the CPU seconds of the process."""
        try:
            return time.clock_gettime(~self.pid << 3 | PROCESS_CLOCK)
        except OSError:  # it has ended
            return 0.0


def end_of(code: int) -> tuple[str, str]:
    """Return the reason for which a process ended without an answer, by its exit code, and a detail."""
    if code == 1 and not notes.HAS_FORK:
        return "time", ""
    if -code == getattr(signal, "SIGKILL", 9):  # the system does so where memory runs out
        return "memory", ""
    return "crash", signal.Signals(-code).name if code < 0 else f"exit code {code}"


def _serve(
    exchange: Exchange,
    work: Any,
    limits: Limits,
    note: Note | None,
    inherited: Sequence[Connection],
    parent: int,
    way: int | None,
) -> None:
    """Answer until nobody asks; an interruption is for the process that asks."""
    for other in inherited:
        other.close()
    asking.take(way)
    confine(limits, note, parent, [exchange.connection.fileno(), *([] if way is None else [way])])
    warned: list[str] = []
    warnings.showwarning = lambda message, *place, **stream: warned.append(str(message))
    gc.freeze()
    while True:
        try:
            item = exchange.receive()
        except (EOFError, OSError):
            return
        if note is not None:
            note.begin()
        answer = answer_to(work, item, limits)
        try:
            exchange.send((*answer, warned))
        except OSError:
            return
        except MemoryError:  # a copy of the answer is more than is left
            exchange.send(("memory", "", []))
        except Exception as error:  # an answer that cannot be sent
            exchange.send(("bug", error_text(error), []))
        if answer[0] != "answer":
            return
        warned.clear()


def confine(limits: Limits, note: Note | None, parent: int, descriptors: Collection[int]) -> None:
    """Put the walls around this process, which answers and asks through descriptors."""
    notes.take(note, limits)
    if notes.HAS_FORK:
        end_with(parent)
        faulthandler.disable()
    leave_to_owner()
    nowhere = os.open(os.devnull, os.O_RDWR)
    for standard in (0, 1, 2):  # nothing that a library prints gets into the results
        os.dup2(nowhere, standard)
    sys.stdout = sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123, SIM115
    limit_memory(limits.memory)
    forbid_writing(descriptors)


def answer_to(work: Any, item: Any, limits: Limits) -> tuple[str, Any]:
    """Return the answer to an item, its error, or the reason for which there is none, with a detail."""
    notes.set_timer(limits.seconds)
    try:
        return "answer", work(item)
    except GradcliError as error:
        return "error", error
    except asking.LostError as loss:
        return loss.reason, loss.detail
    except MemoryError:
        return "memory", ""
    except Exception as error:
        scarce = no_more_files(error)
        return ("error", scarce) if scarce else ("bug", error_text(error))
    finally:
        notes.set_timer(0)


def error_text(error: Exception) -> str:
    """Return an exception with the function in which it arose."""
    frames = traceback.extract_tb(error.__traceback__)
    place = f" in {frames[-1].name}" if frames else ""
    return f"{type(error).__name__}{place}: {error}"[:1000]
