"""Processes as the system tells of them: whether they are still there, their children, and members of a group."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable
from pathlib import Path

PATIENCE = 20.0  # seconds in which processes that are ended must be gone


def states() -> dict[int, tuple[int, int]]:
    """The parent and the group of every process, by its number."""
    found = {}
    for name in os.listdir("/proc"):  # noqa: PTH208
        if name.isdigit():
            try:
                state, parent, group = Path(f"/proc/{name}/stat").read_text().rpartition(")")[2].split()[:3]
            except OSError:  # it has ended since
                continue
            if state != "Z":  # nor does one run that nobody has waited for yet
                found[int(name)] = (int(parent), int(group))
    return found


def children(pid: int) -> list[int]:
    """The processes that another one has started."""
    return sorted(one for one, (parent, _) in states().items() if parent == pid)


def begun(pid: int) -> list[int]:
    """The first processes that another one starts."""
    end = time.monotonic() + PATIENCE
    while not (found := children(pid)):
        assert time.monotonic() < end, "it has started none"
    return found


def is_alive(pid: int) -> bool:
    return pid in states()


def are_gone(pids: Iterable[int]) -> bool:
    """Whether processes have ended, or do soon."""
    wanted = set(pids)
    return not outliving(lambda: wanted & states().keys())


def left(group: int) -> set[int]:
    """The processes of a group that do not end."""
    return outliving(lambda: {pid for pid, (_, of) in states().items() if of == group})


def outliving(found: Callable[[], set[int]]) -> set[int]:
    """The processes that are found until there are none, or until patience ends."""
    end = time.monotonic() + PATIENCE
    while (still := found()) and time.monotonic() < end:
        time.sleep(0.02)
    return still
