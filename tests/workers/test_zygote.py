"""Work of strangers in fresh processes, which have nothing but what they are asked."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any

import pytest

from gradcli.errors import EvaluationError
from gradcli.workers import asking, notes, zygote
from gradcli.workers.asking import Work, ask_process
from gradcli.workers.limits import Limits
from gradcli.workers.pool import Answered, Failed, Lost, map_items
from gradcli.workers.zygote import zygote_waiting

pytestmark = pytest.mark.skipif(not notes.HAS_FORK, reason="the system has no fork")
AMPLE = 2**36  # bytes of memory: what the tests before have taken counts, too
KEPT: list[str] = []  # what a command has read


def endless() -> Any:
    return ("a" * 10**6).rfind("ab" + "a" * 400_000)


def refuse() -> Any:
    raise EvaluationError("E402", "the script stops")


def speak_past() -> Any:
    for number in range(3, 256):
        try:
            os.write(number, b"\x40\x00\x00\x00\x00\x00\x00\x00" + b"x" * 64)
        except OSError:
            continue
    os._exit(0)


def cut_off() -> None:
    """Close the way over which it is asked, and go on."""
    for number in range(3, 256):
        try:
            os.close(number)
        except OSError:
            continue
    while True:
        endless()


ATTACKS: dict[str, Callable[[], Any]] = {
    "nothing": lambda: "done",
    "its process": os.getpid,
    "what was read": lambda: list(KEPT),
    "leave something": lambda: KEPT.append("left"),
    "no end": endless,
    "a crash": lambda: ctypes.string_at(0),
    "no memory": lambda: bytearray(2**40),
    "an error": refuse,
    "a bug": lambda: 1 // 0,
    "another answer": lambda: 1.5,
    "no data": lambda: object(),
    "no message": speak_past,
    "the end of its way": cut_off,
    "a file": lambda: os.listdir("/"),  # noqa: PTH208
    "a process": os.fork,
    "ways": lambda: len(asking._ways) + len(asking.control),
}


def perform(name: str) -> Any:
    return ATTACKS[name.rstrip(" 0123456789")]()


WORK = Work(perform, str, int | str | list[str] | None)


@pytest.fixture(autouse=True)
def kept() -> Iterator[None]:
    with zygote_waiting(WORK):
        KEPT.append("an answer of somebody")
        yield
    KEPT.clear()


def answers(*names: str, seconds: float = 20.0, kind: Any = Any) -> list[Any]:
    """What a process of a pool is told, or how its items end."""

    def lost(item: str, loss: Lost) -> list[Answered]:
        return [Answered((loss.reason, "" if loss.error is None else loss.error.message))]

    return list(map_items(partial(ask, kind=kind), names, 1, Limits(seconds, AMPLE), lost))


def ask(name: str, kind: Any = Any) -> Any:
    return ask_process(perform, name, kind)


def test_each_question_has_a_process_of_its_own() -> None:
    one, other = answers("its process", "its process")
    assert len({one, other, os.getpid()}) == 3


def test_questions_on_one_text_share_a_process_up_to_a_number(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(zygote, "MOST_QUESTIONS", 2)
    KEPT.clear()
    with zygote_waiting(replace(WORK, text=str)):
        first, again, anew = answers("its process", "its process", "its process")
        assert first == again != anew
        assert answers("leave something", "what was read", "a crash", "what was read")[1::2] == [[], []]


@pytest.mark.slow
def test_many_texts_have_few_processes_at_once() -> None:
    with zygote_waiting(replace(WORK, text=lambda name: name)):
        names = ["its process", *(f"its process {number}" for number in range(2 * zygote.MOST_AT_ONCE)), "its process"]
        found = answers(*names)
    assert len(set(found)) == len(names)


def test_it_has_nothing_that_was_read_or_that_another_left() -> None:
    assert answers("what was read", "leave something", "what was read", "ways") == [[], None, [], 0]


ENDS = {
    "a crash": ("crash", ""),
    "no memory": ("memory", ""),
    "an error": ("error", "the script stops"),
    "a bug": ("bug", ""),
    "another answer": ("crash", ""),
    "no data": ("bug", ""),
    "no message": ("crash", ""),
    "a file": ("bug", ""),
    "a process": ("bug", ""),
}


@pytest.mark.slow
def test_what_ends_it_costs_the_item_alone() -> None:
    names = [name for end in ENDS for name in (end, "nothing")]
    assert answers("nothing", *names) == ["done", *(end for pair in ENDS.values() for end in (pair, "done"))]
    assert answers("no end", "nothing", seconds=1.0) == [("time", ""), "done"]


@pytest.mark.slow
def test_one_that_closes_its_way_is_ended() -> None:
    with zygote_waiting(replace(WORK, text=lambda name: "the same")):
        attacker, lost, other = answers("its process", "the end of its way", "its process")
    assert (lost, attacker != other) == (("crash", ""), True)
    with pytest.raises(ProcessLookupError):
        os.kill(attacker, 0)


def test_an_answer_to_another_question_is_none() -> None:
    assert answers("nothing", "its process", "nothing", kind=str) == ["done", ("crash", ""), "done"]


def test_without_one_that_waits_the_work_is_done_here() -> None:
    asking.control.clear()
    assert answers("its process") != [os.getpid()]
    assert ask_process(perform, "its process", Any) == os.getpid()


def test_several_processes_ask_at_once() -> None:
    def failed(item: str, loss: Lost) -> list[Failed]:
        pytest.fail(f"{item} is lost: {loss}")

    found = list(map_items(ask, ["its process"] * 12, 3, Limits(20.0, AMPLE), failed))
    assert len(set(found)) == 12
