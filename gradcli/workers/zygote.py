"""The process from which those are forked that do the work of strangers: it knows what to do, and nothing else.

It begins before a command has read anything, and waits. For each way on which it is asked it forks a process that
stays, and that one another for each item or text, which locks itself and answers in data. What the one that stays
passes on it holds in memory of its own that is gone before it forks again. So none meets another text, or a key.
"""

from __future__ import annotations

import faulthandler
import gc
import os
import select
import signal
import socket
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from mmap import mmap

from gradcli.errors import EvaluationError
from gradcli.workers import asking, data, notes, worker
from gradcli.workers.asking import LIMITS, NONE, Work, put, receive
from gradcli.workers.confinement import end_with, own_script
from gradcli.workers.exchange import is_ready
from gradcli.workers.interruption import leave_to_owner, signals_held
from gradcli.workers.limits import Limits
from gradcli.workers.messages import COUNT, MOST, message_of, read_message
from gradcli.workers.sandbox.lock import prepare
from gradcli.workers.worker import LAST, Clock, end_of, error_text

MOST_AT_ONCE = 4  # processes for each way
MOST_QUESTIONS = 2**8  # of a process, whose memory they fill
TICK = 0.2  # seconds between two looks at the clock


@contextmanager
def zygote_waiting(work: Work) -> Iterator[None]:
    """Have a process wait meanwhile for questions of processes of a pool; nobody does where the system has no fork."""
    if not notes.HAS_FORK:
        yield
        return
    ours, theirs = socket.socketpair(type=socket.SOCK_SEQPACKET)
    parent = os.getpid()
    with signals_held(), warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of threads: none holds what the process needs
        try:
            pid = os.fork()
        except OSError as error:
            ours.close()
            theirs.close()
            message = f"no process can be started for strangers' scripts: {error.strerror}"
            raise EvaluationError("E210", message, help="end other processes, or ulimit -u 500 allows more") from None
        if not pid:
            try:
                ours.close()
                _live(theirs, work, parent)
            finally:  # whatever happens, this process never goes on as if it were the command
                os._exit(0)
    theirs.close()
    asking.control[:] = [(ours, work)]
    try:
        yield
    finally:
        asking.control.clear()
        ours.close()
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)


def _live(control: socket.socket, work: Work, parent: int) -> None:
    """Fork a process for each way that comes, when something is asked there; what the work needs is made ready first.

    It reads no question, or all would have it.
    """
    _leave(parent)
    ways: dict[int, Limits] = {}
    is_ready = False
    while True:
        for way in select.select([control.fileno(), *ways], [], [])[0]:
            if way == control.fileno():
                message, new, *_ = socket.recv_fds(control, LIMITS.size, 1)
                if not new:
                    return
                ways[new[0]] = Limits(*LIMITS.unpack(message))
                continue
            if not is_ready:
                _make_ready(work)
                is_ready = True
            limits, own_pid = ways.pop(way), os.getpid()
            if not os.fork():
                control.close()
                for other in ways:
                    os.close(other)
                _leave(own_pid)
                _answer_all(way, work, limits)
                return
            os.close(way)
        with suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass


def _leave(parent: int) -> None:
    """Leave streams and signals of the command to it, and end when the parent does."""
    end_with(parent)
    faulthandler.disable()
    leave_to_owner()
    with suppress(OSError):
        nowhere = os.open(os.devnull, os.O_RDWR)
        for standard in (0, 1, 2):
            os.dup2(nowhere, standard)


def _make_ready(work: Work) -> None:
    from gradcli.workers.sandbox import leftovers  # noqa: F401  it takes longer than all that a lock does

    prepare()
    for kind in (work.question, work.message):
        data.Writer(kind), data.Reader(kind)  # what they find out about types is kept
    with own_script():
        work.prepare()
    gc.collect()
    gc.freeze()


def _answer_all(way: int, work: Work, limits: Limits) -> None:
    """Have the questions for each number answered by a process of its own, until nobody asks any more."""
    strangers: dict[int, Stranger] = {}
    spare: Stranger | None = Stranger(work, limits)  # which is there before it is asked
    with suppress(EOFError):
        while True:
            number, size = read_count(way), read_count(way)
            stranger = strangers.pop(number, None)
            if stranger is None:
                if len(strangers) == MOST_AT_ONCE:
                    strangers.pop(next(iter(strangers))).close()  # which was asked longest ago
                stranger, spare = spare or Stranger(work, limits), None
            with closing(mmap(-1, size)) as question:
                read_into(question, way)
                if stranger.answer(question, way):
                    strangers[number] = stranger
            spare = spare or Stranger(work, limits)


