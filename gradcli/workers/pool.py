"""Many items in processes that serve one item after another; an item that ends its process costs no other item."""

from __future__ import annotations

import errno
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import closing
from dataclasses import field
from typing import Any

from gradcli.errors import GradcliError
from gradcli.facts import dataclass
from gradcli.workers.asking import NONE
from gradcli.workers.confinement import go_without
from gradcli.workers.limits import Limits
from gradcli.workers.worker import Worker, answer_to

NO_PROCESS = (errno.EAGAIN, errno.ENOMEM, errno.ENOSYS)  # errors of a system that starts no process
TICK = 0.2  # seconds between two looks at the clocks
AHEAD = 32  # answers that may wait for an earlier one, for each process
KILLED = ("memory", "crash")  # reasons that another process may have caused: a system short of memory kills any


@dataclass(frozen=True)
class Lost:
    """The end of an item without an answer.

    `reason` is `time`, `memory`, `crash`, `error` for an error of gradcli, or `bug` for an exception that nobody
    expects; `at` is the text that the work noted last, `detail` the signal or the exception.
    """

    reason: str
    at: str
    detail: str
    error: GradcliError | None = None


@dataclass(frozen=True)
class Again:
    """An item in place of a lost one."""

    item: Any


@dataclass(frozen=True)
class Answered:
    """An answer in place of a lost one."""

    answer: Any


@dataclass(frozen=True)
class Failed:
    """An error to raise in place of an answer."""

    error: Exception


Losing = Callable[[Any, Lost], Iterable[Again | Answered | Failed]]


def map_items(
    work: Any,
    items: Iterable[Any],
    jobs: int,
    limits: Limits,
    lost: Losing,
    *,
    kind: Any = Any,
    parts: Callable[[Any], int] = lambda item: 0,
    fits: Callable[[Any, Any], bool] = lambda item, answer: True,
    is_quick: bool = False,
) -> Generator[Any]:
    """Yield the answers of `work` to all items, in their order; before a pause, which is None, all before it.

    An item may be `Answered` already. Each has the CPU seconds and the memory of the limits, and so has each of its
    `parts`, of which it has no more than so many. For an item that exceeds them, crashes, or raises an error, `lost`
    gives the answer. Answers are of the `kind` that a type says: plain values, and the classes of facts that it names;
    one that does not fit its item, as `fits` says, is none. If items are quick, a process has the next one in hand
    while it works.
    """
    with closing(Pool(work, jobs, limits, lost, kind, parts, fits, is_quick)) as pool:
        for item in items:
            if item is None:
                yield from pool.finished()
                continue
            if isinstance(item, Answered):
                pool.order.append(Slot(answer=item))
            else:
                pool.put(item)
            yield from pool.ready()
        yield from pool.finished()


@dataclass(eq=False)
class Slot:
    """The place of an item in the order: an item that waits, then its answer."""

    item: Any = None
    answer: Answered | Failed | None = None
    tried: set[str] = field(default_factory=set)  # what the work was at when something killed it


