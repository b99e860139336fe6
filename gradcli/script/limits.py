"""Limits on what a snippet may use: steps, wall time, memory, sizes, output. Each ends it with a clear error.

Steps are counted where blocks run. Time and memory are watched by a timer signal, between two instructions of Python,
so that nothing that loops can escape it; sizes are checked before memory is taken. A limit that was passed stays
passed: whatever the snippet does with the error, the next thing that it does raises it again.
"""

from __future__ import annotations

import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gradcli.script.errors import LimitError

INTERVAL = 0.02  # seconds between two looks at the clock and the memory
RECENT = 0.004  # seconds for which a look at the memory holds
GROWTH = 512 * 2**20  # bytes that a snippet may add to the process
SIZABLE = 2**24  # bytes that are worth a look at the memory before they are taken
OUTPUT = 10_000_000  # characters printed
TEXT = 1_000_000  # characters of a snippet
BITS = 2**20  # of a whole number
DEPTH = 1000  # calls within calls, as Python has it
CHECK_EVERY = 20_000  # steps between two looks where there is no timer
STACK = 96 * 2**20  # bytes of stack for the deepest calls within calls, where the system gives them
FRAME = 1200  # bytes of it that one call in Python takes at most
FRAMES = 40_000  # of Python's, for the calls of a snippet
SMALLER = "try it at a smaller size: the rules stay the same"


@dataclass(frozen=True)
class Limits:
    """What the options set: `steps` statements, `elements` of one tensor, list or text, `seconds` of wall time."""

    steps: int = 20_000_000
    elements: int = 2**24
    seconds: float = 60.0


class Budget:
    """What is left of the limits. `left` is the number of steps until the next look at them."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.left = min(limits.steps, CHECK_EVERY)
        self.taken = self.left
        self.written = 0
        self.started = time.monotonic()
        self.memory = resident()
        self.held, self.measured = 0, self.started  # bytes taken since then, and when that was last asked
        self.passed: LimitError | None = None

    def refuse(self, message: str, help: str) -> None:
        """End the snippet, now and for good."""
        if self.passed is None:
            self.passed = LimitError(message, help)
        self.left = -1
        raise self.passed

    def spend(self, steps: int) -> None:
        """Count steps that are not the statements of a block."""
        self.left -= steps
        if self.left < 0:
            self.look()

    def look(self) -> None:
        """The steps that were handed out are spent: check every limit and hand out more."""
        if self.passed is not None:
            raise self.passed
        spent = self.taken - self.left
        if spent > self.limits.steps:
            self.refuse(
                f"the snippet takes more than {self.limits.steps:,} steps",
                "is there an endless loop? --max-steps N allows more",
            )
        self.left = min(self.limits.steps - spent, CHECK_EVERY)
        self.taken = spent + self.left
        self.watch()

    def watch(self) -> None:
        """Check the clock and the memory."""
        if self.passed is not None:
            raise self.passed
        if time.monotonic() - self.started > self.limits.seconds:
            self.refuse(
                f"the snippet runs for more than {self.limits.seconds:g} s",
                "is there an endless loop? --timeout SECONDS allows more",
            )
        self.room(0)

    def room(self, size: int) -> None:
        """Refuse to take so many bytes more where memory does not last for them."""
        now = time.monotonic()
        if now - self.measured > RECENT:
            self.measured, self.held = now, resident() - self.memory
        if self.held + size > GROWTH:
            self.refuse(f"the snippet needs more than {GROWTH // 2**20} MB of memory", SMALLER)

    def fits(self, size: int, what: str = "this", each: int = 8) -> None:
        """Refuse a list, text or tensor of absurd size before memory is taken; `each` is the bytes of an element."""
        if size > self.limits.elements:
            self.refuse(
                f"{what} has {size:,} elements, and {self.limits.elements:,} are the limit"
                if size < 10**18
                else f"{what} has more than 10**18 elements, and {self.limits.elements:,} are the limit",
                "try it at a smaller size, or allow more with --max-elements N",
            )
        if size * each > SIZABLE:
            self.room(size * each)

    def bits(self, count: int) -> None:
        """Refuse a whole number of absurd size."""
        if count > BITS:
            self.refuse(f"a whole number has more than {BITS:,} bits", "floats reach 1e308: write 2.0**1000")

    def writes(self, characters: int) -> None:
        self.written += characters
        if self.written > OUTPUT:
            self.refuse(f"the snippet prints more than {OUTPUT:,} characters", "print less often in its loops")


def resident() -> int:
    """Bytes of memory that the process holds now, or held at most; 0 where the system does not say."""
    try:
        return int(Path("/proc/self/statm").read_bytes().split()[1]) * PAGE
    except OSError:
        return _most()


def _most() -> int:
    try:
        import resource
    except ImportError:
        return 0
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)


def _page() -> int:
    import mmap

    return mmap.PAGESIZE


PAGE = _page()


@contextmanager
def watched(budget: Budget) -> Iterator[None]:
    """Watch time and memory inside the block, where the system has timers and this is the main thread."""
    if not hasattr(signal, "setitimer") or not _is_main():
        yield
        return
    inside = True

    def look(*_: Any) -> None:
        if inside:
            budget.watch()

    before = signal.signal(signal.SIGALRM, look)
    signal.setitimer(signal.ITIMER_REAL, INTERVAL, INTERVAL)
    try:
        try:
            yield
        finally:
            inside = False
    finally:  # a look may have come between the block and its end
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


@contextmanager
def deep() -> Iterator[None]:
    """Room for calls within calls: more stack where the system gives it, and as many frames as the stack holds.

    Some of what a snippet calls comes back to it through C, as a key of `sorted` does; that takes stack, and Python
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
    """Set the stack and the number of frames; a function that sets the stack back."""
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


def _is_main() -> bool:
    return threading.current_thread() is threading.main_thread()
