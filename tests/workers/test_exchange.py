"""Messages arrive as they were sent, whether their large bytes go through memory or through the pipe."""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from mmap import mmap
from multiprocessing import Pipe
from typing import Any

import numpy as np
import pytest

from gradcli.stream.blocks import Block
from gradcli.stream.conversion import Answer, Piece
from gradcli.workers import exchange
from gradcli.workers.exchange import Exchange

MESSAGES = [
    ("answer", Answer(b"x" * 5000, 3, [{"line": 2}]), []),
    Piece(Block(7, b"a,b\n" * 300), is_each_alone=True),
    Piece(Block(7, b"")),
    {"one": np.arange(300.0), "two": np.ones((3, 4)), "text": "é"},
    None,
]


@pytest.fixture(params=[None, 10_000, 2**12])
def ends(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[Exchange, Exchange]]:
    """Without memory, with much, with little."""
    if request.param is not None:
        monkeypatch.setattr(exchange, "HALF", request.param)
    memory = None if request.param is None else mmap(-1, 2 * request.param)
    one, other = Pipe()
    yield Exchange(one, memory), Exchange(other, memory)
    one.close()
    other.close()


@pytest.mark.parametrize("message", MESSAGES)
def test_what_is_sent_arrives(ends: tuple[Exchange, Exchange], message: Any) -> None:
    for sender, receiver in (ends, ends[::-1]):
        sender.send(message)
        assert repr(receiver.receive()) == repr(message)


def test_what_arrived_stays(ends: tuple[Exchange, Exchange]) -> None:
    ends[0].send(Piece(Block(1, b"a" * 4000)))
    first = ends[1].receive()
    ends[0].send(Piece(Block(2, b"b" * 4000)))
    assert (first.block.data, ends[1].receive().block.data) == (b"a" * 4000, b"b" * 4000)


def test_what_is_lent_stays_while_the_next_comes(ends: tuple[Exchange, Exchange]) -> None:
    """And no longer than its half of the memory is not used again."""
    ends[0].send(Answer(b"a" * 4000, 1, []))
    ends[0].send(Answer(b"b" * 4000, 2, []))
    first, second = ends[1].receive(is_lent=True), ends[1].receive(is_lent=True)
    assert (first.kept(), second.kept()) == (Answer(b"a" * 4000, 1, []), Answer(b"b" * 4000, 2, []))
    kept = first.kept()
    ends[0].send(Answer(b"c" * 4000, 3, []))
    assert (ends[1].receive(is_lent=True).text[:1], kept.text[:1]) == (b"c", b"a")


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
def test_blocks_and_answers_pickle(protocol: int) -> None:
    for message in MESSAGES:
        assert repr(pickle.loads(pickle.dumps(message, protocol))) == repr(message)
