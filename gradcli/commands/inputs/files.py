"""Files of values that the command line names: read before the work begins, for then no file can be opened."""

from __future__ import annotations

import stat
from collections.abc import Iterable
from pathlib import Path

LARGEST = 2**26  # bytes of a file with values
LARGER = f"larger than {LARGEST // 2**20} MB"

_held: dict[str, bytes | OSError | str] = {}


def hold(values: Iterable[str]) -> None:
    """Read the files among values (`@data.npy`); the error of a file is raised when its value is read."""
    for value in values:
        text = value.strip()
        if text.startswith("@"):
            _held[text[1:]] = content(text[1:])


def held(path: str) -> bytes | OSError | str:
    """Return what a file holds, or the reason for which it cannot be read."""
    return _held[path] if path in _held else content(path)


def content(path: str) -> bytes | OSError | str:
    try:
        facts = Path(path).stat()
        if not stat.S_ISREG(facts.st_mode):
            return "not a file"
        return LARGER if facts.st_size > LARGEST else Path(path).read_bytes()
    except OSError as error:
        return error
    except ValueError:
        return "not a file"
