"""What every test runs under."""

from __future__ import annotations

import ctypes
import gc
import mmap
import os
import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, settings
from hypothesis.internal.conjecture import providers

from gradcli.guard import guard

os.environ.setdefault("OMP_NUM_THREADS", "1")  # torch adds up in parts where it has several
os.environ["ARROW_DEFAULT_MEMORY_POOL"] = "system"  # its own one reserves more than a worker may have

# No clocks, for machines differ; where changes land, the same examples each time.
IN_CI = "CI" in os.environ
settings.register_profile(
    "gradcli", max_examples=20, deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize=IN_CI
)
settings.load_profile("gradcli")
if IN_CI:  # or numbers are drawn from those of our modules that are loaded by then, which tests before have done
    providers._get_local_constants = providers.Constants


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers(config: pytest.Config) -> int | None:
    """No other process for a file or a folder that is named."""
    return 0 if config.args_source is config.ArgsSource.ARGS else None


gc.disable()  # until the tests are there: thousands, and the modules behind them, none of which is garbage


def pytest_collection_finish() -> None:
    """Collect garbage from now on, without looking again at what is there."""
    gc.enable()
    gc.freeze()
    gc.set_threshold(50_000, 20, 50)  # rarely: each look at all that tests have made takes up to a second


HUGE, COLLAPSE = 2**21, 25  # the bytes of a huge page, and what Linux calls MADV_COLLAPSE
MAPPED = re.compile(r"^(\w+)-(\w+) rw-p \S+ \S+ 0 *(?:\[heap\])?$", re.MULTILINE)  # memory, and no file's
GROWN = 2**26  # bytes, by which memory grows before it is gathered again
gathered = [0]  # bytes of this process that lay in memory then


def gather_memory() -> None:
    """Let the memory of this process lie in huge pages, where Linux can do that.

    Thousands of tests fork it: of half a gigabyte in small pages the table alone takes 40 ms to copy, in huge ones 10.
    """
    files = Path("/proc/self/statm"), Path("/proc/self/maps")
    if not all(map(Path.exists, files)):
        return
    sizes, maps = (file.read_text() for file in files)
    size = int(sizes.split()[1]) * mmap.PAGESIZE
    if size < gathered[0] + GROWN:
        return
    gathered[0] = size
    advise = ctypes.CDLL(None).madvise  # which may refuse, and then all stays as it was
    for place in MAPPED.finditer(maps):
        start, end = -(-int(place[1], 16) // HUGE), int(place[2], 16) // HUGE
        if start < end:
            advise(ctypes.c_void_p(start * HUGE), ctypes.c_size_t((end - start) * HUGE), COLLAPSE)


def pytest_unconfigure() -> None:
    """Let the interpreter end without another look at what tests have kept."""
    gc.freeze()


guard.is_strict = True  # what is optional may not fail in tests, nor a simplified formula be another


@pytest.fixture(autouse=True, scope="module")
def frozen() -> None:
    """Let no process that is forked look again, for garbage, at what tests before have made."""
    gc.collect()
    gc.freeze()
    gather_memory()


@pytest.fixture(autouse=True)
def quiet_numpy() -> Iterator[None]:
    """Infinities and nan are results here, as in torch: numpy says nothing about them."""
    with np.errstate(all="ignore"):
        yield
