"""Snippets that cross features print what they print in torch, unless the last line is a refusal by name."""

from __future__ import annotations

import pytest

from tests.script.running import ours, torchs
from tests.script.torch.alike import alike, difference
from tests.script.torch.crossed_snippets import crossed_snippet

pytest.importorskip("torch")

START, BLOCK = 100, 12
pytestmark = pytest.mark.filterwarnings("ignore")  # torch's own


@pytest.mark.slow
@pytest.mark.parametrize("block", range(2))
def test_crossed_snippets(block: int) -> None:
    for seed in range(START + block * BLOCK, START + (block + 1) * BLOCK):
        text = crossed_snippet(seed)
        printed, expected = ours(text), torchs(text)
        lines = printed.splitlines(keepends=True)
        if lines[-1].startswith("Error: ") and "supported here" in lines[-1]:
            printed, expected = "".join(lines[:-1]), "".join(expected.splitlines(keepends=True)[: len(lines) - 1])
        assert alike(printed, expected), f"crossed_snippet({seed}): {difference(printed, expected)}\n{text}"
