"""Snippets on the themes of torch's own tests of autograd, against torch: each prints the same."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.script.running import ours, torchs

pytest.importorskip("torch")

PARTS = re.split(r"^# ---- (.*)\n", Path(__file__).with_name("themes.txt").read_text("utf-8"), flags=re.MULTILINE)
THEMES = dict(zip(PARTS[1::2], PARTS[2::2], strict=True))


@pytest.mark.parametrize("name", THEMES)
def test_theme(name: str) -> None:
    text = "import torch\ntorch.manual_seed(0)\n" + THEMES[name]
    found, expected = (re.sub("0x[0-9a-f]+", "0x", run(text)) for run in (ours, torchs))
    assert found == expected
