"""Blocks through a function in several processes, in order, with no more in memory than each holds one of."""

from __future__ import annotations

import gc
import multiprocessing
import signal
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from multiprocessing.connection import Connection
from typing import Any

from gradcli.errors import EvaluationError

Work = Callable[[Any], Any]


def mapped(work: Work, blocks: Iterable[Any], jobs: int) -> Iterator[Any]:
    """Yield the answers to all blocks, in their order; before a pause, which is None, the answers to all before it.

    An exception of `work` in a process is raised here; EvaluationError where a process dies.
    """
    if jobs == 1:
        yield from (work(block) for block in blocks if block is not None)
        return
    team: list[_Worker] = []
    busy = deque[_Worker]()
    try:
        for _ in range(jobs):
            team.append(_Worker(work, team))
        idle = deque(team)
        for block in blocks:
            while busy and (block is None or not idle):
                yield busy[0].answer()
                idle.append(busy.popleft())
            if block is not None:
                idle[0].send(block)
                busy.append(idle.popleft())
        while busy:
            yield busy.popleft().answer()
    finally:
        for worker in team:
            worker.stop()


class _Worker:
    """A process that answers one block at a time."""

    def __init__(self, work: Work, others: Sequence[_Worker]) -> None:
        context: Any = multiprocessing.get_context("fork" if sys.platform == "linux" else "spawn")
        self.connection, theirs = context.Pipe()
        # A process that is forked has all ends that are open here; with them closed, each sees when this one is gone.
        inherited = [self.connection, *(other.connection for other in others)] if sys.platform == "linux" else []
        self.process = context.Process(target=_serve, args=(theirs, work, inherited), daemon=True)
        self.process.start()
        theirs.close()

    def send(self, block: Any) -> None:
        with suppress(OSError):  # that it died shows when it should answer
            self.connection.send(block)

    def answer(self) -> Any:
        try:
            answer, error = self.connection.recv()
        except (EOFError, OSError):
            raise EvaluationError(
                "E210", "a process died: there may be too little memory", help="use fewer --jobs"
            ) from None
        if error is not None:
            raise error
        return answer

    def stop(self) -> None:
        self.connection.close()
        self.process.terminate()
        self.process.join()


def _serve(connection: Connection, work: Work, inherited: Sequence[Connection]) -> None:
    """Answer until nobody asks; an interruption is for the process that asks."""
    for other in inherited:
        other.close()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    gc.freeze()
    while True:
        try:
            block = connection.recv()
        except (EOFError, OSError):
            return
        try:
            answer: tuple[Any, Exception | None] = work(block), None
        except Exception as error:
            answer = None, error
        try:
            connection.send(answer)
        except OSError:
            return
        except Exception as error:  # an answer that cannot be sent
            connection.send((None, RuntimeError(str(error))))
