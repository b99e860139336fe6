"""Whatever a child has put arrives, once and in order, wherever it is ended."""

from __future__ import annotations

import os
import struct
from collections.abc import Iterable
from itertools import islice

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradcli.workers import channel
from gradcli.workers.channel import BEGIN, END, ERR, OUT, SOURCE, Receiver, Sender, shared_memory

TEXTS = st.tuples(st.sampled_from([OUT, ERR]), st.binary(max_size=40))
WORDS = st.tuples(st.sampled_from([BEGIN, SOURCE, END]), st.binary(max_size=9))
STEPS = st.lists(TEXTS | WORDS | st.none(), max_size=12)  # None hands over


def joined(frames: Iterable[tuple[int, bytes]]) -> list[tuple[int, bytes]]:
    """The frames with texts that follow each other on one stream as one; without empty ones."""
    found: list[tuple[int, bytes]] = []
    for kind, data in frames:
        if kind in (OUT, ERR) and found and found[-1][0] == kind:
            found[-1] = (kind, found[-1][1] + data)
        elif data or kind not in (OUT, ERR):
            found.append((kind, data))
    return found


@pytest.mark.slow
@given(STEPS, st.data())
def test_what_was_put_arrives_however_the_pipe_cuts_it(
    steps: list[tuple[int, bytes] | None], data: st.DataObject
) -> None:
    memory, (end, start) = shared_memory(), os.pipe()
    sender, receiver = Sender(start, memory), Receiver(memory)
    for step in steps:
        if step is None:
            sender.hand_over()
        else:
            sender.put(*step)
    os.close(start)
    sent = os.read(end, 2**20)
    os.close(end)
    arrived = data.draw(st.integers(0, len(sent))) if sender.size == 0 else len(sent)
    cuts = sorted(data.draw(st.lists(st.integers(0, arrived), max_size=4)))
    found: list[tuple[int, bytes]] = []
    for a, b in zip([0, *cuts], [*cuts, arrived], strict=True):
        found += receiver.frames(sent[a:b])
    if arrived == len(sent):
        found += receiver.remaining()
        assert joined(found) == joined(step for step in steps if step is not None)
    else:
        whole = joined(step for step in steps if step is not None)
        assert b"".join(text for _, text in whole).startswith(b"".join(text for _, text in found))


@given(st.lists(TEXTS, min_size=1, max_size=8), st.data())
def test_a_child_that_is_ended_while_it_hands_over_loses_nothing(
    texts: list[tuple[int, bytes]], data: st.DataObject
) -> None:
    memory, (end, start) = shared_memory(), os.pipe()
    sender, receiver = Sender(start, memory), Receiver(memory)
    for kind, text in texts:
        sender.put(kind, text)
    parcel = struct.pack("<Q", sender.size) + memory[channel.FIRST : channel.FIRST + sender.size]
    first = data.draw(st.sampled_from([0, *range(8, len(parcel) + 1)]))  # a pipe takes the first bytes as one
    found = [*receiver.frames(parcel[:first]), *receiver.remaining()]
    assert joined(found) == joined(texts)
    os.close(end)
    os.close(start)


def test_a_long_text_goes_through_memory_that_is_shorter() -> None:
    memory, (end, start) = shared_memory(), os.pipe()
    pid = os.fork()
    if not pid:
        try:
            sender = Sender(start, memory)
            sender.put(OUT, b"x" * (3 * channel.SIZE))
            sender.put(END, b"0")
            sender.hand_over()
        finally:
            os._exit(0)
    os.close(start)
    receiver, sizes, last = Receiver(memory), 0, (-1, b"")
    while data := os.read(end, 2**16):
        for last in receiver.frames(data):
            sizes += len(last[1]) if last[0] == OUT else 0
    os.waitpid(pid, 0)
    os.close(end)
    assert (sizes, last) == (3 * channel.SIZE, (END, b"0"))


def test_many_short_frames_come_in_parcels_that_may_be() -> None:
    """A notebook of a thousand cells names each, and each prints a word."""
    memory, (end, start) = shared_memory(), os.pipe()
    sender, receiver = Sender(start, memory), Receiver(memory)
    frames = [(kind, b"%d" % number) for number in range(2 * channel.MOST_FRAMES) for kind in (SOURCE, OUT)]
    for frame in frames:
        sender.put(*frame)
    os.close(start)
    sent = os.read(end, 2**20)
    os.close(end)
    assert [*receiver.frames(sent), *receiver.remaining()] == frames


@given(st.lists(TEXTS | WORDS, min_size=1, max_size=12), st.data())
def test_an_interruption_between_two_frames_loses_and_repeats_none(
    steps: list[tuple[int, bytes]], data: st.DataObject
) -> None:
    memory, (end, start) = shared_memory(), os.pipe()
    sender, receiver = Sender(start, memory), Receiver(memory)
    for step in steps:
        sender.put(*step)
    if data.draw(st.booleans()):
        sender.hand_over()
    os.close(start)
    sent = os.read(end, 2**20)
    os.close(end)
    taken = list(islice(receiver.frames(sent), data.draw(st.integers(1, len(steps)))))
    assert joined([*taken, *receiver.frames(b""), *receiver.remaining()]) == joined(steps)
