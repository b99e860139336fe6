"""Numbers at equal distances have torch's last digits."""

from __future__ import annotations

import pytest

from tests.script.running import ours, torchs

pytest.importorskip("torch")

RANGES = ["0, 1, 0.02", "-1, 1, 0.1", "0, 10, 0.3", "0.5, 3, 0.07", "0, 1, 1/3", "10, 0, -0.3", "0, 1, 0.001"]


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("bounds", RANGES)
def test_ranges(bounds: str, dtype: str) -> None:
    text = f"""
import torch
print([x.hex() for x in torch.arange({bounds}, dtype=torch.{dtype}).double().tolist()])
for steps in (1, 2, 9, 37, 100):
    print([x.hex() for x in torch.linspace({bounds.rpartition(",")[0]}, steps, dtype=torch.{dtype}).double().tolist()])
"""
    assert ours(text) == torchs(text)
