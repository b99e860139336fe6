"""How a process of a pool, which may not fork, has strangers' work done in a process apart (`zygote`)."""

from __future__ import annotations

import os
import socket
import struct
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any, Literal, Union

from gradcli.errors import GradcliError
from gradcli.facts import dataclass
from gradcli.workers import notes
from gradcli.workers.data import UnfitError, check
from gradcli.workers.limits import Limits
from gradcli.workers.messages import COUNT, MOST, message_of, read_message

LIMITS = struct.Struct("<dQ")  # seconds, bytes of memory
NONE = "an answer that is none"


@dataclass(frozen=True)
class Work:
    """What processes do: a function from a question to an answer, with the types of both; `prepare` imports it all.

    A process answers the questions that have the same `text`, which is all that it runs; where they have none, those of
    an item.
    """

    function: Callable[[Any], Any]
    question: Any
    answer: Any
    prepare: Callable[[], Any] = tuple
    text: Callable[[Any], str] | None = None

    @property
    def message(self) -> Any:
        """The type of what comes back: an answer, an error, or the reason for which there is none, with a detail."""
        answer: Any = self.answer
        ended = tuple[Literal["time", "memory", "crash", "bug"], str]
        return Union[tuple[Literal["answer"], answer], tuple[Literal["error"], GradcliError], ended]  # noqa: UP007


class LostError(BaseException):
    """The process that was asked ended without an answer; its item ends so too."""

    def __init__(self, reason: str, detail: str) -> None:
        super().__init__(reason, detail)
        self.reason, self.detail = reason, detail


control: list[tuple[socket.socket, Work]] = []  # of a command: the socket to the waiting process, and its work
_ways: list[tuple[int, Work]] = []  # of a process of a pool: the descriptor over which it asks, and the work
_places: dict[int | str, int] = {}  # the number of the process that is asked, by the item or the text


@contextmanager
def asking_descriptor(limits: Limits) -> Iterator[int | None]:
    """Give a process forked in the block a descriptor to ask over; None where nothing waits for questions."""
    if not control:
        yield None
        return
    ours, theirs = socket.socketpair()
    with ours, theirs:
        with suppress(OSError):  # nobody is there, as asking will show
            socket.send_fds(control[0][0], [LIMITS.pack(limits.seconds, limits.memory)], [theirs.fileno()])
        yield ours.fileno()


def take(way: int | None) -> None:
    """Ask over this descriptor from now on; with None, do the work in this process."""
    _ways[:] = [] if way is None else [(way, control[0][1])]
    control.clear()


def ask_process(function: Callable[[Any], Any], question: Any, kind: Any) -> Any:
    """Return the answer of a function to a question, from a process of its own if there is one, else from this process.

    The other process does the whole work of a command, of which the function is a part; the answer is of a `kind`.
    Raises the GradcliError that the function raises, and LostError where the process ends or what it says is no answer.
    """
    if not _ways:
        return function(question)
    way, work = _ways[0]
    about = notes.place() if work.text is None else work.text(question)
    os.write(way, COUNT.pack(_places.setdefault(about, len(_places))))
    put(way, message_of(question, work.question))
    message = receive(way)
    if message is None:
        raise LostError("crash", "nobody is there to ask")
    try:
        reason, answer = read_message(message, work.message)
    except UnfitError as error:
        raise LostError("crash", NONE) from error
    if reason == "error":
        raise answer
    if reason != "answer":
        raise LostError(reason, answer)
    if not check(kind)(answer):
        raise LostError("crash", NONE)
    return answer


def put(way: int, message: bytes) -> None:
    rest = memoryview(COUNT.pack(len(message)) + message)
    with suppress(ConnectionError):  # nobody is there, as reading will show
        while rest:
            rest = rest[os.write(way, rest) :]


def receive(way: int) -> bytes | None:
    """Return a message; None where the other side is gone."""
    head = _got(way, COUNT.size)
    (size,) = COUNT.unpack(head) if len(head) == COUNT.size else (MOST + 1,)
    message = _got(way, size) if size <= MOST else b""
    return message if len(message) == size else None


def _got(way: int, size: int) -> bytes:
    data = bytearray()
    with suppress(ConnectionError):
        while len(data) < size and (part := os.read(way, min(size - len(data), 2**20))):
            data += part
    return bytes(data)
