"""What a process holds of its user beside its work: environment variables and open files."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Collection
from contextlib import suppress
from pathlib import Path

# Variables that say how results look; the others may be secrets.
KEPT = (
    "LANG", "LC_ALL", "LC_CTYPE", "LC_TIME", "TZ", "TERM", "COLUMNS", "LINES", "NO_COLOR", "CLICOLOR_FORCE",
    "FORCE_COLOR", "OPENBLAS_NUM_THREADS",
)  # fmt: skip
HEADER = bytes.__basicsize__ - 1  # bytes of an object before those that it holds


def forget_environment() -> None:
    """Empty the environment but for a few variables, also in memory, which this process might be made to read."""
    kept = {name: os.environ[name] for name in KEPT if name in os.environ}
    libc = ctypes.CDLL(None)
    held = os.environ._data  # type: ignore[attr-defined]
    for word in (word for pair in held.items() for word in pair if len(word) > 1):  # Python shares shorter ones
        ctypes.memset(id(word) + HEADER, 0, len(word))
    variables = ctypes.POINTER(ctypes.c_void_p).in_dll(libc, "environ")
    number = 0
    while variables and (place := variables[number]):
        ctypes.memset(place, 0, len(ctypes.string_at(place)))
        number += 1
    with suppress(OSError, ValueError):  # those that were given at the start, and have been removed since
        start, end = map(int, Path("/proc/self/stat").read_bytes().rpartition(b")")[2].split()[47:49])
        ctypes.memset(start, 0, end - start)
    libc.clearenv()
    held.clear()
    os.environ.update(kept)


def close_files(kept: Collection[int]) -> None:
    """Close every open file but these."""
    for number in {int(at.name) for at in Path("/proc/self/fd").iterdir()} - set(kept):
        with suppress(OSError):  # the folder that was listed
            os.close(number)
