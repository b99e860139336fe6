"""Limits on what a snippet may use: steps, wall time, memory, sizes, output. Each ends it with a clear error.

Steps are counted where blocks run. Time and memory are watched by a timer signal (see `guards`), so that nothing that
loops can escape it; sizes are checked before memory is taken. A limit that was passed stays passed: whatever the
snippet does with the error, the next thing that it does raises it again.
"""

from __future__ import annotations

import gc
import sys
import time
from mmap import PAGESIZE

from gradcli.facts import dataclass
from gradcli.script.errors import LimitError
from gradcli.workers.confinement import pages

PAUSE = 0.1  # seconds between two looks that raise
RECENT = 0.004  # seconds for which a look at the memory holds
SIZABLE = 2**24  # bytes that are worth a look at the memory before they are taken
OUTPUT = 10_000_000  # characters printed
TEXT = 1_000_000  # characters of a snippet
BITS = 2**20  # of a whole number
DEPTH = 1000  # calls within calls, as Python has it
CHECK_EVERY = 20_000  # steps between two looks where there is no timer
SMALLER = "try it at a smaller size: the rules stay the same"


@dataclass(frozen=True)
class Limits:
    """Limits that options set.

    `steps` statements, `elements` of one tensor, list or text, `seconds` of wall time, bytes of `memory` that a snippet
    may add to the process.
    """

    steps: int = 20_000_000
    elements: int = 2**24
    seconds: float = 60.0
    memory: int = 2**29


def share(memory: int) -> int:
    """Return the part of a process's memory that its snippet may take: the page about it needs the rest."""
    return memory // 2


class Budget:
    """The rest of the limits; `left` is the number of steps until the next look at them."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.left = min(limits.steps, CHECK_EVERY)
        self.taken = self.left
        self.written = 0
        self.started = time.monotonic()
        self.memory = resident()
        self.held, self.measured = 0, self.started  # bytes taken since the last look at the memory, and its time
        self.passed: LimitError | None = None
        self.collecting = False
        self.raised = 0.0  # the time at which a look last raised
        self.over = False  # the snippet has ended: later work is not counted against it

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
        """Check every limit when the steps that were handed out are spent, and hand out more."""
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
        """Check the clock and the memory; after raising, pause so that the exception finds its way out."""
        now = time.monotonic()
        if self.over or now - self.raised < PAUSE:
            return
        if self.passed is not None or now - self.started > self.limits.seconds:
            self.raised = now
            self.late()
        self.room(0)

    def late(self) -> None:
        """End the snippet, whose time is over."""
        self.refuse(
            f"the snippet runs for more than {self.limits.seconds:g} s",
            "is there an endless loop? --timeout SECONDS allows more",
        )

    def room(self, size: int) -> None:
        """Refuse to take so many more bytes where memory does not suffice."""
        now = time.monotonic()
        if now - self.measured > RECENT:
            self.measured, self.held = now, resident() - self.memory
        if self.held + size > self.limits.memory and not self.collecting:
            self.collecting = True  # the timer goes on
            gc.collect()  # what only cycles hold is given back first, which takes time, and must be worth it
            self.collecting = False
            self.measured, self.held = now, resident() - self.memory
            if self.held + size > self.limits.memory * 3 // 4:
                self.exhausted()

    def exhausted(self) -> None:
        """End the snippet, for which there is no more memory."""
        self.refuse(f"the snippet needs more than {self.limits.memory // 2**20} MB of memory", SMALLER)

    def fits(self, size: int, what: str = "this", each: int = 8) -> None:
        """Refuse a list, text or tensor of absurd size before memory is taken; `each` is the bytes of an element."""
        size = int(size)  # a number of a snippet's class, whose comparisons may lie
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
    """Return the bytes of memory that the process holds now, or held at most; 0 where the system does not say."""
    try:
        return pages(1) * PAGESIZE
    except OSError:
        return _most()


def _most() -> int:
    try:
        import resource
    except ImportError:
        return 0
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
