"""How a process of a pool, which may fork nobody, has strangers' work done by one that has nothing else (`zygote`)."""

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
    """The process that was asked has ended without an answer; so does the item for which it was asked."""

    def __init__(self, reason: str, detail: str) -> None:
        super().__init__(reason, detail)
        self.reason, self.detail = reason, detail


control: list[tuple[socket.socket, Work]] = []  # of a command: to the process that waits, and what it does
_ways: list[tuple[int, Work]] = []  # of a process of a pool: the descriptor over which it asks
_places: dict[int | str, int] = {}  # the number of the process that is asked, by the item or the text


@contextmanager
def connected(limits: Limits) -> Iterator[int | None]:
    """Give a descriptor to ask over, for a process that is forked meanwhile; None where nobody waits."""
    if not control:
        yield None
        return
    ours, theirs = socket.socketpair()
    with ours, theirs:
        with suppress(OSError):  # nobody is there, as asking will show
            socket.send_fds(control[0][0], [LIMITS.pack(limits.seconds, limits.memory)], [theirs.fileno()])
        yield ours.fileno()


def take(way: int | None) -> None:
    """Ask over a descriptor from now on, in this process, and over none if there is none."""
    _ways[:] = [] if way is None else [(way, control[0][1])]
    control.clear()


def asked(function: Callable[[Any], Any], question: Any, kind: Any) -> Any:
    """Return what a function returns for a question, in a process of its own if there is a way to one, else in this.

    What is asked there is the whole work of a command, of which the function is a part; its answer is of a `kind`.
    Raises the GradcliError that the function raises, and LostError where the process ends or what it says is no answer.
    """
    if not _ways:
        return function(question)
    way, work = _ways[0]
    about = notes.place() if work.text is None else work.text(question)
    os.write(way, COUNT.pack(_places.setdefault(about, len(_places))))
    put(way, message_of(question, work.question))
    message = got(way)
    if message is None:
        raise LostError("crash", "nobody is there to ask")
    try:
        reason, found = read_message(message, work.message)
    except UnfitError as error:
        raise LostError("crash", NONE) from error
    if reason == "error":
        raise found
    if reason != "answer":
        raise LostError(reason, found)
    if not check(kind)(found):
        raise LostError("crash", NONE)
    return found


def put(way: int, message: bytes) -> None:
    rest = memoryview(COUNT.pack(len(message)) + message)
    with suppress(ConnectionError):  # nobody is there, as reading will show
        while rest:
            rest = rest[os.write(way, rest) :]


def got(way: int) -> bytes | None:
    """Return a message, None where nobody is there any more."""
    head = _got(way, COUNT.size)
    (size,) = COUNT.unpack(head) if len(head) == COUNT.size else (MOST + 1,)
    whole = _got(way, size) if size <= MOST else b""
    return whole if len(whole) == size else None


def _got(way: int, size: int) -> bytes:
    found = bytearray()
    with suppress(ConnectionError):
        while len(found) < size and (part := os.read(way, min(size - len(found), 2**20))):
            found += part
    return bytes(found)
