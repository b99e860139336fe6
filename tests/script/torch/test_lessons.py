"""Short lessons on autograd, modules and saving: each prints what it prints in torch."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.script.printed import Printed
from tests.script.running import ours, torchs

LESSONS = Path(__file__).with_name("lessons.txt").read_text("utf-8")
PARTS = re.split(r"^# ---- (.*)\n", LESSONS, flags=re.MULTILINE)
BODIES = dict(zip(PARTS[1::2], PARTS[2::2], strict=True))


@pytest.mark.parametrize("name", BODIES)
def test_lesson(name: str) -> None:
    text = "import torch\ntorch.manual_seed(0)\n" + BODIES[name]
    here, in_torch = (Printed(re.sub("0x[0-9a-f]+", "0x", run(text))) for run in (ours, torchs))
    assert here == in_torch
