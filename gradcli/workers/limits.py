"""Limits of a piece of work: seconds, bytes of memory, bytes of output."""

from __future__ import annotations

import errno
import os
import re

from gradcli.errors import EvaluationError
from gradcli.facts import dataclass

GRACE = 0.25  # seconds after its time in which work may end by itself, and say more than the watcher knows
BACKSTOP = 5  # wall seconds for each CPU second of an item: a busy machine fails nobody
UNITS = {"": 1, "K": 2**10, "M": 2**20, "G": 2**30, "T": 2**40}
SHORTEST, LONGEST = 0.01, 1e7  # seconds: four months
LEAST, MOST = 2**26, 2**50  # bytes of memory: an interpreter with numpy takes the least
NO_MORE = (errno.EMFILE, errno.ENFILE)
SIZES = "write a number with K, M or G, such as 512M"


@dataclass(frozen=True)
class Limits:
    """Limits of a command, in wall seconds, or of an item, in CPU seconds; sizes in bytes.

    `option` sets the seconds on the command line.
    """

    seconds: float = 60.0
    memory: int = 2**30
    output: int = 2**26
    option: str = "--timeout"


def no_more_files(error: Exception) -> EvaluationError | None:
    """Return the error of a system that gives no more files, also to a library in C; None for another exception."""
    of_library = (reason for number in NO_MORE for reason in (os.strerror(number), f"Error {number}"))
    if isinstance(error, OSError) and error.errno in NO_MORE:
        reason = error.strerror or ""
    elif not isinstance(error, ImportError) or not (reason := next((r for r in of_library if r in str(error)), "")):
        return None
    return EvaluationError("E210", f"the system gives no more files: {reason}", help="ulimit -n 256 allows more")


def read_seconds(text: str) -> float:
    """Return the seconds that a text says; ValueError where no clock can hold them."""
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not SHORTEST <= seconds <= LONGEST:  # which nan is not
        raise ValueError(f"write seconds from {SHORTEST:g} to {LONGEST:,.0f}, such as 2.5")
    return seconds


def read_size(text: str, least: int = 0) -> int:
    """Return the bytes that a text such as `512M` or `1G` says; ValueError for another text, and for less or more."""
    match = re.fullmatch(r"(\d{1,15}(?:\.\d{1,6})?)\s*([KMGT]?)(?:i?B)?", text.strip(), re.IGNORECASE | re.ASCII)
    if match is None:
        raise ValueError(SIZES)
    size = int(float(match[1]) * UNITS[match[2].upper()])
    if not least <= size <= MOST:
        raise ValueError(f"write from {size_text(least)} to {size_text(MOST)}")
    return size


def size_text(size: int) -> str:
    """Write a number of bytes as options have it: `1 GB`, `512 MB`."""
    unit = max((u for u in UNITS if UNITS[u] <= max(size, 1)), key=UNITS.__getitem__)
    return f"{size / UNITS[unit]:g} {unit}B" if unit else f"{size} bytes"
