"""Items in other processes: order, losses, limits, ends."""

from __future__ import annotations

import ctypes
import errno
import os
import pickle
import signal
import struct
import subprocess
import sys
import time
import warnings
from collections.abc import Iterator
from typing import Any

import pytest

from gradcli.errors import EvaluationError
from gradcli.stream.conversion import Answer, Piece
from gradcli.stream.records import Block
from gradcli.workers import asking, confinement, notes, pool, worker
from gradcli.workers.exchange import HALF
from gradcli.workers.limits import Limits
from gradcli.workers.notes import at, part
from gradcli.workers.pool import Again, Answered, Failed, Lost, map_items
from gradcli.workers.sandbox import lock
from tests.programs import some
from tests.workers.processes import are_gone, children, is_alive

LIMITS = Limits(20.0)
AMPLE = 2**36  # bytes of memory: what the tests before have taken counts, too


@pytest.fixture(autouse=True)
def often(monkeypatch: pytest.MonkeyPatch) -> None:
    """Look at the clocks more often than a command does, whose items have seconds."""
    monkeypatch.setattr(pool, "TICK", 0.02)


def endless() -> Any:
    return ("a" * 10**6).rfind("ab" + "a" * 400_000)


def deaf() -> Any:
    """An endless loop in which no signal is heard that can be refused."""
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGALRM, signal.SIGTERM, signal.SIGINT})
    while True:
        endless()


def crash() -> Any:
    """End this process, which may send no signal."""
    return ctypes.string_at(0)


ENDS = {
    "time": [endless, deaf],
    "memory": [lambda: bytearray(2**40), lambda: [bytes(2**22) for _ in range(1000)], lambda: "x" * 2**28],
    "crash": [crash, lambda: os._exit(3), os.abort],
    "bug": [lambda: {}["nothing"], lambda: 1 / 0, lambda: lambda: 0],
}


def work(item: Any) -> Any:
    at(f"at {item!r}")
    return item() if callable(item) else item


def test_answers_stand_in_the_order_of_the_items() -> None:
    for jobs in (1, 3):
        assert list(map_items(abs, range(-50, 0), jobs, LIMITS, unlost)) == list(range(50, 0, -1))


def unlost(item: Any, loss: Lost) -> list[Again | Answered]:
    pytest.fail(f"{item} is lost: {loss}")


@pytest.mark.slow
@pytest.mark.parametrize(("reason", "end"), [(reason, end) for reason, ends in ENDS.items() for end in some(ends, 2)])
def test_an_item_that_ends_its_process_costs_itself_alone(reason: str, end: Any) -> None:
    def perform(item: int) -> Any:
        at(f"item {item}")
        return end() if item == 3 else item

    def lost(item: int, loss: Lost) -> list[Again | Answered]:
        assert (item, loss.reason, loss.at) == (3, reason, "\x1fitem 3")
        return [Again(30), Answered("here"), Again(31)]

    for jobs in (1, 2):
        limits = Limits(0.1 if reason == "time" else 20.0, 2**29)
        found = list(map_items(perform, range(6), jobs, limits, lost))
        assert found == [0, 1, 2, 30, "here", 31, 4, 5]


@pytest.mark.slow
@pytest.mark.parametrize("end", [None, *(ends[0] for ends in ENDS.values())])
def test_quick_items_come_whole_whatever_ends_beside_them(end: Any) -> None:
    """Their texts lie in memory of the processes, where the next ones come; slow items let others' answers wait."""

    def perform(piece: Piece) -> Answer:
        at(f"item {piece.block.first}")
        if piece.block.first == 3 and end is not None:
            return end()
        if piece.block.first % 8 == 0:
            busy(0.02)
        return Answer(bytes(piece.block.data) * 3, piece.block.first)

    def lost(item: Piece, loss: Lost) -> list[Again | Answered]:
        assert (item.block.first, loss.at) == (3, "\x1fitem 3"), loss
        return [Answered(Answer(b"lost", 3))]

    items = [Piece(Block(number, bytes([number]) * (1 + number % 5 * 40_000))) for number in range(24)]
    expected = [(number, bytes([number]) * (3 + number % 5 * 120_000)) for number in range(24)]
    if end is not None:
        expected[3] = (3, b"lost")
    for jobs in (1, 3):
        limits = Limits(0.2 if end is endless else 20.0, AMPLE)
        found = map_items(perform, items, jobs, limits, lost, kind=Answer, is_quick=True)
        assert [(answer.count, bytes(answer.text)) for answer in found] == expected


