"""`time`."""

from __future__ import annotations

import time
from typing import Any

from gradcli.script.machine import running
from gradcli.script.python.members.tables import members_named
from gradcli.script.python.values.attributes import Namespace

CLOCKS = "time time_ns perf_counter perf_counter_ns monotonic monotonic_ns process_time process_time_ns"


def sleep(seconds: Any) -> None:
    """Wait, but no longer than the run may take."""
    wanted, budget = float(seconds), running.machine.budget
    left = budget.started + budget.limits.seconds - time.monotonic()
    time.sleep(min(wanted, max(left, 0) + 0.001))
    budget.watch()


def namespace(name: str) -> Namespace:
    """`time`."""
    return Namespace(name, members_named(time, f"{CLOCKS} ctime") | {"sleep": sleep})
