"""Guards around a snippet: a timer, more stack, an end to memory.

The timer looks at the limits between two instructions of Python. Within one instruction the system refuses memory
(`confined`), and whoever watches the process ends it when its time is over.
"""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from gradcli.script.limits import Budget
from gradcli.workers.confinement import reserved

INTERVAL = 0.02  # seconds between two looks at the clock and the memory
STACK = 96 * 2**20  # bytes of stack for the deepest calls within calls, where the system gives them
FRAME = 1200  # bytes of it that one call in Python takes at most
FRAMES = 40_000  # of Python's, for the calls of a snippet
RESERVED = 224 * 2**20  # bytes that may be reserved and never touched, beyond what a snippet may hold


@contextmanager
def watched(budget: Budget) -> Iterator[None]:
    """Watch time and memory inside the block, where the system has timers and this is the main thread."""
    if not hasattr(signal, "setitimer") or not _is_main():
        yield
        return

    def look(*_: Any) -> None:
        budget.watch()

    before = signal.signal(signal.SIGALRM, look)
    signal.setitimer(signal.ITIMER_REAL, INTERVAL, INTERVAL)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


@contextmanager
def deep() -> Iterator[None]:
    """Give more stack where the system has it, and as many frames as the stack holds, for calls within calls.

    Some calls come back to the snippet through C, as a key of `sorted` does; that takes stack, and Python
    counts only frames.
    """
    frames, hook = sys.getrecursionlimit(), sys.unraisablehook
    sys.unraisablehook = lambda _: None  # what a generator raises while it is freed, the next look raises again
    restore = _stack()
    try:
        yield
    finally:
        sys.setrecursionlimit(frames)
        sys.unraisablehook = hook
        restore()


def _stack() -> Any:
    """Set the stack and the number of frames; return a function that sets the stack back."""
    if not _is_main() or sys.platform == "win32":
        return lambda: None
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_STACK)
    unlimited = resource.RLIM_INFINITY
    wanted = STACK if hard == unlimited else min(STACK, hard)
    given = soft if soft != unlimited else STACK
    if sys.platform == "linux" and given < wanted:  # elsewhere the stack of the main thread does not grow
        resource.setrlimit(resource.RLIMIT_STACK, (wanted, hard))
        given = wanted
    sys.setrecursionlimit(max(sys.getrecursionlimit(), min(FRAMES, given // FRAME)))
    return lambda: resource.setrlimit(resource.RLIMIT_STACK, (soft, hard))


@contextmanager
def confined(budget: Budget) -> Iterator[None]:
    """End memory with a MemoryError, where the system counts the reserved memory of a process.

    Sizes that are known are measured first; this is for everything else.
    """
    if sys.platform != "linux":
        yield
        return
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_DATA)
    most = reserved() + budget.limits.memory + RESERVED
    if any(limit != resource.RLIM_INFINITY and limit < most for limit in (soft, hard)):
        yield
        return
    resource.setrlimit(resource.RLIMIT_DATA, (most, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_DATA, (soft, hard))


def _is_main() -> bool:
    return threading.current_thread() is threading.main_thread()
