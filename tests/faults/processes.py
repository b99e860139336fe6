"""Processes as the system tells of them: children, and members of a group that are still there."""

from __future__ import annotations

import os
import time
from pathlib import Path

PATIENCE = 20.0  # seconds in which a process that has been ended must be gone


def states() -> dict[int, tuple[str, int, int]]:
    """The state, the parent and the group of every process, by its number."""
    found = {}
    for name in os.listdir("/proc"):  # noqa: PTH208
        if name.isdigit():
            try:
                state, parent, group = Path(f"/proc/{name}/stat").read_text().rpartition(")")[2].split()[:3]
            except OSError:  # it has ended since
                continue
            found[int(name)] = (state, int(parent), int(group))
    return found


def children(pid: int) -> list[int]:
    """The processes that another one has started and that still run."""
    return sorted(one for one, (state, parent, _) in states().items() if parent == pid and state != "Z")


def left(group: int) -> list[int]:
    """The processes of a group that do not end."""
    end = time.monotonic() + PATIENCE
    while found := [one for one, (state, _, of) in states().items() if of == group and state != "Z"]:
        if time.monotonic() > end:
            return found
        time.sleep(0.01)
    return []
