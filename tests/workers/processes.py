"""Whether processes are still there."""

from __future__ import annotations

import time
from collections.abc import Iterable
from pathlib import Path


def are_gone(pids: Iterable[int]) -> bool:
    """Whether processes have ended, or do within ten seconds."""
    left = list(pids)
    for _ in range(200):
        left = [pid for pid in left if is_alive(pid)]
        if not left:
            return True
        time.sleep(0.05)
    return False


def is_alive(pid: int) -> bool:
    """Whether a process runs: one that nobody has waited for yet does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
