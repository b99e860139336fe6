"""The way between a process and its owner: messages through a pipe, large bytes through memory that both see."""

from __future__ import annotations

import pickle
import struct
from mmap import mmap
from multiprocessing.connection import Connection
from typing import Any

SIZE = 2**23  # bytes of the memory, of which only what is used is taken
COUNT = struct.Struct("<Q")
IN_BAND = True  # what pickle wants to hear of a buffer that goes with the message


class Exchange:
    """One end. Both use the same memory, for one message is answered before the next is sent.

    Without memory all goes through the pipe. What pickle calls a buffer is large bytes: arrays of numpy, and what a
    class wraps in a PickleBuffer.
    """

    def __init__(self, connection: Connection, memory: mmap | None) -> None:
        self.connection, self.memory = connection, memory

    def send(self, message: Any) -> None:
        """Send a message. Raises OSError where nobody is there."""
        sizes: list[int] = []
        used = 0

        def keep(buffer: pickle.PickleBuffer) -> bool:
            nonlocal used
            data = buffer.raw()
            if self.memory is None or used + data.nbytes > SIZE:
                return IN_BAND
            self.memory[used : used + data.nbytes] = data
            used += data.nbytes
            sizes.append(data.nbytes)
            return False

        text = pickle.dumps(message, 5, buffer_callback=keep)
        self.connection.send_bytes(b"".join((*map(COUNT.pack, (len(sizes), *sizes)), text)))

    def receive(self) -> Any:
        """Return a message when it is there. Raises EOFError or OSError where nobody is."""
        data = memoryview(self.connection.recv_bytes())
        (count,) = COUNT.unpack_from(data)
        buffers, start = [], 0
        for place in range(1, count + 1):
            (size,) = COUNT.unpack_from(data, place * COUNT.size)
            assert self.memory is not None
            buffers.append(self.memory[start : start + size])
            start += size
        return pickle.loads(data[(count + 1) * COUNT.size :], buffers=buffers)


def large(data: bytes, protocol: int) -> Any:
    """Return bytes as a class gives them to pickle, so that they may go through memory."""
    return pickle.PickleBuffer(data) if protocol >= 5 else data
