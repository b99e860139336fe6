"""Snippets on the themes of torch's own tests, against torch: each prints the same."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.script.printed import Printed
from tests.script.running import ours, torchs

FILES = sorted(Path(__file__).parents[1].rglob("themes*.txt"))
PARTS = [re.split(r"^# ---- (.*)\n", path.read_text("utf-8"), flags=re.MULTILINE) for path in FILES]
THEMES = {name: body for parts in PARTS for name, body in zip(parts[1::2], parts[2::2], strict=True)}


@pytest.mark.parametrize("name", THEMES)
def test_theme(name: str) -> None:
    text = "import torch\ntorch.manual_seed(0)\n" + THEMES[name]
    found, expected = (Printed(re.sub("0x[0-9a-f]+", "0x", run(text))) for run in (ours, torchs))
    assert found == expected


def test_themes_have_names_of_their_own() -> None:
    assert len(THEMES) == sum(len(parts) // 2 for parts in PARTS)
