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
from gradcli.workers.messages import COUNT, MOST, joined, parted

HALF = 2**23  # bytes of each half of the memory, of which only what is used is taken
SIZE = 2 * HALF
SHORT = 2**15  # bytes that a pipe takes at once, beside a message that is not read yet
AT_ONCE = 2**20  # bytes that are read at once
PATIENCE = 60.0  # seconds in which a process must take a part of what is sent to it
HAS_PIPES = os.name == "posix"


class Exchange:
    """One end, of the owner or of the process, whose answers are of a kind, as a type says.

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
        self.part, self.size = bytearray(), COUNT.size  # what came of a message, and how much that must be
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
        """Send a message; of one that goes ahead of an answer return False where it is not sent, for it is too long.

        The pipe might take no more until the answer is read. Raises OSError where nobody is there, or takes it.
        """
        if self.is_owner:
            large: list[pickle.PickleBuffer] = []
            text = pickle.dumps(message, 5, buffer_callback=large.append)
            buffers: list[Buffer] = [one.raw() for one in large]
        else:
            text, buffers = self.writer.written(message)
        memory, count, used = self._half(self.sent), 0, 0
        for one in buffers:
            size = memoryview(one).nbytes
            if memory is None or used + size > len(memory):
                break
            memory[used : used + size] = one
            used, count = used + size, count + 1
        whole = joined(text, buffers, count)
        if is_ahead and len(whole) > SHORT:
            return False
        self.sent += 1
        self._put(whole)
        return True

    def receive(self) -> Any:
        """Return a message when it is there; of an owner None where only a part has come.

        Large bytes are copied, for the other side could change them. Raises EOFError or OSError where nobody is there,
        UnfitError for what is no message.
        """
        whole = self._got()
        if whole is None:
            return None
        text, parts = parted(memoryview(whole), self._half(self.received))
        buffers = [bytes(one) for one in parts]
        self.received += 1
        if not self.is_owner:
            return pickle.loads(text, buffers=buffers)
        return self.reader.read(text, buffers)

    def _half(self, number: int) -> memoryview | None:
        """Return the part of the memory that a message goes through."""
        first = number % 2 * HALF
        return None if self.memory is None else memoryview(self.memory)[first : first + HALF]

    def _put(self, whole: bytes) -> None:
        if not HAS_PIPES:
            return self.connection.send_bytes(whole)
        rest = memoryview(COUNT.pack(len(whole)) + whole)
        number = self.connection.fileno()
        while rest:
            if self.is_owner and not is_ready(number, select.POLLOUT, PATIENCE):
                raise TimeoutError
            rest = rest[os.write(number, rest) :]
        return None

    def _got(self) -> bytes | bytearray | None:
        """Return a message, of an owner None where only a part has come."""
        if not HAS_PIPES:
            return self.connection.recv_bytes(MOST)
        while True:
            try:
                found = os.read(self.connection.fileno(), min(self.size - len(self.part), AT_ONCE))
            except BlockingIOError:
                return None
            if not found:
                raise EOFError
            self.part += found
            if len(self.part) == self.size:
                whole, self.part, self.has_size = self.part, bytearray(), not self.has_size
                if not self.has_size:
                    self.size = COUNT.size
                    return whole
                (self.size,) = COUNT.unpack(whole)
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
