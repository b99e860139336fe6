"""Signals that end a command: they interrupt it, so that it closes what it has open, and wait where it could break."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any, NoReturn

ENDS = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]
INTERRUPTED = 130  # the exit code, which a shell also gives a process that ended by SIGINT

_heard: list[int] = []


def listen() -> None:
    """Let every signal that ends a process interrupt this one, as Ctrl-C does, unless its starter had it ignored."""
    for number in ENDS:
        if signal.getsignal(number) in (signal.SIG_DFL, signal.default_int_handler):
            signal.signal(number, _interrupt)


def _interrupt(number: int, frame: Any) -> NoReturn:
    _heard.append(number)
    raise KeyboardInterrupt


def was_heard() -> bool:
    """Return whether a signal that ends this process has come; later errors may be its effects."""
    return bool(_heard)


def finish() -> None:
    """Let no signal disturb the end of a process whose work is done. KeyboardInterrupt where Python dropped one."""
    for number in ENDS:
        signal.signal(number, signal.SIG_IGN)
    if _heard:
        raise KeyboardInterrupt


def end_interrupted() -> NoReturn:
    """End this process by the signal that it heard, or a shell would go on with its loop after Ctrl-C.

    Another signal meanwhile does not wait for a reader that takes no output.
    """
    for number in ENDS:
        signal.signal(number, signal.SIG_DFL)
    with suppress(OSError, ValueError):
        sys.stdout.flush()
    if sys.platform != "win32":  # where a process ends by no signal
        os.kill(os.getpid(), _heard[0] if _heard else signal.SIGINT)
    os._exit(INTERRUPTED)


def leave_to_owner() -> None:
    """Ignore interruptions in this process, which are for its owner, and let other signals end it."""
    for number in ENDS:
        signal.signal(number, signal.SIG_IGN if number == signal.SIGINT else signal.SIG_DFL)
    if hasattr(signal, "pthread_sigmask"):  # they may be held since before this process began
        signal.pthread_sigmask(signal.SIG_SETMASK, [])


@contextmanager
def signals_held() -> Iterator[None]:
    """Hold back signals that end this process; also in processes that are forked within the block."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, ENDS)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