class Stranger:
    """A process that has locked itself, and answers the questions of an item; what it says is passed on unread."""

    def __init__(self, work: Work, limits: Limits) -> None:
        self.work = work
        self.socket, theirs = socket.socketpair()
        own_pid = os.getpid()
        self.pid = os.fork()
        if not self.pid:
            try:
                serve(theirs.fileno(), work, limits, own_pid)
            finally:  # whatever happens, this process never goes on as if it were the other
                os._exit(0)
        theirs.close()
        self.socket.setblocking(False)
        self.clock = Clock(limits, self.pid)
        self.status: int | None = None
        self.left = MOST_QUESTIONS

    def answer(self, question: mmap, way: int) -> bool:
        """Put a question, and pass on the answer or the reason for which there is none; return whether it may go on."""
        self.clock.begin()
        self.left -= 1
        number = self.socket.fileno()
        lost: tuple[str, str] | None = ("crash", NONE)
        try:
            write_whole(number, question, self.wait)
            size = read_count(number, self.wait)
            with closing(mmap(-1, size)) as answer:  # ValueError for none
                read_into(answer, number, self.wait)
                write_whole(way, answer)
            lost = None
        except TimeoutError:
            lost = "time", ""
        except (EOFError, OSError):  # it has closed its end
            status = self.status_soon()
            lost = ("crash", NONE) if status is None else end_of(os.waitstatus_to_exitcode(status))
        except ValueError:  # of a size that no message has
            pass
        if lost is not None:
            put(way, message_of(lost, self.work.message))
        if lost is not None or not self.left:
            self.close()
            return False
        return True

    def wait(self, event: int) -> None:
        """Wait until the process reads or writes. Raises TimeoutError where it has used its time."""
        is_there = False
        while not is_there:
            is_there = is_ready(self.socket.fileno(), event, TICK)
            if self.clock.is_late():
                raise TimeoutError

    def status_soon(self) -> int | None:
        """Return the status of the process, which has closed its end; None where it goes on."""
        end = time.monotonic() + LAST
        while not (ended := os.waitpid(self.pid, os.WNOHANG))[0]:
            if time.monotonic() > end:
                return None
            time.sleep(0.001)
        self.status = ended[1]
        return self.status

    def close(self) -> None:
        if self.status is None:
            os.kill(self.pid, signal.SIGKILL)
            self.status = os.waitpid(self.pid, 0)[1]
        self.socket.close()


Wait = Callable[[int], None]  # until something can be read or written


def read_count(way: int, wait: Wait | None = None) -> int:
    """Return a number, such as the size of a message. Raises EOFError where none comes, ValueError for a large one."""
    head = bytearray(COUNT.size)
    read_into(head, way, wait)
    (count,) = COUNT.unpack(head)
    if count > MOST:
        raise ValueError("a message without an end")
    return int(count)


def read_into(memory: mmap | bytearray, way: int, wait: Wait | None = None) -> None:
    """Fill memory with what comes; it is nowhere else. Raises EOFError where it ends before."""
    with memoryview(memory) as view:
        done = 0
        while done < len(view):
            if wait is not None:
                wait(select.POLLIN)
            with view[done:] as rest:
                count = os.readv(way, [rest])
            if not count:
                raise EOFError
            done += count


def write_whole(way: int, message: mmap, wait: Wait | None = None) -> None:
    """Write a message behind its size."""
    for part in (COUNT.pack(len(message)), message):
        with memoryview(part) as view:
            done = 0
            while done < len(view):
                if wait is not None:
                    wait(select.POLLOUT)
                with view[done:] as rest:
                    done += os.write(way, rest)


def serve(way: int, work: Work, limits: Limits, parent: int) -> None:
    """Lock this process, and answer what comes over a way until nobody asks any more; all is data."""
    worker.confine(limits, None, parent, [way])
    while (message := receive(way)) is not None:
        try:
            answer = worker.answer_to(work.function, read_message(message, work.question), limits)
            reply = message_of(answer, work.message)
        except MemoryError:  # a copy of the answer is more than is left
            reply = message_of(("memory", ""), work.message)
        except Exception as error:  # an answer that cannot be sent
            reply = message_of(("bug", error_text(error)), work.message)
        put(way, reply)