def test_a_quick_item_that_fills_the_pipe_waits_for_its_turn() -> None:
    """An answer as long stands in the pipe the other way."""
    long = Piece(Block(1, b"a" * (HALF + 1)))
    found = map_items(
        lambda piece: Answer(bytes(piece.block.data), 1),
        [long] * 6,
        1,
        Limits(20.0, AMPLE),
        unlost,
        kind=Answer,
        is_quick=True,
    )
    assert [len(answer.text) for answer in found] == [HALF + 1] * 6


@pytest.mark.slow
def test_every_item_may_be_lost_and_lost_again() -> None:
    def perform(item: int) -> int:
        if item < 100:
            crash()
        return item

    def lost(item: int, loss: Lost) -> list[Again | Answered]:
        return [Again(item + 40), Again(item + 80)]

    expected = [n for item in (20, 40) for n in leaves(item)]
    for jobs in (1, 2):
        assert list(map_items(perform, [20, 40], jobs, LIMITS, lost)) == expected


@pytest.mark.slow
def test_a_process_that_ends_before_its_work_begins_costs_nothing() -> None:
    """As one that is killed while it waits for an item: that item is nobody's fault."""

    def items() -> Iterator[Any]:
        yield 1
        yield None
        for pid in own:
            os.kill(pid, signal.SIGKILL)
        assert are_gone(own)
        yield from (2, 3)

    others, own = set(children(os.getpid())), set[int]()

    def perform(item: int) -> int:
        at(f"item {item}")
        return item

    for jobs in (1, 3):
        found = []
        for answer in map_items(perform, items(), jobs, LIMITS, unlost):
            own = set(children(os.getpid())) - others
            found.append(answer)
        assert found == [1, 2, 3]


def leaves(item: int) -> Iterator[int]:
    if item >= 100:
        yield item
        return
    yield from leaves(item + 40)
    yield from leaves(item + 80)


@pytest.mark.slow
def test_a_part_of_an_item_has_the_whole_time_for_itself() -> None:
    def perform(item: int) -> str:
        for number in range(item):
            part(str(number))
            busy(0.1)
        return "done"

    assert list(map_items(perform, [5], 1, Limits(0.3), unlost, parts=lambda item: item)) == ["done"]


def busy(seconds: float) -> None:
    start = time.process_time()
    while time.process_time() - start < seconds:
        sum(range(1000))


@pytest.mark.slow
def test_a_process_that_sleeps_is_ended_by_the_clock_on_the_wall() -> None:
    losses: list[Lost] = []

    def lost(item: int, loss: Lost) -> list[Again | Answered]:
        losses.append(loss)
        return []

    start = time.monotonic()
    assert list(map_items(lambda item: time.sleep(60), [1], 1, Limits(0.05), lost)) == []
    assert [loss.reason for loss in losses] == ["time"]
    assert time.monotonic() - start < 30  # of the sixty seconds


def no_end_of_parts(item: int) -> None:
    while True:
        part("one more")


def not_a_count(item: int) -> None:
    """Write what is no moment, and no count, where the owner looks."""
    (note, _), *_ = notes._own
    assert note is not None
    while True:
        note.memory[note.start : note.start + 8] = struct.pack("<d", float("nan"))
        note.memory[note.start : note.start + 8] = b"\xff" * 8


@pytest.mark.slow
@pytest.mark.parametrize("attack", [no_end_of_parts, not_a_count])
def test_no_process_gives_itself_more_time(attack: Any) -> None:
    losses: list[Lost] = []

    def lost(item: int, loss: Lost) -> list[Answered]:
        losses.append(loss)
        return [Answered("lost")]

    assert list(map_items(attack, [1], 1, Limits(0.05), lost, parts=lambda item: 3)) == ["lost"]
    assert [loss.reason for loss in losses] == ["time"]


def test_an_error_of_gradcli_is_that_of_its_item() -> None:
    def perform(item: int) -> int:
        if item in (2, 3):
            raise EvaluationError("E210", f"at {item}")
        return item

    def lost(item: int, loss: Lost) -> list[Answered | Failed]:
        assert (loss.reason, loss.detail) == ("error", f"at {item}")
        assert loss.error is not None
        return [Answered("two") if item == 2 else Failed(loss.error)]

    found = map_items(perform, range(5), 1, LIMITS, lost)
    assert [next(found), next(found), next(found)] == [0, 1, "two"]
    with pytest.raises(EvaluationError, match="at 3"):
        next(found)


def test_before_a_pause_all_answers_come() -> None:
    told: list[Any] = []

    def items() -> Iterator[Any]:
        for number in range(3):
            yield number
            yield None
            assert told == list(range(number + 1))

    told.extend(map_items(abs, items(), 2, LIMITS, unlost))
    assert told == [0, 1, 2]


def test_warnings_are_heard_here() -> None:
    def perform(item: int) -> int:
        warnings.warn(f"number {item}", UserWarning, stacklevel=1)
        return item

    with pytest.warns(UserWarning, match="number") as heard:
        assert list(map_items(perform, range(3), 1, LIMITS, unlost)) == [0, 1, 2]
    assert [str(one.message) for one in heard] == ["number 0", "number 1", "number 2"]


