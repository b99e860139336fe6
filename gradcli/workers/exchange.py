"""The way between a process and its owner: messages through a pipe, large bytes through memory that both see.

To a process everything is pickled. What comes from it is data in a closed format, for a stranger may be at work there.
"""

from __future__ import annotations

import os
import pickle
import select
from functools import cached_property
from mmap import mmap
from multiprocessing.connection import Connection
from typing import Any, Literal, Union

from gradcli.errors import GradcliError
from gradcli.workers import data
from gradcli.workers.data import Buffer, UnfitError
from gradcli.workers.messages import COUNT, MOST, join_message, split_message

HALF = 2**23  # bytes of each half of the memory; pages that are not used take none
SIZE = 2 * HALF
SHORT = 2**15  # bytes that a pipe takes at once, beside a message that is not read yet
AT_ONCE = 2**20  # bytes that are read at once
PATIENCE = 60.0  # seconds in which a process must take a part of what is sent to it
HAS_PIPES = os.name == "posix"


class Exchange:
    """One end, the owner's or the process's; `kind` is the type of the answers.

    Both use the same memory: a message and its answer go through one half, the next ones through the other. So one
    message can be sent before another is answered, not two. Without memory all goes through the pipe.
    """

    def __init__(self, connection: Connection, memory: mmap | None, kind: Any = Any, *, is_owner: bool) -> None:
        self.connection, self.memory, self.is_owner = connection, memory, is_owner
        self.kind = Union[  # noqa: UP007  (of which one part is known when it runs)
            tuple[Literal["answer"], kind, list[str]],
            tuple[Literal["error"], GradcliError, list[str]],
            tuple[Literal["time", "memory", "crash", "bug"], str, list[str]],
        ]
        data.classes_in(self.kind)  # worked out now, and not once more in each process
        self.sent = self.received = 0
        self.part, self.size = bytearray(), COUNT.size  # the bytes of a message so far, and how many it has
        self.has_size = False
        if is_owner and HAS_PIPES:
            os.set_blocking(connection.fileno(), False)

    @cached_property
    def writer(self) -> data.Writer:
        return data.Writer(self.kind)

    @cached_property
    def reader(self) -> data.Reader:
        return data.Reader(self.kind)

    def send(self, message: Any, *, is_ahead: bool = False) -> bool:
        """Send a message; return False for one sent ahead of an answer that is too long for that, which is not sent.

        The pipe might take no more until the answer is read. Raises OSError where nobody is there, or takes it.
        """
        if self.is_owner:
            large: list[pickle.PickleBuffer] = []
            text = pickle.dumps(message, 5, buffer_callback=large.append)
            buffers: list[Buffer] = [buffer.raw() for buffer in large]
        else:
            text, buffers = self.writer.written(message)
        memory, count, used = self._half(self.sent), 0, 0
        for buffer in buffers:
            size = memoryview(buffer).nbytes
            if memory is None or used + size > len(memory):
                break
            memory[used : used + size] = buffer
            used, count = used + size, count + 1
        frame = join_message(text, buffers, count)
        if is_ahead and len(frame) > SHORT:
            return False
        self.sent += 1
        self._put(frame)
        return True

    def receive(self) -> Any:
        """Return the next message; to an owner None where only a part has arrived.

        Large bytes are copied, for the other side could change them. Raises EOFError or OSError where nobody is there,
        UnfitError for what is no message.
        """
        frame = self._got()
        if frame is None:
            return None
        text, parts = split_message(memoryview(frame), self._half(self.received))
        buffers = [bytes(part) for part in parts]
        self.received += 1
        if not self.is_owner:
            return pickle.loads(text, buffers=buffers)
        return self.reader.read(text, buffers)

    def _half(self, number: int) -> memoryview | None:
        """Return the part of the memory that a message goes through."""
        first = number % 2 * HALF
        return None if self.memory is None else memoryview(self.memory)[first : first + HALF]

    def _put(self, frame: bytes) -> None:
        if not HAS_PIPES:
            return self.connection.send_bytes(frame)
        rest = memoryview(COUNT.pack(len(frame)) + frame)
        number = self.connection.fileno()
        while rest:
            if self.is_owner and not is_ready(number, select.POLLOUT, PATIENCE):
                raise TimeoutError
            rest = rest[os.write(number, rest) :]
        return None

    def _got(self) -> bytes | bytearray | None:
        """Return the bytes of the next message; to an owner None where only a part has arrived."""
        if not HAS_PIPES:
            return self.connection.recv_bytes(MOST)
        while True:
            try:
                data = os.read(self.connection.fileno(), min(self.size - len(self.part), AT_ONCE))
            except BlockingIOError:
                return None
            if not data:
                raise EOFError
            self.part += data
            if len(self.part) == self.size:
                frame, self.part, self.has_size = self.part, bytearray(), not self.has_size
                if not self.has_size:
                    self.size = COUNT.size
                    return frame
                (self.size,) = COUNT.unpack(frame)
                if not 0 < self.size <= MOST:
                    raise UnfitError("a message without an end")
            if self.is_owner and not is_ready(self.connection.fileno(), select.POLLIN, 0):
                return None


def is_ready(number: int, event: int, seconds: float) -> bool:
    """Return whether a descriptor can be read or written now, or in so many seconds."""
    poll = select.poll()
    poll.register(number, event)
    return bool(poll.poll(seconds * 1000))


def large(content: bytes | memoryview, protocol: int) -> Any:
    """Return bytes as a class gives them to pickle, so that they may go through memory."""
    return pickle.PickleBuffer(content) if protocol >= 5 else content
