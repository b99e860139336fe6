"""Settings of determinism, which are read again, and what they do to `torch.empty`."""

from __future__ import annotations

import pytest

from tests.script.agreement import REFUSED, agree

pytest.importorskip("torch")

PROGRAM = """
import torch
def show():
    print(torch.are_deterministic_algorithms_enabled(), torch.is_deterministic_algorithms_warn_only_enabled(),
          torch.get_deterministic_debug_mode())
show()
for mode in True, False, 1, None:
    for warn_only in True, False, 1:
        refused(lambda: torch.use_deterministic_algorithms(mode, warn_only=warn_only))
        show()
for mode in 0, 1, 2, "default", "warn", "error", 3, "x", 1.5, True:
    refused(lambda: torch.set_deterministic_debug_mode(mode))
    show()
for dtype in torch.float32, torch.float64, torch.int64, torch.uint8, torch.bool:
    print(torch.empty(2, dtype=dtype), torch.empty_like(torch.ones(1, dtype=dtype)))
"""


def test_settings() -> None:
    agree(REFUSED + PROGRAM)
