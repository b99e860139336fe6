"""What every test runs under."""

from __future__ import annotations

import os
from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import HealthCheck, settings

# No clocks, for machines differ; where changes land, the same examples each time.
settings.register_profile(
    "gradcli", deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize="CI" in os.environ
)
settings.load_profile("gradcli")


@pytest.fixture(autouse=True)
def quiet_numpy() -> Iterator[None]:
    """Infinities and nan are results here, as in torch: numpy says nothing about them."""
    with np.errstate(all="ignore"):
        yield
