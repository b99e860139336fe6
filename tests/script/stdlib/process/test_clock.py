from __future__ import annotations

from tests.script.agreement import agree


def test_clocks_go_on() -> None:
    agree("import time\na = time.perf_counter()\ntime.sleep(0.001)\nprint(time.perf_counter() > a, time.time() > 1e9)")
    agree("import time\nprint(time.monotonic() >= 0, time.time_ns() > 0)")
