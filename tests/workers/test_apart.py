"""A fresh process answers, raises what is raised there, and may have children where its owner may not."""

from __future__ import annotations

import os
import signal
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from typing import Any

import pytest

from gradcli.errors import EvaluationError, InternalError
from gradcli.workers import notes
from gradcli.workers.apart import Apart
from gradcli.workers.limits import Limits
from gradcli.workers.pool import map_items
from tests.workers.test_zygote import KEPT, answers


@dataclass(frozen=True)
class Squares:
    """The work of a process apart: squares, computed in processes of its own."""

    def __call__(self, items: list[int]) -> Any:
        print("nobody's answer")
        if not items:
            raise EvaluationError("E207", "no items", help="give some")
        if items == [0]:
            os.kill(os.getpid(), signal.SIGKILL)
        return list(map_items(square, items, 1, Limits(5), lambda item, lost: []))


def square(item: int) -> int:
    return item**2


def asked(*items: list[int]) -> list[Any]:
    with Apart(Squares()) as apart:
        return list(map(apart, items))


def tell(pipe: Any) -> None:
    with ThreadPoolExecutor(1) as thread:
        pipe.send(thread.submit(asked, [2, 3], [4]).result())


@pytest.mark.slow
def test_a_thread_of_a_daemonic_process_asks() -> None:
    here, there = get_context("spawn").Pipe()
    process = get_context("spawn").Process(target=tell, args=(there,), daemon=True)
    process.start()
    there.close()  # or nobody would see that the process has ended
    assert here.recv() == [[4, 9], [16]]
    process.join()


@pytest.mark.slow
def test_errors_come_back() -> None:
    with Apart(Squares()) as apart:
        with pytest.raises(EvaluationError, match="no items") as caught:
            apart([])
        assert caught.value.help == "give some"
        with pytest.raises(InternalError, match="TypeError"):
            apart(3)
        assert apart([5]) == [25]
        with pytest.raises(InternalError, match="ended with exit code -9"):
            apart([0])
        with pytest.raises(InternalError, match="ended with exit code -9"):
            apart([1])


def test_a_process_apart_takes_no_module_of_the_folder_it_stands_in(tmp_path: Any, monkeypatch: Any) -> None:
    for module in ("copy", "numpy", "pickle", "random"):
        (tmp_path / f"{module}.py").write_text("raise SystemExit('executed')")
    monkeypatch.chdir(tmp_path)
    assert asked([1, 2]) == [[1, 4]]


def told(names: list[str]) -> list[Any]:
    """What processes say that are asked from there, when something has been read."""
    KEPT.append("an answer of somebody")
    return answers(*names)


@pytest.mark.skipif(not notes.HAS_FORK, reason="the system has no fork")
def test_processes_that_are_asked_from_there_have_nothing_that_was_sent() -> None:
    for asks, found in (("", [["an answer of somebody"]]), (answers.__module__, [[]])):
        with Apart(told, asks=asks) as apart:
            assert apart(["what was read"]) == found
