"""The process from which those are forked that do the work of strangers: it knows what to do, and nothing else.

It begins before a command has read anything, and waits. For each way on which it is asked it forks a process that
stays, and that one others for each item: one that watches, and one that locks itself and answers in data. So none
meets what is asked for another item, and none has an answer of a student, or a key.
"""

from __future__ import annotations

import faulthandler
import gc
import os
import select
import signal
import socket
import warnings
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from typing import Any

from gradcli.workers import asking, notes
from gradcli.workers.asking import LIMITS, Work, got, put
from gradcli.workers.confinement import end_with, own_script
from gradcli.workers.data import UnfitError
from gradcli.workers.interruption import held, leave_to_owner
from gradcli.workers.limits import Limits
from gradcli.workers.messages import message_of, read_message
from gradcli.workers.pool import Answered, Lost, Pool
from gradcli.workers.sandbox.lock import prepared
from gradcli.workers.worker import Worker


@contextmanager
def waiting(work: Work) -> Iterator[None]:
    """Have a process wait meanwhile for questions of processes of a pool; nobody does where the system has no fork."""
    if not notes.HAS_FORK:
        yield
        return
    ours, theirs = socket.socketpair(type=socket.SOCK_SEQPACKET)
    parent = os.getpid()
    with held(), warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of threads: none holds what the process needs
        pid = os.fork()
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
    """Fork a process for each way that comes."""
    _leave(parent)
    while True:
        message, ways, *_ = socket.recv_fds(control, LIMITS.size, 1)
        if not ways:
            return
        own = os.getpid()
        if not os.fork():
            control.close()
            _leave(own)
            seconds, memory = LIMITS.unpack(message)
            _answer_all(ways[0], work, Limits(seconds, memory))
            return
        os.close(ways[0])
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


def _answer_all(way: int, work: Work, limits: Limits) -> None:
    """Have the questions of each item answered until nobody asks any more; read none, or the next process has it, too.

    When the first comes, what the work needs is made ready for all; the next process is there before it is asked.
    """
    own = os.getpid()
    select.select([way], [], [])
    from gradcli.workers.sandbox import leftovers  # noqa: F401  it takes longer than all that a lock does

    prepared()
    with own_script():
        work.prepare()
    gc.collect()
    gc.freeze()
    while True:
        pid = os.fork()
        if not pid:
            end_with(own)
            os._exit(not _answer(way, work, limits))
        if os.waitpid(pid, 0)[1]:
            return


def _answer(way: int, work: Work, limits: Limits) -> bool:
    """Have the questions of an item answered by a process that is there before they are read.

    Return whether there may be others.
    """
    losses: list[Lost] = []

    def lost(item: Any, loss: Lost) -> list[Answered]:
        losses.append(loss)
        return [Answered(None)]

    with closing(Pool(work.function, 1, limits, lost, work.answer, is_quick=False)) as pool:
        pool.idle.append(Worker(work.function, limits, [], work.answer))
        while message := got(way):
            found: tuple[str, Any]
            losses.clear()
            try:
                pool.put(read_message(message, work.question))
                (answer,) = pool.finished()
                found = ended(losses[0]) if losses else ("answer", answer)
                message = message_of(found, work.message)
            except UnfitError as error:
                message = message_of(("bug", str(error)), work.message)
            put(way, message)
    return message is not None


def ended(loss: Lost) -> tuple[str, Any]:
    """Return the error of a question, or the reason for which there is no answer."""
    return ("error", loss.error) if loss.error is not None else (loss.reason, loss.detail)
