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
from gradcli.workers.confinement import data_size, stack

INTERVAL = 0.02  # seconds between two looks at the clock and the memory
FRAME = 1200  # bytes of the stack that one call in Python takes at most
FRAMES = 40_000  # frames of Python, for the calls of a snippet
RESERVED = 224 * 2**20  # bytes that may be reserved and never touched, beyond what a snippet may hold


@contextmanager
def limits_watched(budget: Budget) -> Iterator[None]:
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
    sys.unraisablehook = lambda _: None  # for a limit raised while a generator is freed: the next look raises it again
    if _is_main() and sys.platform != "win32":
        sys.setrecursionlimit(max(frames, min(FRAMES, stack() // FRAME)))
    try:
        yield
    finally:
        sys.setrecursionlimit(frames)
        sys.unraisablehook = hook


@contextmanager
def memory_confined(budget: Budget) -> Iterator[None]:
    """End memory with a MemoryError, where the system counts the reserved memory of a process.

    Sizes that are known are measured first; this is for everything else.
    """
    if sys.platform != "linux":
        yield
        return
    import resource

    try:
        soft, hard = resource.getrlimit(resource.RLIMIT_DATA)
    except OSError:  # a locked process is limited as a whole
        yield
        return
    most = data_size() + budget.limits.memory + RESERVED
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
