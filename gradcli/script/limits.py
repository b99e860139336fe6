"""Limits on what a snippet may use: steps, wall time, memory, sizes, output. Each ends it with a clear error.

Steps are counted where blocks run. Time and memory are watched by a timer signal, between two instructions of Python,
so that nothing that loops can escape it; sizes are checked before memory is taken.
"""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gradcli.script.errors import LimitError

INTERVAL = 0.02  # seconds between two looks at the clock and the memory
GROWTH = 700 * 2**20  # bytes that a snippet may add to the process
OUTPUT = 10_000_000  # characters printed
BITS = 2**20  # of a whole number
DEPTH = 1000  # calls within calls, as Python has it
CHECK_EVERY = 20_000  # steps between two looks where there is no timer


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

    def spend(self, steps: int) -> None:
        """Count steps that are not the statements of a block."""
        self.left -= steps
        if self.left < 0:
            self.look()

    def look(self) -> None:
        """The steps that were handed out are spent: check every limit and hand out more."""
        spent = self.taken - self.left
        if spent > self.limits.steps:
            raise LimitError(
                f"the snippet takes more than {self.limits.steps:,} steps",
                "is there an endless loop? --max-steps N allows more",
            )
        self.left = min(self.limits.steps - spent, CHECK_EVERY)
        self.taken = spent + self.left
        self.watch()

    def watch(self) -> None:
        """Check the clock and the memory."""
        if time.monotonic() - self.started > self.limits.seconds:
            raise LimitError(
                f"the snippet runs for more than {self.limits.seconds:g} s",
                "is there an endless loop? --timeout SECONDS allows more",
            )
        if resident() - self.memory > GROWTH:
            raise LimitError(
                f"the snippet needs more than {GROWTH // 2**20} MB of memory",
                "try it at a smaller size: the rules stay the same",
            )

    def fits(self, size: int, what: str = "this") -> None:
        """Refuse a list, text or tensor of absurd size before memory is taken."""
        if size > self.limits.elements:
            raise LimitError(
                f"{what} has {size:,} elements, and {self.limits.elements:,} are the limit"
                if size < 10**18
                else f"{what} has more than 10**18 elements, and {self.limits.elements:,} are the limit",
                "try it at a smaller size, or allow more with --max-elements N",
            )

    def bits(self, count: int) -> None:
        """Refuse a whole number of absurd size."""
        if count > BITS:
            raise LimitError(f"a whole number has more than {BITS:,} bits", "floats reach 1e308: write 2.0**1000")

    def writes(self, characters: int) -> None:
        self.written += characters
        if self.written > OUTPUT:
            raise LimitError(f"the snippet prints more than {OUTPUT:,} characters", "print less often in its loops")


def resident() -> int:
    """Bytes of memory that the process holds now; 0 where the system does not say."""
    try:
        return int(Path("/proc/self/statm").read_bytes().split()[1]) * 4096
    except OSError:
        return 0


@contextmanager
def watched(budget: Budget) -> Iterator[None]:
    """Watch time and memory inside the block, where the system has timers and this is the main thread."""
    if not hasattr(signal, "setitimer") or threading.current_thread() is not threading.main_thread():
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
