from __future__ import annotations

import pytest

from gradcli.script.limits import Limits
from tests.script.agreement import agree
from tests.script.running import ours


def test_clocks_go_on() -> None:
    agree("import time\na = time.perf_counter()\ntime.sleep(0.001)\nprint(time.perf_counter() > a, time.time() > 1e9)")
    agree("import time\nprint(len(time.strftime('%H:%M')), time.monotonic() >= 0, time.time_ns() > 0)")


@pytest.mark.slow
def test_nobody_sleeps_longer_than_the_run() -> None:
    assert "runs for more than 0.2 s" in ours("import time\ntime.sleep(1000)", Limits(seconds=0.2))
