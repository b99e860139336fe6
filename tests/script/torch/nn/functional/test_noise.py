"""Dropout of every kind against torch: the same entries, in the same order."""

from __future__ import annotations

import pytest

from tests.script.running import ours
from tests.script.torch.nn.agreement import agree


@pytest.mark.parametrize(
    "called",
    [
        "F.dropout(x.t(), 0.3)",
        "F.dropout(F.layer_norm(x.t(), (4,)))",
    ],
)
def test_noise(called: str) -> None:
    agree(f"print({called})")


def test_dropout_of_channels_is_of_images() -> None:
    assert "dropout2d of anything but images" in ours("import torch\ntorch.nn.functional.dropout2d(torch.ones(2))")
