"""Messages as bytes: a text, and large bytes that stand behind it or in memory which both sides see."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import Any

from gradcli.workers import data
from gradcli.workers.data import Buffer, UnfitError

MOST = 2**28  # bytes of a message
COUNT = struct.Struct("<Q")
HEAD = struct.Struct("<QQ")  # how many large bytes stand in the memory, and how many behind the text


def join_message(text: bytes, buffers: Sequence[Buffer], count: int = 0) -> bytes:
    """Return a message; the first `count` of the large bytes are in the memory already."""
    sizes = [memoryview(buffer).nbytes for buffer in buffers]
    head = (HEAD.pack(count, len(buffers) - count), *map(COUNT.pack, (*sizes, len(text))))
    return b"".join((*head, text, *buffers[count:]))


def split_message(message: memoryview, memory: memoryview | None = None) -> tuple[memoryview, list[memoryview]]:
    """Return the text of a message and its large bytes. Raises UnfitError for bytes that are no message."""
    try:
        count, others = HEAD.unpack_from(message)
        if count + others > len(message):
            raise UnfitError("more sizes than bytes")
        *sizes, length = struct.unpack_from(f"<{count + others + 1}Q", message, HEAD.size)
    except struct.error as error:
        raise UnfitError(str(error)) from None
    start = HEAD.size + (count + others + 1) * COUNT.size
    held = sum(sizes[:count])
    if start + length + sum(sizes[count:]) != len(message) or held > (0 if memory is None else len(memory)):
        raise UnfitError("other sizes than bytes")
    buffers: list[memoryview] = []
    from_, at = memory, 0
    for number, size in enumerate(sizes):
        if number == count:
            from_, at = message, start + length
        assert from_ is not None
        buffers.append(from_[at : at + size])
        at += size
    return message[start : start + length], buffers


def message_of(value: Any, kind: Any) -> bytes:
    """Return a message with a value of a kind. Raises UnfitError for a value without a place in the format."""
    return join_message(*data.Writer(kind).written(value))


def read_message(message: bytes, kind: Any) -> Any:
    """Return the data in a message; its large bytes are its own. Raises UnfitError where it is not of the kind."""
    text, buffers = split_message(memoryview(message))
    return data.Reader(kind).read(text, [bytes(buffer) for buffer in buffers])
