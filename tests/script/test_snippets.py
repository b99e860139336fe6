"""Lessons as they are taught, printed here to the letter as torch prints them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.script.printed import Printed
from tests.script.record_snippets import SNIPPETS
from tests.script.running import ours


@pytest.mark.parametrize("path", SNIPPETS, ids=[path.stem for path in SNIPPETS])
def test_lesson(path: Path) -> None:
    assert ours(path.read_text()) == Printed(path.with_suffix(".out").read_text())


def test_every_lesson_runs_to_its_end() -> None:
    assert len(SNIPPETS) >= 40
    assert not [path.stem for path in SNIPPETS if "\nError: " in path.with_suffix(".out").read_text()]


def test_settings_end_with_their_snippet() -> None:
    ours("import torch\ntorch.set_printoptions(precision=1)\ntorch.autograd.set_detect_anomaly(True)\n")
    assert (
        ours("import torch\nprint(torch.tensor(0.12345))\nprint(torch.is_anomaly_enabled())\n")
        == "tensor(0.1235)\nFalse\n"
    )
