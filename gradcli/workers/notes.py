"""Notes of the item that a process works on, and of its parts, in memory that its owner sees; else a timer."""

from __future__ import annotations

import faulthandler
import struct
import sys
from mmap import mmap

from gradcli.workers.limits import BACKSTOP, Limits

COUNT = struct.Struct("<Q")  # of the parts that have begun
NOTE = 2**12  # bytes of the count and of the text
MARK = "\x1f"  # between the name of a part and the names of what is in it
HAS_FORK = sys.platform == "linux"


class Note:
    """The last bytes of a memory that two processes share."""

    def __init__(self, memory: mmap) -> None:
        self.memory = memory
        self.start = len(memory) - NOTE
        self.part = ""
        self.begun = 0

    def begin(self, part: str = "") -> None:
        """Say which part begins now."""
        self.begun += 1
        COUNT.pack_into(self.memory, self.start, self.begun)
        self.part = part
        self.say(part)

    def say(self, text: str) -> None:
        """Say what goes on, without a new beginning."""
        data = text.encode("utf-8", "replace")[: NOTE - COUNT.size - 1] + b"\0"
        place = self.start + COUNT.size
        self.memory[place : place + len(data)] = data

    @property
    def count(self) -> int:
        """The number of beginnings, as the process says it."""
        return int(COUNT.unpack_from(self.memory, self.start)[0])

    @property
    def text(self) -> str:
        return self.memory[self.start + COUNT.size :].partition(b"\0")[0].decode("utf-8", "replace")


_own: list[tuple[Note | None, Limits | None]] = []  # of this process, if another one owns it


def take(note: Note | None, limits: Limits | None) -> None:
    """Note from now on, in this process, what it is at; with limits a timer of its own ends parts that take longer."""
    _own.append((note, limits))


def at(*names: str) -> None:
    """Note where in a part this process is; its owner reports this if the process ends there."""
    for note, _ in _own:
        if note is not None:
            note.say(MARK.join((note.part, *names)))


def part(text: str) -> None:
    """Begin a part of an item; each part has the time of a whole item."""
    for note, limits in _own:
        if note is not None:
            note.begin(text)
        if limits is not None:
            set_timer(limits.seconds)


def place() -> int:
    """Return a number for the item, or the part of one, that this process is at."""
    return sum(note.begun for note, _ in _own if note is not None)


def set_timer(seconds: float) -> None:
    """End this process after so many seconds where its owner cannot look at it; 0 for no end."""
    if HAS_FORK:
        return
    if seconds:
        faulthandler.dump_traceback_later(BACKSTOP * seconds, exit=True)
    else:
        faulthandler.cancel_dump_traceback_later()
