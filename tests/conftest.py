"""What every test runs under."""

from __future__ import annotations

import gc
import os
from collections.abc import Iterator

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


def pytest_unconfigure() -> None:
    """Let the interpreter end without another look at what tests have kept."""
    gc.freeze()


guard.is_strict = True  # what is optional may not fail in tests, nor a simplified formula be another


@pytest.fixture(autouse=True, scope="module")
def frozen() -> None:
    """Let no process that is forked look again, for garbage, at what tests before have made."""
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=True)
def quiet_numpy() -> Iterator[None]:
    """Infinities and nan are results here, as in torch: numpy says nothing about them."""
    with np.errstate(all="ignore"):
        yield
