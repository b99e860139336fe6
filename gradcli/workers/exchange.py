"""The way between a process and its owner: messages through a pipe, large bytes through memory that both see."""

from __future__ import annotations

import pickle
import struct
from mmap import mmap
from multiprocessing.connection import Connection
from typing import Any

HALF = 2**23  # bytes of each half of the memory, of which only what is used is taken
SIZE = 2 * HALF
SHORT = 2**15  # bytes that a pipe takes at once, beside a message that is not read yet
COUNT = struct.Struct("<Q")
IN_BAND = True  # what pickle wants to hear of a buffer that goes with the message


class Exchange:
    """One end. Both use the same memory: a message and its answer go through one half, the next ones through the other.

    So one message can be sent before another is answered, not two. Without memory all goes through the pipe. What
    pickle calls a buffer is large bytes: arrays of numpy, and what a class wraps in a PickleBuffer.
    """

    def __init__(self, connection: Connection, memory: mmap | None) -> None:
        self.connection, self.memory = connection, memory
        self.sent = self.received = 0

    def send(self, message: Any, *, is_ahead: bool = False) -> bool:
        """Send a message; of one that goes ahead of an answer return False where it is not sent, for it is too long.

        The pipe might take no more until the answer is read. Raises OSError where nobody is there.
        """
        sizes: list[int] = []
        first = used = self.sent % 2 * HALF

        def keep(buffer: pickle.PickleBuffer) -> bool:
            nonlocal used
            data = buffer.raw()
            if self.memory is None or used + data.nbytes > first + HALF:
                return IN_BAND
            self.memory[used : used + data.nbytes] = data
            used += data.nbytes
            sizes.append(data.nbytes)
            return False

        text = pickle.dumps(message, 5, buffer_callback=keep)
        if is_ahead and len(text) > SHORT:
            return False
        self.sent += 1
        self.connection.send_bytes(b"".join((*map(COUNT.pack, (len(sizes), *sizes)), text)))
        return True

    def receive(self, *, is_lent: bool = False) -> Any:
        """Return a message when it is there. Raises EOFError or OSError where nobody is.

        Large bytes that are lent stay in the memory, until its half is used again.
        """
        data = memoryview(self.connection.recv_bytes())
        (count,) = COUNT.unpack_from(data)
        buffers, start = [], self.received % 2 * HALF
        self.received += 1
        for number in range(1, count + 1):
            (size,) = COUNT.unpack_from(data, number * COUNT.size)
            assert self.memory is not None
            place = slice(start, start + size)
            buffers.append(memoryview(self.memory)[place] if is_lent else self.memory[place])
            start += size
        return pickle.loads(data[(count + 1) * COUNT.size :], buffers=buffers)


def large(data: bytes | memoryview, protocol: int) -> Any:
    """Return bytes as a class gives them to pickle, so that they may go through memory."""
    return pickle.PickleBuffer(data) if protocol >= 5 else data