def test_what_a_library_prints_goes_nowhere(capfd: pytest.CaptureFixture[str]) -> None:
    def perform(item: int) -> int:
        print("here")
        os.write(1, b"and here")
        os.write(2, b"and there")
        return item

    assert list(map_items(perform, [1], 1, LIMITS, unlost)) == [1]
    assert capfd.readouterr() == ("", "")


class Elsewhere:
    """Work that finds itself on a system without `fork` when it comes to another process."""

    def __call__(self, item: Any) -> Any:
        return work(item)

    def __setstate__(self, state: None) -> None:
        notes.HAS_FORK = lock.IS_LINUX = False

    def __getstate__(self) -> int:
        return 1


@pytest.mark.slow
def test_without_children_that_share_memory_a_timer_ends_an_item(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(notes, "HAS_FORK", False)
    losses: list[Lost] = []

    def lost(item: Any, loss: Lost) -> list[Again | Answered]:
        losses.append(loss)
        return [Answered("lost")]

    assert list(map_items(Elsewhere(), [1, endless, 2], 1, Limits(0.05), lost)) == [1, "lost", 2]
    assert [loss.reason for loss in losses] == ["time"]


def test_processes_end_with_a_parent_that_is_killed() -> None:
    code = (
        "import os, time\n"
        "from gradcli.workers.limits import Limits\n"
        "from gradcli.workers.pool import Pool\n"
        "pool = Pool(time.sleep, 2, Limits(500.0), None, is_quick=False)\n"
        "pool.put(600)\n"
        "pool.put(600)\n"
        "print(*(worker.process.pid for worker in pool.busy), flush=True)\n"
        "time.sleep(600)\n"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        children = list(map(int, parent.stdout.readline().split()))
        assert len(children) == 2
        assert all(map(is_alive, children))
        parent.kill()
        parent.wait()
        assert are_gone(children)


def test_an_answer_that_does_not_fit_its_item_is_none() -> None:
    def lost(item: int, loss: Lost) -> list[Answered]:
        assert (loss.reason, loss.detail) == ("crash", asking.NONE)
        return [Answered("lost")]

    found = map_items(
        lambda item: item if item != 2 else 7, range(4), 2, LIMITS, lost, fits=lambda item, one: item == one
    )
    assert list(found) == [0, 1, "lost", 3]


def answered_by(data: bytes) -> None:
    """Write past the answers of a process, wherever its way to the owner is."""
    for number in range(3, 256):
        try:
            os.write(number, data)
        except OSError:
            continue


def cut_off() -> None:
    for number in range(3, 256):
        try:
            os.close(number)
        except OSError:
            continue
    endless()


HOSTILE = {
    "a pickle": (lambda: answered_by(pickle.dumps(signal.SIGINT)), "crash"),
    "a part": (lambda: (answered_by(b"\x40\x00\x00\x00\x00\x00\x00\x00?"), endless()), "time"),
    "a size that cannot be": (lambda: answered_by(b"\xff" * 8), "crash"),
    "the end of its way": (cut_off, "memory"),  # it is ended as the system does where memory runs out
}


@pytest.mark.slow
@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_process_costs_its_own_item(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setattr(worker, "LAST", 0.1)
    attack, reason = HOSTILE[name]

    def perform(item: int) -> Any:
        at(f"item {item}")
        return attack() if item == 1 else item

    def lost(item: int, loss: Lost) -> list[Again | Answered]:
        assert (item, loss.reason) == (1, reason)
        return [Answered("lost")]

    assert list(map_items(perform, range(3), 1, Limits(0.3, AMPLE), lost)) == [0, "lost", 2]


@pytest.mark.parametrize("most", [0, 1])
def test_items_are_done_by_the_processes_that_can_be_started_or_else_here(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], most: int
) -> None:
    left, fork = [None] * most, os.fork

    def scarce() -> int:
        if not left:
            raise OSError(errno.EAGAIN, os.strerror(errno.EAGAIN))
        left.pop()
        return fork()

    monkeypatch.setattr(os, "fork", scarce)
    monkeypatch.setattr(confinement, "_walls", dict.fromkeys(("needed", "there", "lost", "required"), False))
    items = [1, 2, 3, 4] if most else [1, 2, 0, 3, 4]  # at 0 a process ends
    found = map_items(lambda item: 12 // item, items, 3, LIMITS, lambda item, loss: [Answered(loss.reason)])
    assert list(found) == [12 // item if item else "bug" for item in items]
    assert ("limits of time and memory do not hold" in capsys.readouterr().err) == (not most)
