"""The child's side of a watched command: its streams, and the moment from which its limits hold."""

from __future__ import annotations

import faulthandler
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stdout, suppress
from mmap import mmap
from typing import TYPE_CHECKING, Any, TypeVar

from gradcli.errors import EvaluationError
from gradcli.workers.channel import BEGIN, END, ERR, FILE, OUT, PATH, SOURCE, WHOLE, Sender, standing_for
from gradcli.workers.confinement import data_size, end_with, forbid_writing, limit_memory
from gradcli.workers.interruption import leave_to_owner
from gradcli.workers.limits import GRACE, Limits, size_text
from gradcli.workers.notes import Note, take

if TYPE_CHECKING:
    from gradcli.source import Source

T = TypeVar("T")

LEFT = 2**22  # free bytes of memory that an error message needs
MORE = "--max-memory SIZE allows more"
NO_MEMORY = 71  # the exit code of a child without the memory for an error message

LIMITS = "{0.seconds!r} {0.memory} {0.output} {0.option}"

lines: Any = [0]  # the line that runs now, where the watcher can see it
_senders: list[Sender] = []  # one in a child; empty in a process without a watcher


def live(work: Callable[[], int], descriptor: int, memory: mmap, parent: int) -> None:
    """Do the work in this process, a child that was just forked, and end it."""
    global lines
    code = 70
    try:
        end_with(parent)
        faulthandler.disable()  # the watcher reports a crash
        leave_to_owner()
        lines = memoryview(memory).cast("I")
        take(Note(memory), None)
        sender = Sender(descriptor, memory)
        _senders.append(sender)
        sys.stdout = standing_for(sys.stdout, sender, OUT)
        sys.stderr = standing_for(sys.stderr, sender, ERR)
        for standard in (2, 1):  # where both are terminals they are the same one
            with suppress(OSError):
                os.environ.setdefault("COLUMNS", str(os.get_terminal_size(standard).columns))
        nowhere = os.open(os.devnull, os.O_WRONLY)
        for standard in (1, 2):  # a library writes there itself, past the streams
            os.dup2(nowhere, standard)
        code = work()
        sender.put(END, str(code).encode())
        sender.hand_over()
    except (MemoryError, SystemError):
        code = NO_MEMORY
    finally:  # whatever happens, this process never goes on as if it were its parent
        os._exit(code)


def begin(limits: Limits, read: Callable[[], T]) -> T:
    """Read what the work is about, and hold this process to its limits from then on; return what was read.

    Everything that the work needs is imported. Reading waits for a person or another program as long as they take.
    Where nobody watches and the system has no children, a timer ends the process.
    """
    contents = read()
    if _senders:
        _senders[0].put(BEGIN, LIMITS.format(limits).encode())
        _senders[0].hand_over()
        if limits.memory < data_size() + LEFT:
            size = size_text(limits.memory)
            raise EvaluationError("E403", f"{size} of memory is less than this command takes by itself", help=MORE)
        os.dup2(1, 0)  # all input is read
        limit_memory(limits.memory)
        forbid_writing([_senders[0].descriptor])
    elif not hasattr(os, "fork"):
        faulthandler.dump_traceback_later(limits.seconds + GRACE, exit=True)
    return contents


@contextmanager
def output_to(path: str) -> Iterator[None]:
    """Let standard output go to a file, which is written when the work has come to its end; `-` is standard output.

    It must be said before `begin`. The watcher writes, for a child may not. Raises UsageError where nothing can be
    written there.
    """
    if path == "-":
        yield
        return
    from gradcli.workers.files import open_text_output, refuse_unwritable

    refuse_unwritable(path)
    if not _senders:
        with open_text_output(path) as stream, redirect_stdout(stream):
            yield
        return
    _senders[0].put(PATH, os.fsencode(path))
    with redirect_stdout(standing_for(None, _senders[0], FILE)):
        yield
    _senders[0].put(WHOLE, b"")


def at(source: Source) -> None:
    """Name the source whose lines run from now on."""
    if _senders:
        _senders[0].put(SOURCE, f"{source.name}\0{source.text}".encode("utf-8", "surrogatepass"))