@dataclass(eq=False)
class Pool:
    """Processes, the items that wait for one, and the answers that wait for their turn.

    A process has one item in hand, or two where items are quick: the one that it works at, and the next.
    """

    work: Any
    jobs: int
    limits: Limits
    lost: Losing
    kind: Any = Any
    parts: Callable[[Any], int] = lambda item: 0
    fits: Callable[[Any, Any], bool] = lambda item, answer: True
    is_quick: bool = False
    order: deque[Slot] = field(default_factory=deque)
    waiting: deque[Slot] = field(default_factory=deque)
    busy: dict[Worker, deque[Slot]] = field(default_factory=dict)  # the items that each process has in hand
    idle: list[Worker] = field(default_factory=list)

    def put(self, item: Any) -> None:
        """Give an item to a process, now or when one is free; wait where many items or answers wait.

        An item for each process is there before it is free, so that none stands still while answers are written.
        """
        slot = Slot(item)
        self.order.append(slot)
        self.waiting.append(slot)
        self.hand_out()
        while len(self.waiting) > self.jobs or (len(self.order) > AHEAD * self.jobs and self.order[0].answer is None):
            self.take()

    def ready(self) -> Iterator[Any]:
        """Yield the answers whose turn it is."""
        while self.order and (first := self.order[0].answer) is not None:
            slot = self.order.popleft()
            if isinstance(first, Failed):
                raise first.error
            yield first.answer
            slot.answer = None

    def finished(self) -> Iterator[Any]:
        """Yield all answers that are to come."""
        while self.order:
            yield from self.ready()
            if self.order:
                self.take()

    def hand_out(self) -> None:
        """Give items that wait to processes that do not work, then to those that have a hand free."""
        while self.waiting and (self.idle or len(self.busy) < self.jobs):
            worker = self.idle.pop() if self.idle else self.started()
            if worker is not None:
                self.busy[worker] = deque()
                self.give(worker)
        while self.waiting and not self.jobs:
            self.do(self.waiting.popleft())
        for worker, held in self.busy.items():
            if self.is_quick and self.waiting and len(held) == 1:
                self.give(worker)

    def started(self) -> Worker | None:
        """Return a new process; None where the system starts none, and the present ones must do."""
        try:
            return Worker(self.work, self.limits, [*self.busy, *self.idle], self.kind)
        except (OSError, ImportError) as error:
            if getattr(error, "errno", errno.ENOSYS) not in NO_PROCESS:
                raise
            self.jobs = len(self.busy)
            if not self.jobs:
                go_without(error)
            return None

    def do(self, slot: Slot) -> None:
        """Do the work at an item in this process."""
        kind, answer = answer_to(self.work, slot.item, self.limits)
        if kind == "answer":
            slot.answer, slot.item = Answered(answer), None
        else:
            is_error = isinstance(answer, GradcliError)
            self.replace(slot, Lost(kind, "", str(answer), answer if is_error else None))

    def give(self, worker: Worker) -> None:
        """Give the first item that waits to a process; it waits on where it cannot go ahead."""
        held = self.busy[worker]
        if worker.send(self.waiting[0].item, is_ahead=bool(held)):
            held.append(self.waiting.popleft())
            if len(held) == 1:
                worker.begin(self.parts(held[0].item))

    def take(self) -> None:
        """Wait for a process to answer, to end or to be late."""
        from multiprocessing.connection import wait

        ready = wait([worker.connection for worker in self.busy], TICK)
        for worker in list(self.busy):
            if (worker.connection not in ready or not self.receive(worker)) and worker.is_late():
                self.lose(worker, Lost("time", worker.end(), ""))
        self.hand_out()

    def receive(self, worker: Worker) -> bool:
        """Take the answer of a process, or the reason of its end; return False where only a part has arrived."""
        reply = worker.answer()
        if reply is None:
            return False
        kind, answer = reply
        if kind == "answer" and not self.fits(self.busy[worker][0].item, answer):
            self.lose(worker, Lost("crash", worker.end(), NONE))
        elif kind == "answer":
            slot = self.busy[worker].popleft()
            slot.answer, slot.item = Answered(answer), None
            if self.busy[worker]:
                worker.begin(self.parts(self.busy[worker][0].item))
            else:
                del self.busy[worker]
                self.idle.append(worker)
        elif kind == "error":
            self.lose(worker, Lost(kind, worker.end(), answer.message, answer))
        else:
            self.lose(worker, Lost(kind, worker.end(), str(answer)))
        return True

    def dropped(self, worker: Worker) -> Slot:
        """Return the slot at which a process ended; the other items that it had in hand wait again."""
        first, *others = self.busy.pop(worker)
        self.waiting.extendleft(others)
        return first

    def lose(self, worker: Worker, loss: Lost) -> None:
        """Replace the lost item of an ended process, at its place in the order."""
        self.replace(self.dropped(worker), loss)

    def replace(self, slot: Slot, loss: Lost) -> None:
        """Replace a lost item at its place in the order: by itself, if it was killed at this point once."""
        if loss.reason in KILLED and loss.at not in slot.tried:
            slot.tried.add(loss.at)
            self.waiting.appendleft(slot)
            return
        place, again = self.order.index(slot), []
        del self.order[place]
        for number, substitute in enumerate(self.lost(slot.item, loss)):
            new = Slot(substitute.item) if isinstance(substitute, Again) else Slot(answer=substitute)
            if new.answer is None:
                again.append(new)
            self.order.insert(place + number, new)
        self.waiting.extendleft(reversed(again))

    def close(self) -> None:
        for worker in [*self.busy, *self.idle]:
            worker.end()
