"""The way from a child to its watcher: frames in memory that both see, handed over through a pipe when it is full.

A text in the memory is as safe as a written one: the watcher finds it there when the child has been ended.
"""

from __future__ import annotations

import io
import os
import struct
from collections import deque
from collections.abc import Iterator
from mmap import mmap
from typing import Any, TextIO

from gradcli.workers.notes import NOTE

KINDS = OUT, ERR, FILE, BEGIN, SOURCE, PATH, WHOLE, END = range(8)  # of frames
TEXTS = (OUT, ERR, FILE)  # those that may come in parts
FRAME = struct.Struct("<BI")  # kind, bytes
PARCEL = struct.Struct("<Q")  # bytes of the frames that are handed over at once
STATE = struct.Struct("<QQ")  # parcels handed over, bytes that wait in the memory
AT, FIRST = 8, 24  # places in the memory: of the state, of the first frame; before them is the line that runs
SIZE = 2**22  # bytes of the memory; pages that are not used take none
MOST_FRAMES = 2**10  # in a parcel: a child sends a few, since texts in a row are one frame


def shared_memory() -> mmap:
    """Return memory that a child will share; its last bytes are for a note."""
    return mmap(-1, SIZE + NOTE)


class BrokenError(Exception):
    """What arrived is no frame of a child: the code that the child runs has taken it over."""


class Sender:
    """The child's end."""

    def __init__(self, descriptor: int, memory: mmap) -> None:
        self.descriptor, self.memory = descriptor, memory
        self.parcels, self.size = 0, 0
        self.last, self.last_at = -1, 0  # the kind and the place of the last frame
        self.count = 0  # of the frames that wait

    def put(self, kind: int, data: bytes | memoryview) -> None:
        """Add a frame to the memory, and hand all over when it is full; only texts may be split."""
        view = memoryview(data)
        if len(view) > SIZE // 2 and kind not in TEXTS:
            return
        if SIZE - FIRST - self.size < SIZE // 2 or self.count == MOST_FRAMES:
            self.hand_over()
        while True:
            is_more = kind == self.last and kind in TEXTS
            room = SIZE - FIRST - self.size - (0 if is_more else FRAME.size)
            if room > 0:
                self._append(view[:room], kind, is_more=is_more)
                view = view[room:]
            if not view:
                return
            self.hand_over()

    def _append(self, part: memoryview, kind: int, *, is_more: bool) -> None:
        if not is_more:
            self.last, self.last_at = kind, FIRST + self.size
            self.size, self.count = self.size + FRAME.size, self.count + 1
        start = FIRST + self.size
        self.memory[start : start + len(part)] = part
        self.size += len(part)
        FRAME.pack_into(self.memory, self.last_at, kind, FIRST + self.size - self.last_at - FRAME.size)
        STATE.pack_into(self.memory, AT, self.parcels, self.size)

    def hand_over(self) -> None:
        """Give everything that waits to the watcher."""
        if not self.size:
            return
        waiting = PARCEL.pack(self.size) + self.memory[FIRST : FIRST + self.size]
        while waiting:
            waiting = waiting[os.write(self.descriptor, waiting) :]
        self.parcels, self.size, self.count, self.last = self.parcels + 1, 0, 0, -1
        STATE.pack_into(self.memory, AT, self.parcels, self.size)


class Receiver:
    """The watcher's end: bytes in, frames out; a long frame may come in parts."""

    def __init__(self, memory: mmap) -> None:
        self.memory = memory
        self.data = memoryview(b"")
        self.parcels, self.left, self.got = 0, 0, 0  # of the parcel that arrives: bytes to come, bytes that came
        self.count = 0  # of the frames in it
        self.kind, self.rest = OUT, 0  # of the frame that arrives
        self.ready_frames: deque[tuple[int, bytes]] = deque()  # complete frames, not yet yielded

    def frames(self, data: bytes) -> Iterator[tuple[int, bytes]]:
        """Yield the frames in bytes that have arrived, each once, also where an interruption comes between two."""
        self.data = memoryview(bytes(self.data) + data)
        while self.data:
            if not self.left:
                if len(self.data) < PARCEL.size:
                    break
                (self.left,) = PARCEL.unpack_from(self.data)
                if not 0 < self.left <= SIZE:
                    raise BrokenError
                self.data, self.parcels, self.got, self.count = self.data[PARCEL.size :], self.parcels + 1, 0, 0
                continue
            frames, used = self._parsed(self.data[: self.left])
            if not used:
                break
            self.ready_frames.extend(frames)
            self.data, self.left, self.got = self.data[used:], self.left - used, self.got + used
        yield from self._take_ready()

    def remaining(self) -> Iterator[tuple[int, bytes]]:
        """Yield the frames that an ended child had not handed over."""
        parcels, size = STATE.unpack_from(self.memory, AT)
        start = FIRST
        if self.parcels == parcels + 1:  # the child was ended within this parcel
            start = FIRST + self.got if self.left else FIRST + size
        else:
            self.count = 0
        self.ready_frames.extend(self._parsed(memoryview(self.memory[start : FIRST + size]))[0])
        yield from self._take_ready()

    def _take_ready(self) -> Iterator[tuple[int, bytes]]:
        while self.ready_frames:
            yield self.ready_frames.popleft()

    def _parsed(self, data: memoryview) -> tuple[list[tuple[int, bytes]], int]:
        """Return the frames in the data, the last one perhaps in part, and the number of bytes that they take."""
        frames: list[tuple[int, bytes]] = []
        used = 0
        while used < len(data):
            if not self.rest:
                if len(data) - used < FRAME.size:
                    break
                self.kind, self.rest = FRAME.unpack_from(data, used)
                self.count += 1
                if self.kind not in KINDS or self.rest > SIZE or self.count > MOST_FRAMES:
                    raise BrokenError
                used += FRAME.size
            part = data[used : used + self.rest]
            if self.kind not in TEXTS and len(part) < self.rest:
                used -= FRAME.size  # an incomplete frame is read again later
                self.rest, self.count = 0, self.count - 1
                break
            if part or not self.rest:
                frames.append((self.kind, bytes(part)))
            used, self.rest = used + len(part), self.rest - len(part)
        return frames, used


class Stream(io.RawIOBase):
    """A standard stream of the child, which looks like the stream that it stands for."""

    def __init__(self, sender: Sender, kind: int, *, is_terminal: bool) -> None:
        self.sender, self.kind, self.is_terminal = sender, kind, is_terminal

    def writable(self) -> bool:
        return True

    def isatty(self) -> bool:
        return self.is_terminal

    def write(self, data: Any) -> int:
        text = bytes(data)
        self.sender.put(self.kind, text)
        if self.kind == ERR or (self.is_terminal and b"\n" in text):
            self.sender.hand_over()
        return len(text)

    def flush(self) -> None:
        if self.sender.last == self.kind:
            self.sender.hand_over()


def standing_for(stream: TextIO | None, sender: Sender, kind: int) -> TextIO:
    """Return the text stream of a child for a standard stream, or for a file that its watcher will write."""
    raw = Stream(sender, kind, is_terminal=stream is not None and stream.isatty())
    if stream is None:
        return io.TextIOWrapper(raw, "utf-8", "backslashreplace", write_through=True)  # type: ignore[type-var]
    return io.TextIOWrapper(raw, stream.encoding, stream.errors, write_through=True)  # type: ignore[type-var]
