"""`time` and `timeit`."""

from __future__ import annotations

import time
from typing import Any

from gradcli.script.errors import UnsupportedError
from gradcli.script.machine import running
from gradcli.script.python.members.tables import describe, fields, listed
from gradcli.script.python.values.attributes import Namespace

CLOCKS = "time time_ns perf_counter perf_counter_ns monotonic monotonic_ns process_time process_time_ns"


def sleep(seconds: Any) -> None:
    """Wait, but no longer than the run may take."""
    wanted, budget = float(seconds), running.machine.budget
    left = budget.started + budget.limits.seconds - time.monotonic()
    time.sleep(min(wanted, max(left, 0) + 0.001))
    budget.watch()


def strftime(format: str, t: Any = None) -> str:
    """Return a time as text, the time now if none is given."""
    running.machine.budget.fits(len(format) * 100, "the text")
    return time.strftime(format) if t is None else time.strftime(format, t)


def timeit(stmt: Any, setup: Any = None, timer: Any = None, number: int = 1_000_000, **__: Any) -> float:
    """Return how many seconds so many calls take."""
    if not callable(stmt):
        message = "timeit of a text is not supported here"
        raise UnsupportedError(message, python=TypeError, help="give it a function: timeit(lambda: f(x), number=10)")
    if callable(setup):
        setup()
    started = time.perf_counter()
    for _step in range(number):
        running.machine.budget.spend(1)
        stmt()
    return time.perf_counter() - started


describe(time.struct_time, getters=fields("tm_year tm_mon tm_mday tm_hour tm_min tm_sec"))


def namespace(name: str) -> Namespace:
    """`time` or `timeit`."""
    if name == "timeit":
        return Namespace(name, {"timeit": timeit, "default_timer": time.perf_counter})
    return Namespace(name, listed(time, f"{CLOCKS} ctime localtime gmtime") | {"sleep": sleep, "strftime": strftime})
