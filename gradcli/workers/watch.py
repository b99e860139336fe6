"""The watcher of a command: it passes on what its child writes, and ends the child at its limits.

Nothing heavy is imported before the child is there, so that a start costs a fork and no more.
"""

from __future__ import annotations

import os
import select
import signal
import sys
import time
import warnings
from collections.abc import Callable, Iterable
from contextlib import suppress
from mmap import mmap

from gradcli.errors import EvaluationError
from gradcli.source import Source, Span
from gradcli.workers.channel import (
    BEGIN,
    END,
    ERR,
    FILE,
    OUT,
    PATH,
    SOURCE,
    WHOLE,
    BrokenError,
    Receiver,
    shared_memory,
)
from gradcli.workers.child import MORE, NO_MEMORY, live
from gradcli.workers.confinement import go_without
from gradcli.workers.interruption import signals_held
from gradcli.workers.limits import GRACE, Limits, size_text
from gradcli.workers.notes import Note
from gradcli.workers.relay import Relay, TooLargeError

ENOUGH = 2**16  # bytes that are read at a time
CODES = frozenset(str(code).encode() for code in range(256))  # with which a command can end


def run_in_child(work: Callable[[], int], *, is_document: bool = False) -> int:
    """Do the work in a child, or in this process where the system starts none; return its exit code.

    A document is passed on when it is whole. Raises EvaluationError where a limit or a crash ended the work, OSError
    where its output cannot be written, KeyboardInterrupt where the watcher was interrupted.
    """
    while (low := os.open(os.devnull, os.O_RDWR)) <= 2:  # a closed stream must not become the way to the child
        continue
    os.close(low)
    memory, (ours, theirs), parent = shared_memory(), os.pipe(), os.getpid()
    with signals_held():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # of threads: a command has none yet
            try:
                pid: int | None = os.fork()
            except OSError as error:
                go_without(error, has_scripts=True)
                pid = None
        if pid == 0:
            os.close(ours)
            live(work, theirs, memory, parent)
        os.close(theirs)
        watcher = None if pid is None else Watcher(pid, ours, memory, Relay(is_document=is_document))
    if watcher is None:
        os.close(ours)
        return work()
    return watcher.watch()


class Watcher:
    """The parent of a child. Its clock stands while the watcher waits for a slow reader."""

    def __init__(self, pid: int, descriptor: int, memory: mmap, relay: Relay) -> None:
        self.pid, self.descriptor, self.memory, self.relay = pid, descriptor, memory, relay
        self.receiver = Receiver(memory)
        self.note = Note(memory)
        self.limits = Limits()
        self.deadline: float | None = None
        self.is_late = False
        self.has_begun = False
        self.source: Source | None = None
        self.code: int | None = None
        self.status: int | None = None

    def watch(self) -> int:
        """Pass on the output until the child has ended; its exit code."""
        try:
            while data := self.arrived():
                self.take(self.receiver.frames(data))
            self.last_words()
        except KeyboardInterrupt:
            self.last_words()
            raise
        except BrokenError:
            self.code = None
            self.end()
        except TooLargeError:
            most = size_text(self.limits.output)
            raise EvaluationError(
                "E403", f"the document has more than {most}", help="--max-output SIZE allows more"
            ) from None
        finally:
            self.end()
        if self.code is None:
            raise self.refusal()
        return self.code

    def arrived(self) -> bytes:
        """Return bytes from the child; none where it has ended, or its time is over."""
        rest = None
        if self.deadline is not None:
            rest = max(0.0, self.deadline + self.relay.waited - time.monotonic())
            self.is_late = not rest  # even if more arrives
        if not self.is_late and select.select([self.descriptor], [], [], rest)[0]:
            return os.read(self.descriptor, ENOUGH)
        self.is_late = True
        return b""

    def take(self, frames: Iterable[tuple[int, bytes]]) -> None:
        for kind, data in frames:
            if kind in (OUT, ERR, FILE):
                self.relay.write(kind, data)
            elif kind == BEGIN:
                if self.has_begun:
                    raise BrokenError
                self.has_begun = True
                seconds, memory, output, option = data.decode().split()
                self.limits = Limits(float(seconds), int(memory), int(output), option)
                self.relay.most = self.limits.output
                self.deadline = time.monotonic() + self.limits.seconds + GRACE - self.relay.waited
            elif kind == SOURCE:
                name, _, text = data.decode("utf-8", "replace").partition("\0")
                self.source = Source(text, name)
            elif kind == PATH and not self.has_begun:  # later a script may have taken the child over
                self.relay.path = os.fsdecode(data)
            elif kind == WHOLE:
                self.relay.is_file_whole = True
            elif kind == END:
                if data not in CODES or self.code is not None:
                    raise BrokenError
                self.code = int(data)

    def end(self) -> None:
        """End the child if it has not ended, with all that it has started, and keep its status."""
        if self.status is None:
            for pid in [self.pid, *descendants(self.pid)]:
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            self.status = os.waitpid(self.pid, 0)[1]

    def last_words(self) -> None:
        """Pass on what the child had written before it ended."""
        self.end()
        while data := os.read(self.descriptor, ENOUGH):
            self.take(self.receiver.frames(data))
        if self.code is None:
            self.take(self.receiver.remaining())
        self.relay.finish(is_whole=self.code is not None)

    def refusal(self) -> EvaluationError:
        """Return the error for work that was ended early, at the line that ran then."""
        assert self.status is not None
        code = os.waitstatus_to_exitcode(self.status)
        number = max(0, -code)
        what = self.note.text or "this"
        if self.is_late:
            error = EvaluationError("E403", f"{what} takes more than {self.limits.seconds:g} s")
            error.help = f"is it too large, or endless? {self.limits.option} SECONDS allows more"
        elif code == NO_MEMORY:
            error = EvaluationError("E403", f"{what} needs more memory than {size_text(self.limits.memory)}")
            error.help = f"try it at a smaller size; {MORE}"
        elif number == signal.SIGKILL:
            error = EvaluationError("E403", f"the system ended {what}: there may be too little memory")
            error.help = "try it at a smaller size"
        else:
            how = signal.Signals(number).name if number else f"exit code {code}"
            error = EvaluationError("E404", f"{what} ended without an answer ({how})")
            error.help = "this is a fault of gradcli, or of Python: please report what you ran"
        line = int.from_bytes(self.memory[:4], sys.byteorder)
        if self.source is not None and 0 < line <= self.source.text.count("\n") + 1:
            text, start = self.source.line(line), self.source.offset(line)
            span = Span(start + len(text) - len(text.lstrip()), start + max(len(text.rstrip()), 1))
            error.at(span, self.source)
        return error


def descendants(pid: int) -> list[int]:
    """Stop a process, and return the processes that it has started, and those that they started."""
    with suppress(OSError):
        os.kill(pid, signal.SIGSTOP)
        with open(f"/proc/{pid}/task/{pid}/children", "rb") as file:  # noqa: PTH123  (nothing is imported here)
            inner = list(map(int, file.read().split()))
        return [*inner, *(descendant for child in inner for descendant in descendants(child))]
    return []
