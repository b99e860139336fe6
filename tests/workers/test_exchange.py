"""Messages arrive as they were sent, whether their large bytes go through memory or through the pipe."""

from __future__ import annotations

import os
import pickle
from collections.abc import Iterator
from mmap import mmap
from multiprocessing import Pipe
from typing import Any

import numpy as np
import pytest

from gradcli.stream.conversion import Answer, Piece
from gradcli.stream.records import Block
from gradcli.workers import exchange
from gradcli.workers.data import UnfitError
from gradcli.workers.exchange import Exchange
from gradcli.workers.messages import COUNT, HEAD

ITEMS = [
    Piece(Block(7, b"a,b\n" * 300), is_each_alone=True),
    Piece(Block(7, b"")),
    {"one": np.arange(300.0), "two": np.ones((3, 4)), "text": "é"},
    None,
]
ANSWERS = [
    ("answer", Answer(b"x" * 5000, 3, 1, [{"line": 2}]), []),
    ("answer", Answer(b"", 0), ["a warning"]),
    ("bug", "it broke", []),
]


@pytest.fixture(params=[None, 10_000, 2**12])
def ends(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[Exchange, Exchange]]:
    """The owner's and the process's, without memory, with much, with little."""
    if request.param is not None:
        monkeypatch.setattr(exchange, "HALF", request.param)
    memory = None if request.param is None else mmap(-1, 2 * request.param)
    one, other = Pipe()
    yield Exchange(one, memory, Answer | str, is_owner=True), Exchange(other, memory, Answer | str, is_owner=False)
    one.close()
    other.close()


@pytest.mark.parametrize("message", ITEMS)
def test_an_item_arrives(ends: tuple[Exchange, Exchange], message: Any) -> None:
    for _ in range(3):
        ends[0].send(message)
        assert repr(ends[1].receive()) == repr(message)


@pytest.mark.parametrize("message", ANSWERS)
def test_an_answer_arrives(ends: tuple[Exchange, Exchange], message: Any) -> None:
    for _ in range(3):
        ends[1].send(message)
        assert repr(ends[0].receive()) == repr(message)


def test_what_arrived_stays(ends: tuple[Exchange, Exchange]) -> None:
    ends[0].send(Piece(Block(1, b"a" * 4000)))
    first = ends[1].receive()
    ends[0].send(Piece(Block(2, b"b" * 4000)))
    assert (first.block.data, ends[1].receive().block.data) == (b"a" * 4000, b"b" * 4000)


def test_no_process_changes_an_answer_that_it_has_given(ends: tuple[Exchange, Exchange]) -> None:
    owner, process = ends
    process.send(("answer", Answer(b"a" * 4000, 1), []))
    answer = owner.receive()[1]
    if process.memory is not None:
        process.memory[: len(process.memory)] = b"b" * len(process.memory)
    assert answer == Answer(b"a" * 4000, 1)


def test_a_long_message_does_not_go_ahead(ends: tuple[Exchange, Exchange]) -> None:
    message = "a" * (exchange.SHORT + 1)
    assert not ends[0].send(message, is_ahead=True)
    assert ends[0].send("short", is_ahead=True)
    assert ends[1].receive() == "short"


def test_nobody_there(ends: tuple[Exchange, Exchange]) -> None:
    ends[0].connection.close()
    with pytest.raises(EOFError):
        ends[1].receive()


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_items_pickle(protocol: int) -> None:
    for message in ITEMS:
        assert repr(pickle.loads(pickle.dumps(message, protocol))) == repr(message)


def framed(body: bytes) -> bytes:
    return COUNT.pack(len(body)) + body


def told(text: bytes, sizes: tuple[int, ...] = (), counts: tuple[int, int] = (0, 0), large: bytes = b"") -> bytes:
    return framed(HEAD.pack(*counts) + b"".join(map(COUNT.pack, (*sizes, len(text)))) + text + large)


RIGHT = b'[0, [0, ["b", 0], 1, 0, ["l"]], ["t", "answer", ["r", 0], ["l"]]]'
HOSTILE = {
    "nothing": framed(b""),
    "no end": COUNT.pack(2**62) + b"x",
    "a pickle": framed(pickle.dumps(("answer", "x", []))),
    "more sizes than bytes": told(RIGHT, counts=(2**40, 2**40)),
    "beyond the memory": told(RIGHT, (2**40,), (1, 0)),
    "beyond the message": told(RIGHT, (2**40,), (0, 1)),
    "fewer than nothing": told(RIGHT, (2**64 - 1,), (0, 1)),
    "another class": told(RIGHT.replace(b"[0, [0", b"[0, [9"), (1,), (0, 1), b"x"),
    "a class in place of a constant": told(b'[0, ["t", "answer", ["n", 0, "text"], ["l"]]]'),
    "a field of another type": told(RIGHT.replace(b"1, 0, [", b'"1", 0, ['), (1,), (0, 1), b"x"),
    "a field too few": told(RIGHT.replace(b", 1,", b","), (1,), (0, 1), b"x"),
    "another answer": told(b'[0, ["t", "answer", 3, ["l"]]]'),
    "warnings that are none": told(b'[0, ["t", "answer", "x", ["l", 3]]]'),
    "a reason in place of an answer": told(b'[0, ["t", "bug", ["l"], ["l"]]]'),
    "a kind that is none": told(b'[0, ["t", 3, "x", ["l"]]]'),
    "an object that is still to come": told(b'[0, [0, ["r", 0], 1, ["l"]], ["t", "answer", ["r", 0], ["l"]]]'),
    "objects of another message": told(RIGHT.replace(b"[0, [0", b"[7, [0"), (1,), (0, 1), b"x"),
    "no message": told(b"[]"),
    "deep": told(b'["l", ' * 10_000 + b"1" + b"]" * 10_000),
    "no text": told(b"\xff\xfe"),
    "a table": told(b'{"__reduce__": 1}'),
    "an unknown tag": told(b'[0, ["z", 1]]'),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_what_a_hostile_process_sends_is_refused(ends: tuple[Exchange, Exchange], name: str) -> None:
    os.write(ends[1].connection.fileno(), HOSTILE[name])
    with pytest.raises(UnfitError):
        ends[0].receive()


def test_a_part_of_an_answer_is_waited_for_elsewhere(ends: tuple[Exchange, Exchange]) -> None:
    whole = told(RIGHT, (1,), (0, 1), b"x")
    for place in range(0, len(whole) - 7, 7):
        os.write(ends[1].connection.fileno(), whole[place : place + 7])
        assert ends[0].receive() is None
    os.write(ends[1].connection.fileno(), whole[place + 7 :])
    assert ends[0].receive() == ("answer", Answer(b"x", 1, 0, []), [])


def test_a_process_that_takes_nothing_is_waited_for_no_longer(
    ends: tuple[Exchange, Exchange], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(exchange, "PATIENCE", 0.05)
    with pytest.raises(TimeoutError):
        ends[0].send("a" * 10**7)


def test_objects_that_are_shared_are_sent_once(ends: tuple[Exchange, Exchange]) -> None:
    answer = Answer(b"x", 1, 1, [{"line": number} for number in range(100)])
    others = [Answer(b"", number) for number in range(exchange.data.SHARED + 10)]
    with pytest.raises(UnfitError):
        ends[1].send(("answer", Answer(b"x", 1, 1, [{"bad": object()}]), []))
    for one in (answer, answer, *others, answer):
        ends[1].send(("answer", one, []))
        assert ends[0].receive()[1] == one
