"""What every test runs under."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest


@pytest.fixture(autouse=True)
def quiet_numpy() -> Iterator[None]:
    """Infinities and nan are results here, as in torch: numpy says nothing about them."""
    with np.errstate(all="ignore"):
        yield
